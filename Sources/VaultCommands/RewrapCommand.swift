import VaultFormat
import VaultStore

/// `rewrap`: another passphrase for the same keys.
package enum RewrapCommand: Command {
  private static let vault = OperandSpec("VAULT")

  package static let spec = CommandSpec(
    name: "rewrap", summary: "Change the passphrase; no note is touched.",
    operands: [vault],
    options: [NewSecrets.hint, NewSecrets.label, SlotReplacement.slot] + SecretSources.options
      + SecretSources.newPassphraseOptions,
    notes: [
      "The present passphrase is asked for, then the new one twice. Every slot that the present one "
        + "opens is replaced. With the recovery phrase in its place the only passphrase slot is "
        + "replaced; where there are several, --slot names one.",
      "The slot's label stays unless --label gives another; its hint goes unless --hint gives a new one.",
      "Old copies of the vault still open with the old passphrase.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [.init("vaulttool rewrap ~/notes.vault", "asks for everything on the terminal")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let texts = try SlotTexts(arguments)
    let keyless = try KeylessVault(
      at: arguments.operand(vault), arguments, reading: .slots)
    var secrets = try keyless.readSecrets()
    let pending = try keyless.beginForSlots(&secrets, console)
    let writing = SlotWriting(vault: keyless.folder, console: console)
    var change = try SecretChange.passphrase(pending, &secrets, texts, for: writing)
    let session = change.session.take()
    let opened = change.opened
    let result = try writing.replace(
      { listing throws(CommandError) in
        try SlotReplacement(
          of: .passphrase, opened, listing, named: arguments.value(of: SlotReplacement.slot),
          several: .refuse)
      }, with: change.key, texts, openedBy: opened, in: session)
    console.note("the vault now opens with the new passphrase")
    writing.sayWhichHintWent(result.ended, texts)
    if result.isUnlisted { writing.sayThatTheIndexIsLost() }
    writing.sayWhatCopiesOpen("old passphrase")
    return .done
  }
}
