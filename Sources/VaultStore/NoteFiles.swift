package import VaultFormat

/// Finds the sealed files of notes: in `notes/`, or staged by a run that did not finish (spec §9).
package enum NoteFiles {
  /// Opens the file of a note in `notes/`.
  /// - Throws: `system`, with `notFound` where there is none.
  package static func open(
    _ note: NoteID, in vault: VaultFolder
  ) throws(StoreError) -> FileDescriptor {
    do {
      let notes = try Directory(opening: Layout.notes, in: vault.root)
      let folder = try Directory(opening: FileNameHex.folder(of: note), in: notes)
      return try folder.openFile(FileNameHex.name(of: note))
    } catch {
      throw .system(error, path: Layout.notePath(note))
    }
  }

  /// The state that is on disk; nil where there is no file or it cannot be read as a sealed file.
  package static func state(of note: NoteID, in vault: VaultFolder) -> State? {
    // Only asked to choose between known states: whatever is wrong with the file shows when it is read.
    guard let file = try? open(note, in: vault), var hasher = try? NoteHasher() else { return nil }
    return try? hasher.state(of: file, note: note, path: Layout.notePath(note))
  }

  /// Opens the file whose state is `digest`: the one in `notes/`, else the one that an unfinished run has staged.
  /// - Throws: `system` where neither is there. Whether the digest holds is for the reader to check.
  package static func openCurrent(
    _ note: NoteID, stagedIn runs: [[UInt8]], in vault: VaultFolder
  ) throws(StoreError) -> FileDescriptor {
    for run in runs {
      let name = FileNameHex.name(of: note)
      do {
        let staging = try Directory(opening: Layout.staging, in: vault.root)
        let folder = try Directory(opening: run, in: staging)
        if try folder.status(of: name) != nil { return try folder.openFile(name) }
      } catch {
        if error.code != .notFound {
          throw .system(error, path: Layout.path(Layout.staging, run, name))
        }
      }
    }
    return try open(note, in: vault)
  }
}
