import VaultFormat
import VaultStore

/// `slot add`: one more passphrase for a compartment.
package enum SlotAddCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let compartment = OptionSpec.value(
    "compartment", "ID",
    help: "The first digits of the compartment's id, where the secret opens several.")

  package static let spec = CommandSpec(
    name: "slot add", summary: "Add a passphrase, such as for a device or a person.",
    operands: [vault],
    options: [NewSecrets.label, NewSecrets.hint, compartment] + SecretSources.options
      + SecretSources.newPassphraseOptions,
    notes: [
      "--label is needed; it tells the slots apart and anyone can read it. Whoever has any of the "
        + "passphrases opens the same notes; 'slot remove' ends one of them."
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool slot add ~/notes.vault --label phone", "asks for both passphrases")
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let texts = try SlotTexts(arguments)
    guard let label = texts.label else {
      throw .usage(.refused("give the new slot a name with --label TEXT"))
    }
    let keyless = try KeylessVault(
      at: arguments.operand(vault), arguments, reading: .slots)
    var secrets = try keyless.readSecrets()
    let pending = try keyless.beginForSlots(&secrets, console)
    let writing = SlotWriting(vault: keyless.folder, console: console)
    var change = try SecretChange.passphrase(pending, &secrets, texts, for: writing)
    let session = change.session.take()
    let opened = change.opened
    let outcomes = try writing.commit(opened, in: session) {
      listing, opened throws(CommandError) in
      let id = try chosen(arguments.value(of: compartment), opened)
      let namesakes = listing.entries.filter { $0.compartment == id && $0.head?.label == label }
      guard namesakes.isEmpty else {
        throw SlotListing.refusal("there is a slot with this label", namesakes)
      }
      return [
        id: .init(added: [SlotRequest(change.key, label: label, hint: texts.hint)], ended: [])
      ]
    }
    console.note("the vault now also opens with the new passphrase, \(DisplayName(label).quoted)")
    if outcomes.contains(where: { !$0.isListed }) { writing.sayThatTheIndexIsLost() }
    return .done
  }

  private static func chosen(
    _ name: [UInt8]?, _ opened: OpenedSlots
  ) throws(CommandError) -> CompartmentID {
    let all = opened.secrets.keys.sorted()
    let found = all.filter { id in name.map { Array(id.hex.utf8).starts(with: $0) } ?? true }
    if let only = found.first, found.count == 1 { return only }
    throw .usage(
      .refused(
        "the secret opens \(all.count) compartments; give --compartment: "
          + all.map(\.hex).joined(separator: ", ")))
  }
}
