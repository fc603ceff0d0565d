import VaultFormat
import VaultStore

/// `slot list`: which passphrases and phrases open a vault, as far as anyone can see.
package enum SlotListCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let json = OptionSpec.flag("json", help: "Print one JSON object.")

  package static let spec = CommandSpec(
    name: "slot list", summary: "List the key slots of a vault; needs no secret.",
    operands: [vault], options: [json],
    statuses: [.damaged, .newerVersion],
    examples: [.init("vaulttool slot list ~/notes.vault", "labels, hints and what is missing")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let snapshot: Snapshot
    do {
      let folder = try VaultFolder(path: arguments.operand(vault))
      snapshot = try Snapshot.load(folder, bounds: .standard)
    } catch {
      throw .store(error)
    }
    let entries = SlotListing(snapshot).entries
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(SlotListReport(entries)))
      } else {
        for line in SlotListReport.lines(entries) { try console.writeLine(line) }
      }
    } catch {
      throw .output(error)
    }
    return VaultAccess.report(snapshot.findings, console)
  }
}

/// The JSON object `vaulttool-slots/1` (spec/command-line.md).
struct SlotListReport: Encodable {
  struct Slot: Encodable {
    let locator: String
    let purpose: String?
    let iterations: UInt32?
    let label: String?
    let hint: String?
    let compartment: String?
    let listed: Bool
    let inIndex: Bool
    let spare: Bool
  }

  let schema = "vaulttool-slots/1"
  let slots: [Slot]

  init(_ entries: [SlotEntry]) {
    slots = entries.map { entry in
      Slot(
        locator: entry.locator.hex, purpose: entry.head?.purpose.text,
        iterations: entry.head?.iterations, label: entry.head?.label, hint: entry.head?.hint,
        compartment: entry.compartment?.hex, listed: entry.isListed, inIndex: entry.isInIndex,
        spare: entry.hasSpare)
    }
  }

  /// The same for people: a line for each compartment, and one for each of its slots.
  static func lines(_ entries: [SlotEntry]) -> [String] {
    var lines: [String] = []
    var last: CompartmentID??
    for entry in entries {
      if last != .some(entry.compartment) {
        lines.append("compartment  \(entry.compartment?.hex ?? "not known")")
        last = .some(entry.compartment)
      }
      lines.append(line(entry))
    }
    return lines
  }

  private static func line(_ entry: SlotEntry) -> String {
    var parts: [String] = []
    if let head = entry.head {
      parts.append("\(head.purpose.text), \(head.iterations) iterations")
      if let label = head.label { parts.append("label \(DisplayName(label).quoted)") }
      if let hint = head.hint { parts.append("hint \(DisplayName(hint).quoted)") }
    } else {
      parts.append(entry.isPassedOver ? "made by a newer version" : "cannot be read")
    }
    if !entry.isListed { parts.append("not listed") }
    if !entry.isInIndex { parts.append("missing in index/") }
    if !entry.hasSpare { parts.append("no equal spare") }
    return "  \(entry.shortName)   \(parts.joined(separator: ", "))"
  }
}

extension SlotPurpose {
  /// What reports call it.
  var text: String {
    switch self {
    case .passphrase: "passphrase"
    case .phrase: "phrase"
    }
  }
}
