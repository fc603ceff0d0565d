internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// A folder that several threads reach from.
final class SharedFolder: Sendable {
  let folder: Directory
  init(_ folder: consuming Directory) { self.folder = folder }
}

/// An open folder and what it holds.
struct ListedFolder: ~Copyable {
  let folder: Directory
  let entries: [DirectoryEntry]

  init(_ folder: consuming Directory) throws(SystemError) {
    entries = try folder.entries()
    self.folder = folder
  }
}

/// What a verification stands on: `VAULT`, or what the slots repeat of it, and the index.
struct VerifyBase: Sendable {
  let root: SharedFolder
  /// Nil where neither `VAULT` nor any slot says which vault this is; then `snapshot` is empty.
  let vault: VaultFolder?
  let snapshot: Snapshot
  /// Whether `index/` could be listed.
  let indexIsRead: Bool
  /// About `VAULT`, `index/` and `spare/`, each file by itself.
  let findings: [Finding]

  /// Reads `VAULT`, the slots and the segments.
  /// - Throws: `notAVault`, `changedMeanwhile`, `crypto`, `system` for the vault's folder itself.
  static func load(path: [UInt8], bounds: KDFBounds) throws(StoreError) -> VerifyBase {
    let loader: Loader
    do {
      loader = Loader(root: SharedFolder(try Directory(path: path)), path: path, bounds: bounds)
    } catch {
      if error.code == .notFound || error.code == .notAFolder { throw .notAVault(path: path) }
      throw .system(error, path: path)
    }
    return try loader.load()
  }

  fileprivate init(
    _ root: SharedFolder, _ vault: VaultFolder?, _ index: Index, findings: [Finding]
  ) {
    self.root = root
    self.vault = vault
    snapshot = index.snapshot
    indexIsRead = index.isRead
    self.findings = findings
  }

  fileprivate struct Index {
    let snapshot: Snapshot
    let isRead: Bool

    /// Whether segments are there and none fits the vault that `VAULT` names.
    var fitsNothing: Bool { snapshot.segmentCount > 0 && snapshot.compartments.isEmpty }
    var namesOtherHeader: Bool { snapshot.findings.contains { $0.code == .headerDiffers } }
  }

  private struct Loader {
    let root: SharedFolder
    let path: [UInt8]
    let bounds: KDFBounds

    func load() throws(StoreError) -> VerifyBase {
      switch try VerifyVaultFile(in: root.folder, path: path) {
      case .sound(let header, let digest): try load(header, digest)
      case .unusable(let finding, let digest): try load(instead: finding, digest)
      }
    }

    private func load(_ header: VaultHeader, _ digest: Digest) throws(StoreError) -> VerifyBase {
      let vault = try folder(header, digest)
      let index = try self.index(of: vault)
      if index.fitsNothing || index.namesOtherHeader,
        let repeated = VerifyVaultFile.repeated(bySlotsIn: root.folder, bounds: bounds),
        repeated.vaultID != header.vaultID || repeated.vaultSalt != header.vaultSalt
          || repeated.firstCompartment != header.firstCompartment
      {
        // Either the slots or VAULT came from elsewhere: the segments decide.
        let other = try folder(repeated, digest)
        let otherIndex = try self.index(of: other)
        if !otherIndex.fitsNothing {
          return VerifyBase(root, other, otherIndex, findings: otherIndex.findings)
        }
      }
      return VerifyBase(root, vault, index, findings: index.findings)
    }

    /// Goes on with what the slots repeat.
    private func load(instead finding: Finding, _ digest: Digest?) throws(StoreError) -> VerifyBase
    {
      guard let header = VerifyVaultFile.repeated(bySlotsIn: root.folder, bounds: bounds) else {
        return VerifyBase(root, nil, .empty(isRead: true), findings: [finding])
      }
      let expected = try self.digest(of: header)
      let vault = try folder(header, digest ?? expected)
      let index = try self.index(of: vault)
      // A VAULT that a newer version wrote is the one that the segments name; else it was altered.
      let isNewer = finding.code == .newerVersion
      return VerifyBase(
        root, vault, index,
        findings: [finding] + index.findings.filter { isNewer || $0.code != .headerDiffers })
    }

    private func folder(_ header: VaultHeader, _ digest: Digest) throws(StoreError) -> VaultFolder {
      do {
        return VaultFolder(
          root: try root.folder.reopened(), path: path, header: header, headerDigest: digest)
      } catch {
        throw .system(error, path: path)
      }
    }

    private func digest(of header: VaultHeader) throws(StoreError) -> Digest {
      do { return Digest(try SHA256.digest(header.encoded().span)) } catch { throw .crypto(error) }
    }

    private func index(of vault: VaultFolder) throws(StoreError) -> Index {
      do {
        return Index(snapshot: try Snapshot.load(vault, bounds: bounds), isRead: true)
      } catch {
        guard case .system(let cause, let path) = error else { throw error }
        return .empty(isRead: false, findings: [Finding(cause, at: path)])
      }
    }
  }
}

extension VerifyBase.Index {
  fileprivate static func empty(isRead: Bool, findings: [Finding] = []) -> Self {
    Self(
      snapshot: Snapshot(
        slots: [], compartments: [:], handOvers: HandOvers(), handedOverSegments: [],
        indexNames: [], findings: findings, segmentCount: 0,
        readFileCount: 0, readByteCount: 0),
      isRead: isRead)
  }

  fileprivate var findings: [Finding] { snapshot.findings }
}
