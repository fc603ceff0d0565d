import VaultFormat
import VaultStore

/// `compact`: merges segments of the index.
package enum CompactCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let dryRun = OptionSpec.flag(
    "dry-run", help: "Say what would be merged, write nothing.")

  package static let spec = CommandSpec(
    name: "compact",
    summary: "Merge small segments of the index into larger ones, where that is due.",
    operands: [vault], options: [dryRun] + SecretSources.options,
    notes: [
      "Every pack adds one segment. Compacting keeps their number small; it changes no note. In a git "
        + "repository commit it by itself."
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [.init("vaulttool compact ~/notes.vault", "merges what is due")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let sources: SecretSources
    do { sources = try SecretSources(parsing: arguments) } catch { throw .usage(error) }
    let folder: VaultFolder
    let snapshot: Snapshot
    do {
      folder = try VaultFolder(path: arguments.operand(vault))
      snapshot = try Snapshot.load(folder, bounds: .standard)
    } catch {
      throw .store(error)
    }
    if arguments.has(dryRun) {
      let due = snapshot.compartments.values.reduce(0) { $0 + Compaction.due($1).count }
      console.note(due == 0 ? "nothing is due" : "\(due) segments would be merged")
      return .done
    }
    let pending = try VaultAccess.begin(folder, snapshot, sources, console)
    var mergedCount = 0
    do {
      let opened = try pending.finish()
      var session = try WriterSession(folder, bounds: .standard, waitingSeconds: 0)
      try session.removeLeftovers()
      for secret in opened.secrets.values {
        mergedCount += try Compaction.run(&session, secret: secret)
      }
    } catch {
      throw .store(error)
    }
    console.note(
      mergedCount == 0 ? "nothing was due" : "merged \(mergedCount) segments")
    return .done
  }
}
