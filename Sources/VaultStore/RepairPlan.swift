internal import VaultFormat

/// What a repair would do, in the order in which it does it.
package struct RepairPlan: Sendable {
  package internal(set) var actions: [RepairAction] = []
  /// Unlisted notes that cannot be listed, and why.
  package internal(set) var left: [Finding] = []
  /// What goes into the new segment of each compartment that gets one.
  var listings: [CompartmentID: RepairListing] = [:]

  package init() {}

  package var isEmpty: Bool { actions.isEmpty }

  /// Whether notes, slots or companions are listed anew: then older ones could have been put back, and only the owner can
  /// judge that.
  package var needsJudgement: Bool { actions.contains { $0.compartment != nil } }
}

/// What came of a plan.
package struct RepairOutcome: Sendable {
  /// Each action of the plan, and whether it was done.
  package internal(set) var steps: [(action: RepairAction, isDone: Bool)] = []

  /// What a plan that is only shown comes to.
  package init(undone plan: RepairPlan) {
    steps = plan.actions.map { ($0, false) }
  }

  package init() {}
}
