import VaultStore

/// `verify --repair`: mends the structure of a vault, then verifies it.
struct VerifyRepair {
  private static let repair = OptionSpec.flag(
    "repair", help: "First mend the structure of the vault, as far as nothing can be lost by it.")
  private static let dryRun = OptionSpec.flag(
    "dry-run", help: "With --repair: say what would be done, write nothing.")
  private static let yes = OptionSpec.flag("yes", help: "With --repair: repair without asking.")

  static let options = [repair, dryRun, yes]

  /// What was planned, what was done, and how the vault is now.
  struct Result {
    let plan: RepairPlan
    let outcome: RepairOutcome
    let isDryRun: Bool
    let report: VerifyReport
  }

  /// That something shall be repaired, and how.
  struct Wish {
    let isDryRun: Bool
    let answersYes: Bool

    /// Nil where no repair is asked for.
    init?(parsing arguments: ArgumentReader) throws(UsageError) {
      guard arguments.has(repair) else {
        for option in [dryRun, yes] where arguments.has(option) {
          throw .refused("'--\(option.name)' is of use only with '--repair'")
        }
        return nil
      }
      isDryRun = arguments.has(dryRun)
      answersYes = arguments.has(yes)
    }
  }

  private let wish: Wish
  private let request: VerifyRequest
  private let console: Console

  init(_ wish: Wish, _ request: VerifyRequest, _ console: Console) {
    self.wish = wish
    self.request = request
    self.console = console
  }

  func run() throws(CommandError) -> Result {
    let (plan, outcome, opened) = try mend()
    let progress = Progress(on: console, label: "verifying", unit: .bytes)
    defer { progress.finish() }
    do {
      let verification = try Verification(path: request.path, options: request.options)
      let report =
        if let opened {
          try verification.run(progress: .shown(by: progress)) { () throws(StoreError) in opened }
        } else {
          try verification.run(progress: .shown(by: progress), keys: nil)
        }
      return Result(plan: plan, outcome: outcome, isDryRun: wish.isDryRun, report: report)
    } catch {
      throw .store(error)
    }
  }

  /// Plans, asks and repairs; the vault is not locked any more when this returns.
  private func mend() throws(CommandError) -> (RepairPlan, RepairOutcome, OpenedSlots?) {
    let progress = Progress(on: console, label: "reading", unit: .bytes)
    defer { progress.finish() }
    // A policy is about what is asked for, not about what can be mended.
    var options = request.options
    options.policy = VerifyPolicy()
    var repair: Repair
    do {
      repair = try Repair(
        path: request.path, options: options,
        for: wish.isDryRun ? .showing : .writing(waitingSeconds: 0), progress: .shown(by: progress))
    } catch {
      throw .store(error)
    }
    progress.finish()
    let opened = request.unlocks ? try unlock(repair.lockedVault) : nil
    let plan: RepairPlan
    do { plan = try repair.plan(with: opened) } catch { throw .store(error) }
    progress.finish()
    show(plan)
    if wish.isDryRun || plan.isEmpty { return (plan, RepairOutcome(undone: plan), opened) }
    if !wish.answersYes { try ask(plan) }
    do {
      let outcome = try repair.carryOut(plan, with: opened)
      for step in outcome.steps where !step.isDone {
        console.warn("not done: \(step.action.text)")
      }
      console.note("repaired: \(outcome.steps.count { $0.isDone }) of \(plan.actions.count)")
      return (plan, outcome, opened)
    } catch {
      throw .store(error)
    }
  }

  private func unlock(
    _ locked: (vault: VaultFolder, snapshot: Snapshot)?
  ) throws(CommandError) -> OpenedSlots? {
    guard let locked else {
      console.warn("no slot can be read, so the secret is of no use")
      return nil
    }
    let pending = try VaultAccess.begin(locked.vault, locked.snapshot, request.sources, console)
    do { return try pending.finish() } catch { throw .store(error) }
  }

  // MARK: - Talking

  private func show(_ plan: RepairPlan) {
    if plan.isEmpty { console.note("there is nothing that can be repaired without loss") }
    for action in plan.actions { console.note("repair: \(action.text)") }
    for finding in plan.left {
      console.warn("\(DisplayName(finding.path)) is left alone: \(finding.message)")
    }
    guard plan.needsJudgement else { return }
    console.warn(
      "whoever can write to the vault could have put older notes or slots there: only you can judge "
        + "whether what would be listed is what belongs there")
  }

  private func ask(_ plan: RepairPlan) throws(CommandError) {
    let refused = CommandError.store(.repairNeedsConfirmation(actionCount: plan.actions.count))
    guard console.surroundings.terminalPath != nil else { throw refused }
    do {
      guard try TerminalPrompt(on: console).confirm("Repair this?") else { throw refused }
    } catch SecretError.noTerminal {
      throw refused
    } catch let error as SecretError {
      throw .secret(error)
    } catch {
      throw refused
    }
  }
}

extension RepairAction {
  /// What is done, to what, and why, in one line.
  var text: String {
    var text = "\(kind.rawValue) \(DisplayName(path))"
    switch kind {
    case .removeCopy: text += from.map { " equal to \(DisplayName($0))" } ?? ""
    case .moveIntoPlace, .restoreSlot: text += from.map { " from \(DisplayName($0))" } ?? ""
    case .listNote: text += note.map { " as \(DisplayName($0))" } ?? ""
    default: break
    }
    return "\(text): \(reason)"
  }
}
