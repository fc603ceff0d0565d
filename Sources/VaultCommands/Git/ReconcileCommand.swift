import VaultFormat
import VaultStore

/// `git reconcile`: settles what a merge, a cherry-pick or a revert left undecided.
package enum ReconcileCommand: Command {
  private static let vault = OperandSpec("VAULT", .optional)
  private static let accept = OptionSpec.value(
    "accept", "WHAT", repeatable: true,
    help: "Also settle this: a note's path or id, a file of the vault, a segment, a slot.")
  private static let all = OptionSpec.flag("all", help: "Also settle all else that can be settled.")
  private static let dryRun = OptionSpec.flag("dry-run", help: "Say what would be done.")
  private static let json = OptionSpec.flag("json", help: "Print the report as one JSON object.")

  package static let spec = CommandSpec(
    name: "git reconcile",
    summary: "Settle what a merge, a cherry-pick or a revert left undecided.",
    operands: [vault], options: [accept, all, dryRun, json] + SecretSources.severalOptions,
    notes: [
      "Where two branches changed one note, the file that lies there counts: the side that was taken, "
        + "or what the merge driver made of both. That is settled without a question, in one new "
        + "segment. No note's content is changed.",
      "Everything else is listed with its reason and settled only with --accept or --all, because who can "
        + "write to the vault could have made it too: an older version that a revert put back, a note "
        + "that is gone, a segment that a cherry-pick left out, a companion that is another. Look "
        + "before you accept.",
      "Ends with status 0 when the vault is clean afterwards. VAULT is the current folder if it is left out.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool git reconcile ~/notes.vault", "after a merge"),
      .init("vaulttool git reconcile --accept Journal/2024.md", "an older version is meant"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let path = arguments.optionalOperand(vault) ?? Array(".".utf8)
    do { try GitPlace.refuseLinks(on: path) } catch { throw error.asCommandError }
    let keyless = try KeylessVault(at: path, arguments)
    let isWriting = !arguments.has(dryRun)
    let pending = try VaultAccess.begin(
      keyless.folder, keyless.snapshot, keyless.sources, console, unnamed: .repositoryThenPerson)
    let options = VerifyOptions(pins: [], bounds: .standard, workerCount: Processors.count)
    let progress = Progress(on: console, label: "reading", unit: .bytes)
    defer { progress.finish() }
    do {
      let opened = try pending.finish()
      var reconciling = try Reconciling(
        keyless.folder, options, isWriting: isWriting, progress: .shown(by: progress))
      let plan = try reconciling.plan(with: opened)
      let accepted = try choose(plan, arguments)
      let chosen = plan.items.filter(accepted.contains)
      var segments: [SegmentID] = []
      if isWriting, !chosen.isEmpty {
        segments = try reconciling.carryOut(chosen, of: plan)
      }
      var findings = reconciling.findings
      if isWriting, !chosen.isEmpty {
        findings = try Verification(path: path, options: options)
          .run(progress: .shown(by: progress), keys: nil).findings
      }
      progress.finish()
      let met = VaultAccess.report(plan.findings.filter { $0.code == .sealBroken }, console)
      return try ReconcileReport(
        plan: plan, accepted: accepted, isDryRun: !isWriting, segments: segments, findings: findings
      ).print(asJSON: arguments.has(json), console).combined(with: met)
    } catch let error as StoreError {
      throw .store(error)
    } catch let error as UsageError {
      throw .usage(error)
    } catch {
      throw error as? CommandError ?? .store(.changedMeanwhile)
    }
  }

  /// What is settled: conflicts by themselves, and what a person accepts.
  private static func choose(
    _ plan: ReconcilePlan, _ arguments: ArgumentReader
  ) throws(UsageError) -> Set<ReconcileItem> {
    let able = plan.items.filter { $0.step != .none }
    if arguments.has(all) { return Set(able) }
    var chosen = Set(able.filter(\.isAutomatic))
    for name in arguments.values(of: accept) {
      let meant = plan.items.filter { $0.isCalled(name) }
      guard let first = meant.first else {
        throw .refused("nothing that is undecided is called \(DisplayName(name).quoted)")
      }
      guard meant.allSatisfy({ $0.subject == first.subject }) else {
        throw .refused("\(DisplayName(name).quoted) is the name of several things: give an id")
      }
      guard first.step != .none else {
        throw .refused("\(DisplayName(name).quoted) cannot be settled here: \(first.reason)")
      }
      chosen.formUnion(meant)
    }
    return chosen
  }
}

extension ReconcileItem {
  /// Whether a person means it: by its path as the owner sees it, by its file, or by the first 8 digits of its id or more.
  fileprivate func isCalled(_ name: [UInt8]) -> Bool {
    if name == self.name || name == path || name == id { return true }
    if case .companion = subject { return false }
    return name.count >= 8 && id.starts(with: name)
  }
}
