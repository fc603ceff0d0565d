internal import VaultFormat
internal import VaultSealing

/// Carries out a plan in a locked vault: first files, then segments and runs, and last the new segments.
struct RepairExecution: ~Copyable {
  private var session: WriterSession
  private let files: RepairFiles
  private var done = Set<RepairAction>()

  init(_ session: consuming WriterSession, _ files: RepairFiles) {
    self.session = session
    self.files = files
  }

  /// - Parameter shown: the plan that somebody agreed to, which may hold more: what is done already.
  /// - Throws: as `Repair.carryOut`.
  mutating func run(
    _ plan: RepairPlan, showing shown: RepairPlan
  ) throws(StoreError) -> RepairOutcome {
    for action in plan.actions where try change(action) { done.insert(action) }
    try session.refresh()
    for case .removeSegment(let id) in plan.actions {
      try remove(id)
      done.insert(.removeSegment(id))
    }
    try session.refresh()
    for action in plan.actions where try settle(action) { done.insert(action) }
    for (compartment, listing) in plan.listings.sorted(by: { $0.key < $1.key }) {
      try session.refresh()
      try commit(listing, compartment)
      done.formUnion(plan.actions.filter { $0.compartment == compartment })
    }
    let planned = Set(plan.actions)
    var outcome = RepairOutcome()
    outcome.steps = shown.actions.map { ($0, done.contains($0) || !planned.contains($0)) }
    return outcome
  }

  /// - Returns: whether the action was about a file and is done.
  private func change(_ action: RepairAction) throws(StoreError) -> Bool {
    switch action {
    case .moveIntoPlace(let from, let path, let file, let isReplacing):
      try files.move(from, to: path, file, isReplacing ? .allowed : .forbidden)
    case .removeCopy(let path, let other): try files.remove(path, equalTo: other)
    case .removeFolder(let path): try files.removeFolder(path)
    case .restoreSlot(let path, let from, let state, let isReplacing):
      try files.write(
        try files.slot(from, state), to: path, isReplacing ? .allowed : .forbidden)
    case .restoreCompanion(let path, let isReplacing):
      guard let companion = CompanionFiles.all.first(where: { $0.path == path }) else {
        return false
      }
      try files.write(companion.bytes, to: path, isReplacing ? .allowed : .forbidden)
    case .rebuildHeader, .removeSegment, .completeRun, .removeLeftover, .excuseSegment, .listNote,
      .listSlot, .listCompanion:
      return false
    }
    return true
  }

  /// Removes a segment that a live one still replaces.
  private func remove(_ segment: SegmentID) throws(StoreError) {
    let isReplaced = session.snapshot.compartments.values.contains { index in
      index.live.contains { $0.lists.replaces.contains(segment) }
    }
    guard isReplaced || session.snapshot.handedOverSegments.contains(segment) else {
      throw .changedMeanwhile
    }
    try files.remove(Layout.path(Layout.index, Layout.segment(segment)))
  }

  /// - Returns: whether the action was about a run and is done. A run that cannot be completed stays a finding.
  private mutating func settle(_ action: RepairAction) throws(StoreError) -> Bool {
    switch action {
    case .completeRun(let name):
      do throws(StoreError) {
        try session.completeRuns { $0.name == name }
      } catch {
        switch error {
        case .indexNotSound, .damaged: return false
        default: throw error
        }
      }
      return true
    case .removeLeftover(let name):
      try session.removeLeftovers { $0.name == name }
      return true
    default: return false
    }
  }

  /// Commits what one compartment's new segment says.
  private mutating func commit(
    _ listing: RepairListing, _ compartment: CompartmentID
  ) throws(StoreError) {
    let index = session.snapshot.compartments[compartment]
    var change = listing.change
    change.sort()
    let lists: SegmentLists
    do {
      lists = try SegmentLists(
        parents: index?.graph.parentsForNewSegment ?? [], replaces: [],
        excuses: listing.excuses.sorted(), entries: change.entries)
    } catch {
      throw .sealing(.format(error), path: Layout.index)
    }
    try session.commitMerge(lists, items: change.body, secret: listing.secret, removing: [])
  }
}
