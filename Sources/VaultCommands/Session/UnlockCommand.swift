import VaultFormat
import VaultStore

/// `unlock`: keeps a vault open for a while.
package enum UnlockCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let timeout = OptionSpec.value(
    "timeout", "MINUTES",
    help: "How long after its last use the vault is locked again: \(Session.minutes.lowerBound) to "
      + "\(Session.minutes.upperBound), \(Session.usualMinutes) if this is not given.")

  package static let spec = CommandSpec(
    name: "unlock", summary: "Keep a vault unlocked for a while.",
    operands: [vault], options: [timeout] + SecretSources.severalOptions,
    notes: [
      "The key, never the passphrase, goes into the key ring of the system, and only your own "
        + "processes can use it: commands that read, pack or merge then ask for nothing. Commands "
        + "that change passphrases or phrases still ask. Notes under another passphrase stay locked.",
      "'vaulttool lock' ends it, and so does a restart of the machine.",
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool unlock ~/notes.vault", "asks once, then not for a while"),
      .init("vaulttool unlock --timeout 3 ~/notes.vault", "locked 3 minutes after the last use"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let minutes: Int
    do { minutes = try Self.minutes(arguments) } catch { throw .usage(error) }
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    // Before anybody types a passphrase for nothing.
    do { _ = try Session.all() } catch { throw refusal(error) }
    var secrets = try NewSecrets.read(keyless.sources)
    let pending = try VaultAccess.begin(
      keyless.folder, keyless.snapshot, from: &secrets, console, keepingMasterKeys: true)
    let opened = try SecretChange.finish(pending)
    let compartments = keyless.snapshot.compartments
    let ended = keyless.snapshot.handOvers.closed.keys.filter { compartments[$0] == nil }
    // A path is only for people; without `/proc` there is none.
    let path = (try? keyless.folder.root.absolutePath()) ?? []
    let unlocked: [CompartmentID]
    do {
      unlocked = try Session.open(opened, except: ended, minutes: minutes, path: path)
    } catch {
      throw refusal(error)
    }
    guard !unlocked.isEmpty else {
      throw .refused(
        "this vault was re-keyed, and the secret is one of before", .secretRefused, hint: nil)
    }
    let locked = compartments.keys.count { !unlocked.contains($0) }
    if locked > 0 {
      console.note(
        "\(locked) other \(locked == 1 ? "compartment stays" : "compartments stay") locked")
    }
    console.note(
      "unlocked until \(minutes) \(minutes == 1 ? "minute" : "minutes") after the last use; "
        + "'vaulttool lock' ends it")
    return VaultAccess.report(keyless.snapshot.findings, console)
  }

  private static func minutes(_ arguments: ArgumentReader) throws(UsageError) -> Int {
    guard let text = try arguments.text(of: timeout) else { return Session.usualMinutes }
    guard let minutes = Int(text), Session.minutes.contains(minutes) else {
      throw .invalidValue(
        option: timeout.name,
        expected: "whole minutes, \(Session.minutes.lowerBound) to \(Session.minutes.upperBound)")
    }
    return minutes
  }

  /// What is said where the key ring takes no key: nothing is kept elsewhere instead.
  private static func refusal(_ error: StoreError) -> CommandError {
    guard case .system(let cause, _) = error else { return .store(error) }
    guard cause.isKeyRingMissing else {
      return .refused("the key ring of the system takes no key: \(cause)", .failed, hint: nil)
    }
    return .refused(
      "the system gives this process no key ring (\(cause)), so no vault can stay unlocked",
      .failed,
      hint: "nothing was stored; every command asks for the secret as always")
  }
}
