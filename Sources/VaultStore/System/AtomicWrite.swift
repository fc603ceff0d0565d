/// Saving a file so that its name always holds the old bytes or the new ones, whole.
package enum AtomicWrite {
  /// Writes a new file under a temporary name beside the final one, syncs it, renames it, and syncs
  /// the folder (spec: the commit protocol builds on this sequence, which exists only here).
  ///
  /// On failure before the rename the temporary file is removed and the name keeps what it had. A
  /// failure of the last step, the folder's sync, leaves the new bytes in place.
  /// - Throws: `failed` with `exists` when the temporary name is taken, or when the name is and
  ///   replacing is forbidden; `failed` with another code for each step that does not work.
  package static func save(
    _ bytes: Span<UInt8>, as name: [UInt8], in folder: borrowing Directory,
    mode: UInt32 = 0o600, temporaryName: [UInt8], replacing: Replacing
  ) throws(SystemError) {
    let file = try folder.createFile(temporaryName, mode: mode)
    do {
      try file.write(bytes, at: 0)
      try file.sync()
      try file.close()
      try folder.rename(temporaryName, to: folder, name, replacing: replacing)
    } catch {
      // The first failure is the one to report; a leftover of the second is found by `verify`.
      try? folder.unlink(temporaryName)
      throw error
    }
    try folder.sync()
  }
}
