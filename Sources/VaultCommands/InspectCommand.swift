import VaultFormat
import VaultStore

/// `inspect`: the public structure of one file of a vault.
package enum InspectCommand: Command {
  private static let file = OperandSpec("FILE")
  private static let json = OptionSpec.flag(
    "json", help: "Print one JSON object, with every entry of a segment and every chunk's place.")

  package static let spec = CommandSpec(
    name: "inspect",
    summary: "Show the public structure of one file of a vault, with byte offsets.",
    operands: [file], options: [json],
    notes: [
      "Nothing is decrypted and nothing that is shown is proved: 'vaulttool verify' checks a whole "
        + "vault."
    ],
    statuses: [.damaged, .newerVersion],
    examples: [
      .init("vaulttool inspect ~/notes.vault/VAULT", "vault id, salt and first compartment"),
      .init("vaulttool inspect --json index/39a5….seg", "a segment with all its entries"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let inspection: Inspection
    do { inspection = try Inspection(path: arguments.operand(file)) } catch { throw .store(error) }
    let status = status(of: inspection)
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(InspectReportJSON(inspection)))
      } else {
        for line in InspectReportText(inspection: inspection).lines {
          try console.writeLine(line)
        }
      }
    } catch {
      throw .output(error)
    }
    if let damage = inspection.damage {
      console.error("\(DisplayName(arguments.operand(file))): \(damage)")
      if inspection.kind != .unknown, let hint = Finding.Code(damage).hint { console.hint(hint) }
    } else if inspection.segment?.signatureHolds == false {
      console.error("\(DisplayName(arguments.operand(file))): the signature does not hold")
    }
    return status
  }

  private static func status(of inspection: Inspection) -> ExitCode {
    if let damage = inspection.damage {
      return Finding.Code(damage) == .newerVersion ? .newerVersion : .damaged
    }
    return inspection.segment?.signatureHolds == false ? .damaged : .done
  }
}
