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
    operands: [vault], options: [dryRun] + SecretSources.severalOptions,
    notes: [
      "Every pack adds one segment. Compacting keeps their number small; it changes no note. In a git "
        + "repository commit it by itself."
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [.init("vaulttool compact ~/notes.vault", "merges what is due")])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    if arguments.has(dryRun) {
      let due = keyless.snapshot.compartments.values.reduce(0) { $0 + Compaction.due($1).count }
      console.note(due == 0 ? "nothing is due" : "\(due) segments would be merged")
      return .done
    }
    var mergedCount = 0
    let pending = try VaultAccess.begin(
      keyless.folder, keyless.snapshot, keyless.sources, console)
    do {
      let opened = try pending.finish()
      var session = try WriterSession(keyless.folder, bounds: .standard, waitingSeconds: 0)
      let current = try opened.withoutClosed(in: session.snapshot)
      try PackSoundness.checkIndex(session.snapshot)
      try PackSoundness.checkIndex(session.snapshot, of: current.secrets.keys)
      try session.removeLeftovers()
      for (_, secret) in current.secrets.sorted(by: { $0.key < $1.key }) {
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
