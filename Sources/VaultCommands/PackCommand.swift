import VaultFormat
import VaultStore

/// `pack`: makes a vault hold what a folder holds.
package enum PackCommand: Command {
  static let source = OperandSpec("SOURCE")
  static let vault = OperandSpec("VAULT")
  static let keepMissing = OptionSpec.flag(
    "keep-missing", help: "Keep notes that are not in SOURCE.")
  static let exclude = OptionSpec.value(
    "exclude", "GLOB", repeatable: true,
    help: "Leave out what matches: '*.tmp' any name, 'a/**' a whole path.")
  static let dryRun = OptionSpec.flag("dry-run", help: "Say what would be done, write nothing.")
  static let yes = OptionSpec.flag(
    "yes", help: "Remove and replace notes without asking.")
  static let removeSource = OptionSpec.flag(
    "remove-source",
    help: "Delete each original after it was read back from the vault and found equal.")
  static let compress = OptionSpec.value(
    "compress", "WHEN", help: "'auto' compresses what gets smaller (default), 'never' nothing.")
  static let verbose = OptionSpec.flag("verbose", short: "v", help: "Name each change.")
  static let json = OptionSpec.flag("json", help: "Print one JSON object.")

  package static let spec = CommandSpec(
    name: "pack",
    summary: "Make VAULT hold what the folder SOURCE holds; makes the vault if there is none.",
    operands: [source, vault],
    options: [
      keepMissing, exclude, dryRun, yes, removeSource, compress, NewSecrets.hint, NewPhrase.out,
      verbose, json,
    ] + SecretSources.options,
    notes: [
      "Files, folders, links, permissions and times are packed. What did not change is not "
        + "written again. What is gone from SOURCE is removed from the vault, unless the vault has "
        + "a newer version of it.",
      "Without a record of an earlier pack of SOURCE on this machine, removing or replacing notes "
        + "needs --yes or a yes on the terminal.",
    ],
    statuses: [.skipped, .secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool pack ~/notes ~/notes.vault", "asks for the passphrase"),
      .init("vaulttool pack ~/notes ~/notes.vault --dry-run --verbose", "shows what would change"),
      .init("vaulttool pack ~/notes ~/notes.vault --exclude '*.tmp'", "leaves some files out"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let request: PackRequest
    do { request = try PackRequest(arguments) } catch { throw .usage(error) }
    let source: SourceFolder
    do { source = try SourceFolder(path: arguments.operand(Self.source)) } catch {
      throw .store(error)
    }
    let path = arguments.operand(vault)
    var outcome: PackOutcome
    if let folder = try existing(path, source) {
      for option in [NewSecrets.hint, NewPhrase.out] where arguments.value(of: option) != nil {
        throw .usage(
          .refused(
            "the vault exists; --\(option.name) is only for a vault that is made by this run"))
      }
      outcome = try PackRun(request, source, console).run(on: folder)
    } else if request.isDryRun {
      outcome = try PackRun(request, source, console).withoutVault()
    } else {
      let made = try NewVault.make(at: path, arguments, console)
      outcome = try PackRun(request, source, console).run(on: made.folder, opened: made.opened)
    }
    return try report(outcome, request, console)
  }

  /// The vault at a path; nil where there is nothing, or an empty folder, so that one can be made.
  private static func existing(
    _ path: [UInt8], _ source: SourceFolder
  ) throws(CommandError) -> VaultFolder? {
    do throws(StoreError) {
      do throws(StoreError) {
        return try VaultFolder(path: path)
      } catch {
        guard case .notAVault = error else { throw error }
        guard let folder = try open(path) else { return nil }
        let entries: [DirectoryEntry]
        let identity: FileIdentity
        do {
          entries = try folder.entries()
          identity = try folder.descriptor.status().identity
        } catch {
          throw .system(error, path: path)
        }
        if try source.liesIn(identity) { throw .sourceOverlapsVault }
        guard entries.isEmpty else { throw error }
        return nil
      }
    } catch {
      throw .store(error)
    }
  }

  /// The folder at a path; nil where there is nothing.
  private static func open(_ path: [UInt8]) throws(StoreError) -> Directory? {
    do { return try Directory(path: path) } catch {
      if error.code == .notFound { return nil }
      throw .system(error, path: path)
    }
  }

  private static func report(
    _ outcome: PackOutcome, _ request: PackRequest, _ console: Console
  ) throws(CommandError) -> ExitCode {
    for problem in outcome.problems {
      console.warn("\(DisplayName(problem.path)): \(problem.reason)")
    }
    if request.isVerbose {
      for change in outcome.changes { console.note(change.text) }
      for kept in outcome.kept { console.note("\(kept.reason.text)\(DisplayName(kept.path))") }
    }
    for path in outcome.deletedInVault {
      console.warn(
        "\(DisplayName(path)): not packed, because it was deleted in the vault since and is unchanged here"
      )
    }
    let report = PackReport(outcome, isDryRun: request.isDryRun)
    console.note(report.summary)
    if outcome.removedOriginals > 0 {
      console.note("deleted \(outcome.removedOriginals) originals")
    }
    if outcome.kept.contains(where: { $0.reason == .changedInVault || $0.reason == .newInVault }) {
      console.hint(
        "the vault has changes that the source does not have; 'vaulttool unpack --overwrite' brings "
          + "them in; then pack once before you edit, so that both are known to agree")
    }
    if !outcome.deletedInVault.isEmpty {
      console.hint("delete those files here too, or change them to have them packed again")
    }
    if request.printsJSON {
      do { try console.write(JSONText.encode(report)) } catch { throw .output(error) }
    }
    return outcome.problems.isEmpty ? .done : .skipped
  }
}
