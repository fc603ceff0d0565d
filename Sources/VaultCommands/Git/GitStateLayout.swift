import VaultFormat
import VaultStore

/// Writes the files of one state into a private folder, one after the other.
final class GitStateLayout {
  /// A sealed file may have any size that a disk holds.
  private static let sealedByteCount = 1 << 40

  /// The most bytes of all files of `index/` together.
  private static let indexByteCount: UInt64 = 1 << 32

  private let root: Directory
  /// The folder of the last file, and its path.
  private var folder: Directory
  private var folderPath: [[UInt8]] = []
  /// The file that is being written, with its path, how much of it is there and how much may be.
  private var file: FileDescriptor?
  private var path: [UInt8] = []
  private var written: UInt64 = 0
  private var limit: UInt64 = 0
  /// Bytes of `index/` so far.
  private var indexed: UInt64 = 0

  init(in root: consuming Directory) throws(SystemError) {
    folder = try root.reopened()
    self.root = root
  }

  /// The next file begins.
  func begin(_ file: GitFile) throws(GitStateError) {
    (path, written, limit) = (file.path, 0, UInt64(Self.byteLimit(file.path)))
    do throws(SystemError) {
      let name = try enterFolder(of: file.path)
      self.file = try folder.createFile(name)
    } catch {
      throw Self.failure(error, file.path)
    }
  }

  /// A piece of the file; what is beyond its limit is dropped.
  func take(_ piece: Span<UInt8>) throws(GitStateError) {
    if Interruption.isRequested { throw .store(.interrupted) }
    let count = Int(min(UInt64(piece.count), limit - written))
    if path.starts(with: Layout.index) {
      indexed += UInt64(count)
      guard indexed <= Self.indexByteCount else { throw .tooLarge }
    }
    do {
      try file?.write(piece.extracting(first: count), at: written)
    } catch {
      throw Self.failure(error, path)
    }
    written += UInt64(count)
  }

  /// The file is complete.
  func end() throws(GitStateError) {
    do { try file.take()?.close() } catch { throw Self.failure(error, path) }
  }

  /// Lays out what is not read: a link that leads nowhere, an empty folder for a submodule, an empty file.
  func stub(_ file: GitFile) throws(GitStateError) {
    do throws(SystemError) {
      let name = try enterFolder(of: file.path)
      switch file.kind {
      case .regular: try folder.createFile(name).close()
      case .link: try folder.makeSymbolicLink(name, target: Array("nowhere".utf8))
      case .submodule: try folder.makeDirectory(name)
      }
    } catch {
      throw Self.failure(error, file.path)
    }
  }

  /// Makes the folders of a path and opens the last; its last component is returned.
  private func enterFolder(of path: [UInt8]) throws(SystemError) -> [UInt8] {
    var parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map(Array.init)
    let name = parts.popLast() ?? []
    if parts == folderPath { return name }
    folder = try root.reopened()
    folderPath = []
    for part in parts {
      if try folder.status(of: part) == nil { try folder.makeDirectory(part) }
      folder = try Directory(opening: part, in: folder)
      folderPath.append(part)
    }
    return name
  }

  private static func failure(_ error: SystemError, _ path: [UInt8]) -> GitStateError {
    switch error.code {
    case .exists?, .invalid?, .nameTooLong?, .notAFolder?, .link?: .unusableName(path)
    default: .store(.system(error, path: path))
    }
  }

  /// The most bytes that are taken of a file, by its path in the vault: one more than it can have, so that a longer one
  /// is found; 0 for a name that no file of a vault has.
  static func byteLimit(_ path: [UInt8]) -> Int {
    let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map(Array.init)
    guard let name = parts.last else { return 0 }
    switch (parts.count, parts[0]) {
    case (1, Layout.header): return Limits.vaultFileByteCount + 1
    case (1, _) where Layout.topCompanions.contains(name):
      return Limits.companionFileByteCount + 1
    case (2, Layout.kit) where CompanionPath.isCompanion(path):
      return Limits.companionFileByteCount + 1
    case (2, Layout.index) where FileNameHex.segmentID(name) != nil:
      return SegmentFile.mostByteCount + 1
    case (2, Layout.index) where FileNameHex.locator(name) != nil,
      (2, Layout.spare) where FileNameHex.locator(name) != nil:
      return Limits.slotFileByteCount + 1
    case (3, Layout.notes) where FileNameHex.noteID(name) != nil: return sealedByteCount
    case (2...3, Layout.staging) where FileNameHex.noteID(name) != nil: return sealedByteCount
    case (3, Layout.staging) where Layout.runFiles.contains(name):
      return SegmentFile.mostByteCount + 1
    default: return 0
    }
  }
}
