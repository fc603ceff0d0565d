import VaultFormat
import VaultStore

/// A vault as anyone can read it, and where its secret will come from.
struct KeylessVault {
  let folder: VaultFolder
  let snapshot: Snapshot
  let sources: SecretSources

  /// Takes the secret's source out of the arguments and reads the vault at a path.
  init(at path: [UInt8], _ arguments: ArgumentReader) throws(CommandError) {
    do { sources = try SecretSources(parsing: arguments) } catch { throw .usage(error) }
    do {
      folder = try VaultFolder(path: path)
      snapshot = try Snapshot.load(folder, bounds: .standard)
    } catch {
      throw .store(error)
    }
  }

  /// Opens it with the secret of the command line or of a person.
  func unlock(_ console: Console) throws(CommandError) -> UnlockedVault {
    try VaultAccess.unlock(folder, snapshot, sources, console)
  }
}
