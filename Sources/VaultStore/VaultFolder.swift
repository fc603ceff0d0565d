internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// A vault's directory, open, with its file `VAULT` read (spec §2, §4).
package final class VaultFolder: Sendable {
  /// The folder; everything in the vault is reached from here, component by component.
  package let root: Directory
  /// As the person gave it.
  package let path: [UInt8]
  package let header: VaultHeader
  /// SHA-256 of the file `VAULT`, which every segment names.
  package let headerDigest: Digest

  /// - Throws: `notAVault` where there is no file `VAULT`, `damaged` where it breaks the format, `system`.
  package init(path: [UInt8], faults: FaultPlan? = nil) throws(StoreError) {
    let bytes: [UInt8]
    do {
      let root = try Directory(path: path, faults: faults)
      guard try root.status(of: Layout.header) != nil else {
        throw StoreError.notAVault(path: path)
      }
      bytes = try root.readWhole(Layout.header, limit: Limits.vaultFileByteCount)
      self.root = root
    } catch let error as SystemError {
      if error.code == .notFound || error.code == .notAFolder { throw .notAVault(path: path) }
      throw .system(error, path: error.code == nil ? Layout.header : path)
    } catch {
      throw error as? StoreError ?? .notAVault(path: path)
    }
    self.path = path
    do { header = try VaultHeader(decoding: bytes.span) } catch {
      throw .damaged(path: Layout.header, error)
    }
    do { headerDigest = Digest(try SHA256.digest(bytes.span)) } catch { throw .crypto(error) }
  }

  /// A vault whose file `VAULT` was read by other means, or is known from what a slot repeats of it (spec §5.4).
  init(root: consuming Directory, path: [UInt8], header: VaultHeader, headerDigest: Digest) {
    self.root = root
    self.path = path
    self.header = header
    self.headerDigest = headerDigest
  }

  /// Opens a folder of the vault; nil where it is not there.
  package func subfolder(_ name: [UInt8]) throws(StoreError) -> Directory? {
    do {
      guard try root.status(of: name) != nil else { return nil }
      return try Directory(opening: name, in: root)
    } catch {
      throw .system(error, path: name)
    }
  }
}
