import VaultFormat
import VaultStore

/// `phrase check`: proves that a recovery phrase opens a vault. It is a drill and writes nothing.
package enum PhraseCheckCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let json = OptionSpec.flag("json", help: "Print one JSON object.")

  package static let spec = CommandSpec(
    name: "phrase check",
    summary: "Prove that your recovery phrase opens VAULT; changes nothing.",
    operands: [vault], options: [json] + SecretSources.phraseOptions,
    notes: [
      "The terminal asks word by word: what begins one word alone is completed by Tab, space or "
        + "Enter, Backspace on an empty word goes back, and all 24 words may be pasted at once."
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool phrase check ~/notes.vault", "type the words from your paper, once a year")
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    var secrets = try NewSecrets.read(keyless.sources)
    let phrase = try PresentPhrase.take(from: &secrets, console)
    let opened: OpenedSlots
    do {
      opened = try Unlocking(
        keyless.snapshot.usableSlots, of: keyless.folder.header, with: phrase,
        unreadable: keyless.snapshot.unreadableSlots
      ).finish()
    } catch {
      throw .store(error)
    }
    let leftovers: Set<Locator>
    do { leftovers = try keyless.snapshot.leftoverSlots(in: keyless.folder) } catch {
      throw .store(error)
    }
    let report = PhraseCheckReport(opened, keyless.snapshot, leftovers)
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(report))
      } else {
        for line in report.lines { try console.writeLine(line) }
      }
    } catch {
      throw .output(error)
    }
    for slot in report.slots { warn(of: slot, console) }
    return report.slots.allSatisfy(\.isUnfinished) ? .damaged : .done
  }

  private static func warn(of slot: PhraseCheckReport.Slot, _ console: Console) {
    if slot.isUnfinished {
      console.warn(
        "the slot \(slot.locator.prefix(16)) is of a run that stopped before its end; the next command that writes "
          + "removes it, and then this phrase opens nothing")
      return console.hint(
        "keep the phrase of before: it still counts; to replace it, run the command that stopped again"
      )
    }
    if let present = slot.copies.first, slot.copies.count == 1 {
      let other = present == "index" ? "spare" : "index"
      console.warn("only one copy of this slot is left, \(slot.path(in: present))")
      console.hint("copy it to \(slot.path(in: other)), so that no single file is the only key")
    }
    if !slot.isListed {
      console.warn(
        "the vault's index does not list \(slot.path(in: slot.copies.first ?? "index")): the phrase may have been "
          + "replaced, or segments are missing; 'vaulttool verify' says which")
    }
  }
}

/// What `phrase check` reports: the JSON object `vaulttool-phrase-check/1` (spec/command-line.md).
struct PhraseCheckReport: Encodable {
  /// A slot that the phrase opened.
  struct Slot: Encodable {
    let locator: String
    let label: String?
    let compartment: String
    /// The folders that hold a sound copy: `index`, `spare`.
    let copies: [String]
    /// Whether the index lists the slot as current.
    let isListed: Bool
    /// Whether a run that stopped before its commit has left it.
    let isUnfinished: Bool

    private enum CodingKeys: String, CodingKey {
      case locator, label, compartment, copies
      case isListed = "listed"
      case isUnfinished = "unfinished"
    }

    func path(in folder: String) -> String { "\(folder)/\(locator).slot" }
  }

  let schema = "vaulttool-phrase-check/1"
  let slots: [Slot]
  /// The compartments that the vault's slots and segments name.
  let compartments: [String]

  init(_ opened: OpenedSlots, _ snapshot: Snapshot, _ leftovers: Set<Locator>) {
    var seen: Set<Locator> = []
    slots = opened.slots.filter { seen.insert($0.head.locator).inserted }.map { slot in
      let head = slot.head
      let copies = snapshot.slots.filter { file in
        file.locator == head.locator && opened.slots.contains { $0 == file.slot }
      }
      let index = snapshot.compartments[head.compartment]
      return Slot(
        locator: head.locator.hex, label: head.label, compartment: head.compartment.hex,
        copies: copies.map { $0.isSpare ? "spare" : "index" }.sorted(),
        isListed: index?.slots[head.locator]?.isAlive ?? false,
        isUnfinished: leftovers.contains(head.locator))
    }
    let named = snapshot.usableSlots.map(\.head.compartment) + snapshot.compartments.keys
    compartments = Set(named).sorted().map(\.hex)
  }

  /// The same for people, a line each slot.
  var lines: [String] {
    slots.map { slot in
      let label = slot.label.map { " \(DisplayName($0).quoted)" } ?? ""
      let which =
        compartments.count == 1
        ? "" : ", one of \(compartments.count) compartments (\(slot.compartment))"
      let what =
        slot.isUnfinished
        ? "the phrase belongs to a run that did not finish" : "the phrase opens this vault"
      return "\(what): slot\(label) \(slot.locator.prefix(16))\(which)"
    }
  }
}
