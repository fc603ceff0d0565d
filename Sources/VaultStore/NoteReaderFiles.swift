internal import Synchronization
internal import VaultFormat

/// The sealed files of a vault as readers open them, for many notes and several workers: folders stay open, and a file
/// that an unfinished run has staged counts if it is the listed one (spec §9).
package final class NoteReaderFiles: Sendable {
  /// How many folders stay open at most: what the system leaves has to do for everything else.
  private let openFolderLimit = min(64, OpenFiles.limit / 4)

  private let vault: VaultFolder
  private let notes: Folder?
  /// The folders of `notes/` by their names.
  private let folders = Mutex<[[UInt8]: Folder]>([:])
  /// Folders of committed runs in `staging/`; nearly always none.
  private let runs: [[UInt8]]

  private final class Folder: Sendable {
    let directory: Directory
    init(_ directory: consuming Directory) { self.directory = directory }
  }

  /// - Throws: `system` where `notes/` or `staging/` cannot be opened; neither has to be there.
  package init(_ vault: VaultFolder) throws(StoreError) {
    self.vault = vault
    if let notes = try vault.subfolder(Layout.notes) {
      self.notes = Folder(notes)
    } else {
      notes = nil
    }
    runs = try Self.committedRuns(in: vault)
  }

  /// The folders in `staging/` that a committed run may have left. Whether one counts is asked for each note: its
  /// staged file must be the listed one.
  private static func committedRuns(in vault: VaultFolder) throws(StoreError) -> [[UInt8]] {
    guard let staging = try vault.subfolder(Layout.staging) else { return [] }
    do {
      return try staging.entries().map(\.name).filter { SegmentID(hex: $0.span) != nil }
    } catch {
      throw .system(error, path: Layout.staging)
    }
  }

  /// Opens the file of a note for `NoteReader`.
  /// - Throws: `system`, with `notFound` where there is none.
  package func open(_ note: NoteInfo) throws(StoreError) -> FileDescriptor {
    for run in runs {
      if let file = try openStaged(note, in: run) { return file }
    }
    let name = FileNameHex.name(of: note.id)
    do {
      return try folder(FileNameHex.folder(of: note.id)).directory.openFile(name)
    } catch {
      throw .system(error, path: Layout.notePath(note.id))
    }
  }

  private func folder(_ name: [UInt8]) throws(SystemError) -> Folder {
    guard let notes else { throw SystemError(call: "openat", code: .notFound) }
    return try folders.withLock { (folders) throws(SystemError) -> Folder in
      if let folder = folders[name] { return folder }
      if folders.count >= openFolderLimit { folders.removeAll() }
      let folder = Folder(try Directory(opening: name, in: notes.directory))
      folders[name] = folder
      return folder
    }
  }

  /// The staged file of a note, if there is one and it is what the index lists.
  private func openStaged(_ note: NoteInfo, in run: [UInt8]) throws(StoreError) -> FileDescriptor? {
    let name = FileNameHex.name(of: note.id)
    let path = Layout.path(Layout.staging, run, name)
    do {
      let folder = try Directory(
        opening: run, in: try Directory(opening: Layout.staging, in: vault.root))
      guard try folder.status(of: name)?.kind == .regular else { return nil }
      var hasher = try NoteHasher()
      // A staged file that cannot be read is not the listed one; the one in `notes/` may be.
      let state = try? hasher.state(of: try folder.openFile(name), note: note.id, path: path)
      guard state == .file(note.digest, byteCount: note.sealedByteCount) else { return nil }
      return try folder.openFile(name)
    } catch let error as SystemError {
      if error.code == .notFound || error.code == .notAFolder { return nil }
      throw .system(error, path: path)
    } catch {
      throw error as? StoreError ?? .changedMeanwhile
    }
  }
}
