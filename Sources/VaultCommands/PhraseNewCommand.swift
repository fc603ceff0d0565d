import VaultFormat
import VaultStore

/// `phrase new`: another recovery phrase in place of the old one.
package enum PhraseNewCommand: Command {
  private static let vault = OperandSpec("VAULT")

  package static let spec = CommandSpec(
    name: "phrase new", summary: "Replace the recovery phrase by a new one.",
    operands: [vault], options: [NewPhrase.out, SlotReplacement.slot] + SecretSources.options,
    notes: [
      "The passphrase or the old phrase is asked for. The new phrase is shown once, and two of its "
        + "words are asked back before the old one ends.",
      "Old copies of the vault still open with the old phrase.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool phrase new ~/notes.vault", "the paper was lost, or somebody saw it")
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let phrase = try NewPhrase(arguments, console, vault: arguments.operand(vault))
    let name = arguments.value(of: SlotReplacement.slot)
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    var secrets = try keyless.readSecrets()
    let opened = try SecretChange.finish(try keyless.beginForSlots(&secrets, console))
    // A name that fits no slot is refused before a phrase is shown.
    let current: OpenedSlots
    do { current = try opened.withoutClosed(in: keyless.snapshot) } catch { throw .store(error) }
    _ = try SlotReplacement(
      of: .phrase, current, SlotListing(keyless.snapshot), named: name, several: .refuse)
    let writing = SlotWriting(vault: keyless.folder, console: console)
    let result = try phrase.make { secret throws(CommandError) in
      let key = try SecretChange.finish(
        try SecretChange.derive(secret, for: keyless.folder.header))
      return try writing.replace(
        { listing, opened throws(CommandError) in
          try SlotReplacement(of: .phrase, opened, listing, named: name, several: .refuse)
        }, with: key, nil, openedBy: opened, in: nil)
    }
    console.note("the new recovery phrase opens the vault")
    if result.isUnlisted { writing.sayThatTheIndexIsLost() }
    if !result.ended.isEmpty {
      console.note("the old phrase no longer opens the vault as it is now; destroy its paper")
      writing.sayWhatCopiesOpen("old phrase")
    }
    return .done
  }
}
