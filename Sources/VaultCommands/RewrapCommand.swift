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
    let replacement = try PassphraseReplacement(
      at: arguments.operand(vault), arguments, console, several: .refuse
    ) { keyless, secrets throws(CommandError) in
      try keyless.beginForSlots(&secrets, console)
    }
    replacement.writing.sayWhatCopiesOpen("old passphrase")
    return .done
  }
}
