import VaultCrypto
import VaultStore

/// The file that `--phrase-out` names.
enum PhraseFile {
  /// Writes the phrase and a line end to a new file of mode 0600 and syncs it.
  static func write(_ words: borrowing SecretBytes, to path: [UInt8]) throws(CommandError) {
    let (parent, name) = Directory.split(path)
    guard let name else { throw .store(.exists(path: path)) }
    do throws(SystemError) {
      let folder = try Directory(path: parent)
      let file = try folder.createFile(name, mode: 0o600)
      do {
        try words.withBytes { bytes throws(SystemError) in try file.write(bytes, at: 0) }
        let end: [UInt8] = [0x0A]
        try file.write(end.span, at: UInt64(words.count))
        try file.sync()
        try file.close()
        try folder.sync()
      } catch {
        // The first failure is the one to report.
        try? folder.unlink(name)
        throw error
      }
    } catch {
      throw error.code == .exists ? exists(path) : .store(.system(error, path: path))
    }
  }

  /// Says early that there is something at the path. `write` is what makes sure.
  static func requireNone(at path: [UInt8]) throws(CommandError) {
    let (parent, name) = Directory.split(path)
    guard let name else { throw .store(.exists(path: path)) }
    let isThere: Bool
    do throws(SystemError) {
      isThere = try Directory(path: parent).status(of: name) != nil
    } catch {
      throw .store(.system(error, path: path))
    }
    if isThere { throw exists(path) }
  }

  private static func exists(_ path: [UInt8]) -> CommandError {
    .usage(
      .refused(
        "\(DisplayName(path)) exists; --phrase-out takes the name of a new file ('vaulttool phrase check' "
          + "tells whether a phrase of an earlier run opens the vault)"))
  }

  /// Removes the file again when no vault came of it.
  static func remove(_ path: [UInt8]) {
    let (parent, name) = Directory.split(path)
    guard let name else { return }
    // Nothing more can be done: the phrase that is left opens nothing.
    try? Directory(path: parent).unlink(name)
  }
}
