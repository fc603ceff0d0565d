internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// The base of `pack` for one source, as it lies sealed in `local/` (spec §10).
package struct BaseFile: Sendable {
  private let vault: VaultFolder
  private let secret: CompartmentSecret
  private let name: [UInt8]

  /// - Parameter sourcePath: absolute, without links.
  /// - Throws: `sealing`.
  package init(
    of sourcePath: [UInt8], in vault: VaultFolder, secret: CompartmentSecret
  ) throws(StoreError) {
    do throws(SealingError) {
      let digest: Digest
      do { digest = Digest(try SHA256.digest(sourcePath.span)) } catch { throw .crypto(error) }
      let stem = try LocalSealing.name(of: digest, keys: secret.keys)
      name = Array("\(stem).cache".utf8)
    } catch {
      throw .sealing(error, path: Layout.local)
    }
    self.vault = vault
    self.secret = secret
  }

  /// What the last pack of this source left; nil where there is nothing, or nothing that can be used.
  package func load() -> PackBase? {
    // A base only saves work and tells whose change is whose; a broken one is as good as none.
    guard let folder = try? Directory(opening: Layout.local, in: vault.root),
      let bytes = try? folder.readWhole(name, limit: Self.byteCountMaximum),
      let content = try? LocalSealing.open(bytes.span, keys: secret.keys)
    else { return nil }
    return try? PackBase(unpacking: content)
  }

  /// Replaces what is there.
  /// - Throws: `system`, `sealing`.
  package func save(_ base: PackBase) throws(StoreError) {
    let bytes: [UInt8]
    let temporaryName: [UInt8]
    do throws(SealingError) {
      let fresh = try Fresh()
      let content = try base.packed()
      bytes = try LocalSealing.seal(
        content.span, keys: secret.keys, salt: fresh.salt, nonce: fresh.nonce)
      temporaryName = Array("\(fresh.id.hex).part".utf8)
    } catch {
      throw .sealing(error, path: Layout.local)
    }
    do {
      if try vault.root.status(of: Layout.local) == nil {
        try vault.root.makeDirectory(Layout.local)
      }
      let folder = try Directory(opening: Layout.local, in: vault.root)
      try Self.removeHalfWritten(in: folder)
      try AtomicWrite.save(
        bytes.span, as: name, in: folder, temporaryName: temporaryName, replacing: .allowed)
    } catch {
      throw .system(error, path: Layout.path(Layout.local, name))
    }
  }

  /// Removes what a run that was killed in the middle of saving left.
  private static func removeHalfWritten(in folder: borrowing Directory) throws(SystemError) {
    for entry in try folder.entries() where entry.name.suffix(5).elementsEqual(".part".utf8) {
      try folder.unlink(entry.name)
    }
  }

  /// Far above what the notes that fit into a segment need.
  static let byteCountMaximum = 1 << 30
}
