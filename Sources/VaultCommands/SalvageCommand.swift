import VaultFormat
import VaultStore

/// `salvage`: what can be brought back of a damaged vault, as plain files in a new folder.
package enum SalvageCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let target = OperandSpec("TARGET")
  private static let json = OptionSpec.flag("json", help: "Print a report as one JSON object.")
  /// Each takes some memory, and more than this only wait for the file system.
  private static let mostWorkers = 16

  package static let spec = CommandSpec(
    name: "salvage", summary: "Bring back what can be brought back of a damaged vault.",
    operands: [vault, target], options: [json] + SecretSources.severalOptions,
    notes: [
      "Only reads the vault; TARGET must not be there yet, or be empty. Works without VAULT, without "
        + "the index, and with whichever of a slot's two copies is left: any passphrase or recovery "
        + "phrase whose slot can be read will do.",
      "Whole notes come back under their names, those that the index does not know under the names "
        + "they had when they were sealed. Of a damaged note everything that is authentic is "
        + "written to 'NAME (damaged)', each byte at its place; a gap begins with '[vaulttool: N "
        + "bytes lost]' and is filled with zeros. Where the content is compressed, that file ends at "
        + "the first gap, and all of the compressed bytes are in a file beside it that ends in "
        + "'.zst'. Other versions and deleted notes that are still there get names of their own.",
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool salvage ~/notes.vault ~/rescued", "everything that is left"),
      .init(
        "vaulttool salvage --phrase-file phrase.txt --json ~/notes.vault ~/rescued",
        "with the recovery phrase, and a report for a program"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let sources: SecretSources
    do { sources = try SecretSources(parsing: arguments) } catch { throw .usage(error) }
    let target = arguments.operand(target)
    let base: SalvageBase
    do throws(StoreError) {
      base = try SalvageBase.load(path: arguments.operand(vault), bounds: .standard)
      try Salvage.check(target: target, of: base)
    } catch {
      throw .store(error)
    }
    let pending = try VaultAccess.begin(base.vault, base.snapshot, sources, console)
    let progress = Progress(on: console, label: "salvaging", unit: .bytes)
    let report: SalvageReport
    do throws(StoreError) {
      let unlocked = try pending.finish().read(base.snapshot, of: base.vault)
      warn(of: base.findings + unlocked.findings, console)
      report = try Salvage(unlocked).run(
        into: target,
        watch: SalvageWatch(
          workerCount: min(Processors.count, mostWorkers),
          isInterrupted: { Interruption.isRequested },
          progress: { progress.advance(by: $0) }))
    } catch {
      progress.finish()
      throw .store(error)
    }
    progress.finish()
    report.tell(console)
    if arguments.has(json) {
      do { try console.write(JSONText.encode(SalvageJSON(report))) } catch { throw .output(error) }
    }
    return report.exitCode
  }

  /// What is wrong with `VAULT`, slots and segments explains why names may be older; the status follows from the notes.
  private static func warn(of findings: [Finding], _ console: Console) {
    var told = Set<[UInt8]>()
    for finding in findings where finding.severity == .error {
      guard told.insert(finding.path + Array(finding.message.utf8)).inserted else { continue }
      console.warn("\(DisplayName(finding.path)): \(finding.code.rawValue): \(finding.message)")
    }
  }
}
