import VaultFormat
import VaultStore

/// `recover`: the recovery phrase in, a new passphrase out.
package enum RecoverCommand: Command {
  private static let vault = OperandSpec("VAULT")

  package static let spec = CommandSpec(
    name: "recover", summary: "Set a new passphrase with the recovery phrase.",
    operands: [vault],
    options: [NewSecrets.hint, NewSecrets.label, SlotReplacement.slot] + SecretSources.phraseOptions
      + SecretSources.newPassphraseOptions,
    notes: [
      "The 24 words are asked for, then the new passphrase twice. Capital letters, line breaks and "
        + "words cut to four letters are fine.",
      "It works whatever is damaged of the notes, the index and the passphrase's slot. The new slot "
        + "takes the place of the only passphrase slot; where there are several, --slot names one, "
        + "and without it all stay.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool recover ~/notes.vault", "asks for everything on the terminal"),
      .init(
        "vaulttool recover v --phrase-file words --new-passphrase-file new",
        "asks nothing"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let replacement = try PassphraseReplacement(
      at: arguments.operand(vault), arguments, console, several: .add
    ) { keyless, secrets throws(CommandError) in
      try keyless.beginWithPhrase(&secrets, console)
    }
    let result = replacement.result
    if result.replacement?.undecided.isEmpty == false {
      console.note(
        "the other passphrases still open it: there were several, and --slot did not name one to replace"
      )
    }
    if !result.ended.isEmpty { replacement.writing.sayWhatCopiesOpen("forgotten passphrase") }
    return .done
  }
}
