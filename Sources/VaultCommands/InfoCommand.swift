import VaultFormat
import VaultStore

/// `info`: what anyone can see of a vault, and with the secret what its owner can see.
package enum InfoCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let unlock = OptionSpec.flag(
    "unlock", help: "Add what only the owner can see; needs the secret.")
  private static let json = OptionSpec.flag("json", help: "Print one JSON object.")

  package static let spec = CommandSpec(
    name: "info",
    summary: "Show what anyone can see of a vault, or with --unlock what its owner can see.",
    operands: [vault], options: [unlock, json] + SecretSources.severalOptions,
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [.init("vaulttool info ~/notes.vault", "fingerprint, slots, number of notes")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    let opened = arguments.has(unlock) ? try keyless.unlock(console) : nil
    var findings = keyless.snapshot.findings + (opened?.findings ?? [])
    if opened != nil {
      do { findings += try keyless.snapshot.slotFindings(in: keyless.folder) } catch {
        throw .store(error)
      }
    }
    let report = InfoReport(keyless.folder, keyless.snapshot, opened)
    do {
      if arguments.has(json) {
        try console.write(JSONText.encode(report))
      } else {
        for line in report.lines { try console.writeLine(line) }
      }
    } catch {
      throw .output(error)
    }
    if let opened, !opened.lockedCompartments.isEmpty { console.note(opened.lockedText) }
    return VaultAccess.report(findings, console)
  }
}
