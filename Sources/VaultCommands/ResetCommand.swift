import VaultFormat
import VaultStore

/// `reset`: a new compartment for new notes, when nobody has the passphrase or the phrase any more.
package enum ResetCommand: Command {
  private static let vault = OperandSpec("VAULT")

  package static let spec = CommandSpec(
    name: "reset",
    summary: "Start anew beside notes that nobody can open: new passphrase, new phrase.",
    operands: [vault],
    options: [NewSecrets.hint, NewSecrets.label, NewPhrase.out, Confirmation.yes]
      + SecretSources.newPassphraseOptions,
    notes: [
      "For a forgotten passphrase without the recovery phrase. The old notes stay as they are, and "
        + "open with the old passphrase whenever it is remembered. New notes go where the new "
        + "passphrase opens.",
      "With the recovery phrase at hand 'vaulttool recover' is the better way: it opens everything.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [.init("vaulttool reset ~/notes.vault", "asks for everything on the terminal")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let texts = try SlotTexts(arguments)
    let phrase = try NewPhrase(arguments, console, vault: arguments.operand(vault))
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    var secrets = try keyless.readSecrets()
    try Confirmation.ask(warnings(keyless.snapshot), arguments, console)
    let header = keyless.folder.header
    let derivation = try SecretChange.begin(&secrets, texts, for: header, console)
    let passphrase = SlotRequest(
      try SecretChange.finish(derivation), label: texts.label, hint: texts.hint)
    let creation = try phrase.make { secret throws(CommandError) in
      let key = try SecretChange.finish(try SecretChange.derive(secret, for: header))
      let creation: CompartmentCreation
      do throws(StoreError) {
        creation = try CompartmentCreation(
          in: keyless.folder, passphrase: passphrase,
          phrase: SlotRequest(key, label: nil, hint: nil), bounds: .standard)
      } catch {
        throw CommandError.store(error)
      }
      try SlotWriting(vault: keyless.folder, console: console).commit(creation)
      return creation
    }
    console.note("new notes are sealed under the new passphrase")
    console.note("signer fingerprint of the new compartment: \(creation.signer.hex)")
    return .done
  }

  private static func warnings(_ snapshot: Snapshot) -> [String] {
    let count = snapshot.compartments.values.reduce(0) { $0 + $1.aliveCount }
    let locked =
      switch count {
      case 0: "the notes that are there will stay locked: they stay as they are, and open"
      case 1: "1 note will stay locked: it stays as it is, and opens"
      default: "\(count) notes will stay locked: they stay as they are, and open"
      }
    return [
      "\(locked) with the old passphrase whenever it is remembered",
      "with the recovery phrase 'vaulttool recover' is the better way: it opens everything",
    ]
  }
}
