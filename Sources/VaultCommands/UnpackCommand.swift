import VaultFormat
import VaultStore

/// `unpack`: notes as plain files in a folder.
package enum UnpackCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let target = OperandSpec("TARGET")
  private static let paths = OperandSpec("PATH", .any)
  private static let overwrite = OptionSpec.flag(
    "overwrite", help: "Replace files and links that are there.")
  private static let skipExisting = OptionSpec.flag(
    "skip-existing", help: "Leave files and links that are there; continues an interrupted run.")
  private static let json = OptionSpec.flag("json", help: "Print a report as one JSON object.")
  /// Each takes some memory, and more than this only wait for the file system.
  private static let mostWorkers = 16

  package static let spec = CommandSpec(
    name: "unpack", summary: "Write the notes of a vault as plain files into a folder.",
    operands: [vault, target, paths],
    options: [overwrite, skipExisting, CatOutput.binary, json] + SecretSources.severalOptions,
    notes: [
      "With PATH, only the notes at or below it. TARGET is made if it is not there; with '-' as "
        + "TARGET the one note at PATH goes to stdout.",
      "Files that are there are never replaced unless --overwrite is given, folders that hold "
        + "something never, and nothing is written through a link. Each file appears whole, with "
        + "its time and permissions; folders get theirs last. Folders that were there keep theirs "
        + "unless --overwrite or --skip-existing is given. A note that cannot be written is named "
        + "and does not keep others back.",
      "The command does not wait until the disk has written what the system has taken.",
    ],
    statuses: [.secretRefused, .damaged, .newerVersion],
    examples: [
      .init("vaulttool unpack ~/notes.vault ~/notes", "everything"),
      .init("vaulttool unpack --skip-existing ~/notes.vault ~/notes", "what is not there yet"),
      .init("vaulttool unpack ~/notes.vault - Journal/2024.md", "one note to stdout"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    if arguments.has(overwrite) && arguments.has(skipExisting) {
      throw .usage(.conflictingOptions("overwrite", "skip-existing"))
    }
    let paths = arguments.operands(paths)
    let isToStdout = arguments.operand(target).elementsEqual("-".utf8)
    if isToStdout, paths.count != 1 || arguments.has(json) {
      throw .usage(.refused("with '-' as TARGET there is one PATH and no --json"))
    }
    let readable = try ReadableVault(at: arguments.operand(vault), arguments, console)
    let code =
      isToStdout
      ? try write(paths[0], of: readable.vault, arguments, console)
      : try unpack(paths, of: readable.vault, arguments, console)
    return code.combined(with: readable.exitCode)
  }

  private static func write(
    _ path: [UInt8], of vault: UnlockedVault, _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let note: NoteInfo
    do { note = try PathSelection.note(at: path, of: vault) } catch { throw .store(error) }
    var output = try CatOutput(vault, arguments, console)
    return try output.write([note])
  }

  private static func unpack(
    _ paths: [[UInt8]], of vault: UnlockedVault, _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let existing: ExistingFiles =
      arguments.has(overwrite) ? .overwritten : arguments.has(skipExisting) ? .skipped : .refused
    let progress = Progress(on: console, label: "unpacking", unit: .bytes)
    let report: UnpackReport
    do throws(StoreError) {
      let notes = try PathSelection(paths, of: vault).notes
      let total = notes.reduce(0) { $0 + Int(clamping: $1.record.contentByteCount) }
      progress.update(done: 0, total: total)
      let unpacking = try Unpacking(
        notes, of: vault, into: arguments.operand(target), existing: existing,
        workerCount: min(Processors.count, mostWorkers),
        isInterrupted: { Interruption.isRequested },
        progress: { progress.advance(by: $0) })
      report = try unpacking.unpack()
    } catch {
      progress.finish()
      throw .store(error)
    }
    progress.finish()
    report.tell(console)
    if arguments.has(json) {
      do { try console.write(JSONText.encode(UnpackJSON(report))) } catch { throw .output(error) }
    }
    return report.exitCode
  }
}
