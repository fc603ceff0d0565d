internal import VaultFormat

/// What a `pack` does: everything that had to be read has been compared.
///
/// Items of the source and notes are named by their positions in `SourceScan.items` and `UnlockedVault.notes`.
package struct PackDecision: Sendable {
  package enum Action: Equatable, Sendable {
    /// A new note.
    case add(item: Int)
    /// Both sides changed: the source's becomes a note of its own beside the vault's.
    case keepBoth(item: Int, note: Int)
    /// A new content of a note.
    case change(item: Int, note: Int)
    /// A note has another path, and its content is the same.
    case rename(item: Int, note: Int)
    /// A note has another executable bit, and its content is the same.
    case mode(item: Int, note: Int)
    case remove(note: Int)
  }

  /// What needs somebody's yes.
  package struct Doubt: Equatable, Sendable {
    package let removed: Int
    package let replaced: Int
    /// Whether the source holds nothing where it held something before.
    package let isSourceEmpty: Bool
  }

  package private(set) var actions: [Action] = []
  /// Pairs that are equal, whatever their places.
  package private(set) var equal: [PackPlan.Pair] = []
  package private(set) var kept: [PackPlan.Kept] = []
  package private(set) var deletedInVault: [Int] = []
  /// What could not be compared.
  package private(set) var problems: [SourceScanProblem] = []
  /// Nil where everything may be done without asking.
  package private(set) var doubt: Doubt?
  /// Whether contents were compared, which the base will save the next time.
  private(set) var hasCompared = false

  private var replacedCount = 0

  /// Takes a plan and what came of its comparisons.
  init(
    _ plan: PackPlan, comparisons: [PackComparing.Outcome], renames: [PackComparing.Outcome],
    items: [PackPlanner.Item], notes: [NoteInfo], hasBase: Bool
  ) {
    equal = plan.unchanged
    kept = plan.kept
    deletedInVault = plan.deletedInVault
    hasCompared = !comparisons.isEmpty
    for position in plan.additions { actions.append(.add(item: position)) }
    for pair in plan.renames { actions.append(.rename(item: pair.item, note: pair.note)) }
    var removals = plan.removals
    for (comparison, outcome) in zip(plan.comparisons, comparisons) {
      take(comparison, outcome, items)
    }
    for (pair, outcome) in zip(plan.possibleRenames, renames) {
      switch outcome {
      case .equal: actions.append(.rename(item: pair.item, note: pair.note))
      case .different:
        actions.append(.add(item: pair.item))
        removals.append(pair.note)
      case .problem(let reason):
        // It may be the note that is missing: neither is touched.
        problems.append(SourceScanProblem(path: items[pair.item].path, reason))
        kept.append(.init(note: pair.note, reason: .outOfSight))
      }
    }
    let equalItems = Set(plan.modes.isEmpty ? [] : equal.map(\.item))
    for pair in plan.modes where equalItems.contains(pair.item) {
      actions.append(.mode(item: pair.item, note: pair.note))
    }
    for position in removals { actions.append(.remove(note: position)) }
    doubt = Self.doubt(removals, replacedCount, items, notes, hasBase: hasBase)
  }

  private mutating func take(
    _ comparison: PackPlan.Comparison, _ outcome: PackComparing.Outcome,
    _ items: [PackPlanner.Item]
  ) {
    let pair = comparison.pair
    switch outcome {
    case .equal:
      equal.append(pair)
    case .problem(let reason):
      problems.append(SourceScanProblem(path: items[pair.item].path, reason))
      kept.append(.init(note: pair.note, reason: .outOfSight))
    case .different:
      switch comparison.ifDifferent {
      case .change: actions.append(.change(item: pair.item, note: pair.note))
      case .keepBoth: actions.append(.keepBoth(item: pair.item, note: pair.note))
      case .replace:
        replacedCount += 1
        actions.append(.change(item: pair.item, note: pair.note))
      }
    }
  }

  private static func doubt(
    _ removals: [Int], _ replaced: Int, _ items: [PackPlanner.Item], _ notes: [NoteInfo],
    hasBase: Bool
  ) -> Doubt? {
    let isSourceEmpty =
      items.allSatisfy { $0.type == .folder }
      && removals.contains { notes[$0].record.type != .folder }
    guard isSourceEmpty || (!hasBase && removals.count + replaced > 0) else { return nil }
    return Doubt(removed: removals.count, replaced: replaced, isSourceEmpty: isSourceEmpty)
  }
}
