package import VaultFormat

/// Finds the sealed files of notes in `notes/`. `NoteReaderFiles` also knows those that a run has staged (spec §9).
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
}
