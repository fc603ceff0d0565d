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
        "vaulttool recover notes.vault --phrase-file words.txt --new-passphrase-file pass.txt",
        "asks nothing"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let texts = try SlotTexts(arguments)
    let keyless = try KeylessVault(
      at: arguments.operand(vault), arguments, reading: .slots)
    var secrets = try keyless.readSecrets()
    let pending = try keyless.beginWithPhrase(&secrets, console)
    let writing = SlotWriting(vault: keyless.folder, console: console)
    var change = try SecretChange.passphrase(pending, &secrets, texts, for: writing)
    let session = change.session.take()
    let opened = change.opened
    let result = try writing.replace(
      { listing throws(CommandError) in
        try SlotReplacement(
          of: .passphrase, opened, listing, named: arguments.value(of: SlotReplacement.slot),
          several: .add)
      }, with: change.key, texts, openedBy: opened, in: session)
    console.note("the vault now opens with the new passphrase")
    if result.replacement?.undecided.isEmpty == false {
      console.note(
        "the other passphrases still open it: there were several, and --slot did not name one to replace"
      )
    }
    writing.sayWhichHintWent(result.ended, texts)
    if result.isUnlisted { writing.sayThatTheIndexIsLost() }
    if !result.ended.isEmpty { writing.sayWhatCopiesOpen("forgotten passphrase") }
    return .done
  }
}
