internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// Names the state of the vault that was looked at, so that parts of a verification that ran apart can be put together
/// (spec/command-line.md "verify").
enum VerifyState {
  /// SHA-256 over the digest of `VAULT` and the names in `index/`, each followed by the digest of the file where it is
  /// a slot: the name of a valid segment is its digest already.
  /// - Throws: `crypto`.
  static func digest(of base: VerifyBase) throws(StoreError) -> Digest {
    var text = field("VAULT".utf8, base.vault?.headerDigest)
    var slots: [[UInt8]: Digest] = [:]
    for file in base.snapshot.slots where !file.isSpare {
      slots[Layout.slot(file.locator)] = file.state.digest
    }
    let names = base.snapshot.indexNames.sorted { $0.lexicographicallyPrecedes($1) }
    for name in names { text += field(name, slots[name]) }
    do { return Digest(try SHA256.digest(text.span)) } catch { throw .crypto(error) }
  }

  /// A name, NUL, the hex digits of a digest or none, NUL. No name holds a NUL.
  private static func field(_ name: some Sequence<UInt8>, _ digest: Digest?) -> [UInt8] {
    Array(name) + [0] + Array((digest?.hex ?? "").utf8) + [0]
  }
}
