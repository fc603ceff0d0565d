internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// What lies directly in the vault's folder and in `kit/`, by names (spec §2). Sealed files, slots and segments are for
/// others to read.
struct VerifyTopLevel: Sendable {
  private(set) var findings: [Finding] = []
  private(set) var unchecked: [VerifyReport.Unchecked] = []
  /// Companions that can be read, by their paths.
  private(set) var companions: [[UInt8]: CompanionOnDisk] = [:]
  /// Paths at which something is that can be read as nothing else; there is a finding for each.
  private(set) var unusable: Set<[UInt8]> = []
  private(set) var hasNotes = false
  private(set) var hasStaging = false

  /// A companion's file.
  struct CompanionOnDisk: Sendable {
    let bytes: [UInt8]
    let state: State
  }

  /// - Throws: `system` when the vault's folder cannot be listed; `crypto`.
  init(of root: borrowing Directory) throws(StoreError) {
    let entries: [DirectoryEntry]
    do { entries = try root.entries() } catch { throw .system(error, path: []) }
    let isRepository = entries.contains { $0.name == Layout.git }
    for entry in entries { try take(entry.name, in: root, isRepository: isRepository) }
  }

  private mutating func take(
    _ name: [UInt8], in root: borrowing Directory, isRepository: Bool
  ) throws(StoreError) {
    switch name {
    case Layout.header:
      break
    case Layout.index, Layout.spare, Layout.notes, Layout.staging, Layout.local, Layout.kit:
      try takeFolder(name, in: root)
    case _ where Layout.topCompanions.contains(name):
      try takeCompanion(name, name, in: root)
    case Layout.git:
      break
    case _ where Layout.passedOver.contains(name):
      _ = try kind(of: name, in: root, mustBe: .regular)
    case _ where isRepository && Layout.repositoryNames.contains(name):
      findings.append(Finding(.notChecked, name, "a file of the repository; it was not checked"))
      unchecked.append(.repositoryFile(name))
    default:
      findings.append(Finding.foreign(name, at: name))
    }
  }

  private mutating func takeFolder(
    _ name: [UInt8], in root: borrowing Directory
  ) throws(StoreError) {
    // What is wrong with these two is said where their files are read.
    if name == Layout.index || name == Layout.spare { return }
    guard try kind(of: name, in: root, mustBe: .folder) else { return }
    switch name {
    case Layout.notes: hasNotes = true
    case Layout.staging: hasStaging = true
    case Layout.local: unchecked.append(.localFolder)
    case Layout.kit: try takeKit(in: root)
    default: break
    }
  }

  private mutating func takeKit(in root: borrowing Directory) throws(StoreError) {
    let kit: ListedFolder
    do { kit = try ListedFolder(try Directory(opening: Layout.kit, in: root)) } catch {
      return reject(Finding(error, at: Layout.kit))
    }
    for entry in kit.entries {
      let path = Layout.path(Layout.kit, entry.name)
      if CompanionPath.isCompanion(path) {
        try takeCompanion(entry.name, path, in: kit.folder)
      } else {
        findings.append(Finding.foreign(entry.name, at: path))
      }
    }
  }

  private mutating func takeCompanion(
    _ name: [UInt8], _ path: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) {
    if Finding.foreign(name, at: path).code == .notDownloaded {
      return findings.append(Finding.foreign(name, at: path))
    }
    let bytes: [UInt8]
    do {
      bytes = try folder.readWhole(name, limit: Limits.companionFileByteCount)
    } catch {
      return reject(Finding(error, at: path))
    }
    do {
      let digest = Digest(try SHA256.digest(bytes.span))
      companions[path] = CompanionOnDisk(
        bytes: bytes, state: .file(digest, byteCount: UInt64(bytes.count)))
    } catch {
      throw .crypto(error)
    }
  }

  /// Whether an entry is what its name asks for; a finding where it is not.
  private mutating func kind(
    of name: [UInt8], in root: borrowing Directory, mustBe expected: FileKind
  ) throws(StoreError) -> Bool {
    let found: FileKind?
    do { found = try root.status(of: name)?.kind } catch {
      reject(Finding(error, at: name))
      return false
    }
    guard let found, found != expected else { return found != nil }
    reject(
      Finding(
        .notARegularFile, name, "\(found) where a \(expected) belongs",
        expected: "\(expected)", found: "\(found)"))
    return false
  }

  private mutating func reject(_ finding: Finding) {
    findings.append(finding)
    unusable.insert(finding.path)
  }
}
