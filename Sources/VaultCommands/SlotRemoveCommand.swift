import VaultFormat
import VaultStore

/// `slot remove`: ends one passphrase or phrase.
package enum SlotRemoveCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let slot = OperandSpec("SLOT")

  package static let spec = CommandSpec(
    name: "slot remove", summary: "End one passphrase or recovery phrase of a vault.",
    operands: [vault, slot], options: [Confirmation.yes] + SecretSources.options,
    notes: [
      "SLOT is a label or the first digits of a locator, as 'slot list' shows them. Any secret of the "
        + "slot's compartment will do. The last slot of a compartment cannot be removed.",
      "Old copies of the vault still open with what was removed.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [.init("vaulttool slot remove ~/notes.vault phone", "the phone was lost")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let name = arguments.operand(slot)
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    var secrets = try keyless.readSecrets()
    let opened = try SecretChange.finish(try keyless.beginForSlots(&secrets, console))
    let writing = SlotWriting(vault: keyless.folder, console: console)
    let current: OpenedSlots
    do { current = try opened.withoutClosed(in: keyless.snapshot) } catch { throw .store(error) }
    let (entry, compartment) = try find(name, SlotListing(keyless.snapshot), current)
    if isOnlyPhrase(entry, keyless.snapshot) {
      try Confirmation.ask(
        [
          "this is the only recovery phrase: without it a forgotten passphrase cannot be replaced"
        ], arguments, console)
    }
    _ = try writing.commit(opened, in: nil) { _, _ throws(CommandError) in
      [compartment: .init(added: [], ended: [entry.locator])]
    }
    console.note("the slot \(entry.choiceText) no longer opens the vault")
    writing.sayWhatCopiesOpen("secret of that slot")
    return .done
  }

  /// The slot that is meant, in a compartment that the secret opened.
  private static func find(
    _ name: [UInt8], _ listing: SlotListing, _ opened: OpenedSlots
  ) throws(CommandError) -> (SlotEntry, CompartmentID) {
    let own = listing.entries.filter { entry in
      entry.compartment.map { opened.secrets[$0] != nil } ?? false
    }
    do throws(CommandError) {
      let entry = try SlotListing.choose(name, among: own)
      guard let compartment = entry.compartment else { throw CommandError.store(.lastSlot) }
      return (entry, compartment)
    } catch {
      if let other = try? SlotListing.choose(name, among: listing.entries),
        !own.contains(where: { $0.locator == other.locator })
      {
        throw .refused(
          "the secret does not open the compartment of the slot \(other.choiceText)",
          .secretRefused, hint: "give a secret of that compartment")
      }
      throw error
    }
  }

  private static func isOnlyPhrase(_ entry: SlotEntry, _ snapshot: Snapshot) -> Bool {
    guard entry.head?.purpose != .passphrase else { return false }
    return !SlotListing(snapshot).entries.contains {
      $0.compartment == entry.compartment && $0.head?.purpose == .phrase
        && $0.locator != entry.locator
    }
  }
}
