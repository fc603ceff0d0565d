import VaultFormat
import VaultStore

/// A vault as anyone can read it, and where its secret will come from.
struct KeylessVault {
  let folder: VaultFolder
  let snapshot: Snapshot
  let sources: SecretSources

  /// How much of the index is read.
  enum Reading {
    case all
    /// Only what a secret is tried on; the rest is read while keys are derived.
    case slots
  }

  /// Takes the secret's source out of the arguments and reads the vault at a path.
  init(
    at path: [UInt8], _ arguments: ArgumentReader, reading: Reading = .all
  ) throws(CommandError) {
    do { sources = try SecretSources(parsing: arguments) } catch { throw .usage(error) }
    do {
      folder = try VaultFolder(path: path)
      snapshot =
        switch reading {
        case .all: try Snapshot.load(folder, bounds: .standard)
        case .slots: try Snapshot.loadSlots(folder, bounds: .standard)
        }
    } catch {
      throw .store(error)
    }
  }

  /// Opens it with the secret of the command line or of a person.
  func unlock(_ console: Console) throws(CommandError) -> UnlockedVault {
    try VaultAccess.unlock(folder, snapshot, sources, console)
  }
}

// MARK: - For commands that change slots

extension KeylessVault {
  /// Reads what the options name, the new secrets too.
  func readSecrets() throws(CommandError) -> Secrets {
    try VaultAccess.requireOneSecret(sources)
    return try NewSecrets.read(sources)
  }

  /// Starts to open it with the present secret, keeping the master keys that new slots wrap.
  func beginForSlots(
    _ secrets: inout Secrets, _ console: Console
  ) throws(CommandError) -> VaultAccess.Pending {
    try VaultAccess.begin(
      folder, snapshot, from: &secrets, console, keepingMasterKeys: true)
  }

  /// The same with a recovery phrase and nothing else.
  func beginWithPhrase(
    _ secrets: inout Secrets, _ console: Console
  ) throws(CommandError) -> VaultAccess.Pending {
    let phrase = HeldSecret(try PresentPhrase.take(from: &secrets, console))
    secrets.held = [phrase]
    return try VaultAccess.begin(folder, snapshot, with: [phrase], keepingMasterKeys: true)
  }
}
