internal import VaultFormat
internal import VaultSealing

/// What one compartment's new segment will say.
struct RepairListing: Sendable {
  let secret: CompartmentSecret
  var change = IndexChange()
  var excuses: [SegmentID] = []

  init(_ secret: CompartmentSecret) { self.secret = secret }
}

/// Finds what the keys of compartments let a repair list again: authentic notes that no segment knows, missing segments,
/// and where there is no index at all slots and companions (spec §12).
struct RepairListingPlanner {
  private let opened: OpenedSlots
  private let options: VerifyOptions
  private let progress: VerifyProgress
  private var planner: RepairPlanner
  private var listings: [CompartmentID: RepairListing] = [:]

  init(
    _ planner: RepairPlanner, _ opened: OpenedSlots, _ options: VerifyOptions,
    _ progress: VerifyProgress
  ) {
    self.planner = planner
    self.opened = opened
    self.options = options
    self.progress = progress
  }

  /// The keyless plan with what is listed after it.
  consuming func run() throws(StoreError) -> RepairPlan {
    let unread = planner.reading.unreadSegments
    guard unread.isEmpty else {
      var plan = planner.plan
      plan.left += unread.map {
        Finding($0.code, $0.path, "nothing is listed anew while this cannot be read")
      }
      return plan
    }
    for (id, secret) in opened.secrets.sorted(by: { $0.key < $1.key })
    where !planner.isClosed(id) {
      try plan(id, secret)
    }
    var plan = planner.plan
    plan.listings = listings
    return plan
  }

  private mutating func plan(
    _ id: CompartmentID, _ secret: CompartmentSecret
  ) throws(StoreError) {
    let index = planner.compartments[id]
    var listing = RepairListing(secret)
    var actions: [RepairAction] = []
    for missing in index?.graph.missing ?? [] where !planner.isAwaited(missing.segment) {
      listing.excuses.append(missing.segment)
      actions.append(.excuseSegment(missing.segment, id))
    }
    let unlisted = unlisted(in: id)
    let results = try NoteAuthentication(
      planner.vault, secret, unlisted, options, progress
    ).run()
    for (note, result) in zip(unlisted, results) {
      switch result {
      case .success(let found): try list(note, found.header, in: id, &listing, &actions)
      case .failure(let finding): planner.leave(finding)
      }
    }
    // A lost index must not be taken for an empty vault.
    let hasNotes = !listing.change.isEmpty
    if index == nil, hasNotes {
      try listSlots(of: id, &listing, &actions)
      if id == planner.companionCompartment { try listCompanions(&listing, id, &actions) }
    }
    guard !actions.isEmpty else { return }
    for action in actions { planner.add(action) }
    listings[id] = listing
  }

  // MARK: - Notes

  /// The whole sealed files of a compartment that no segment lists, where they lie now, ascending by id.
  private func unlisted(in compartment: CompartmentID) -> [NoteAuthentication.Task] {
    var tasks: [NoteAuthentication.Task] = []
    for (id, file) in planner.reading.pass.outcome.notes.files
    where file.compartment == compartment && isUnknown(id) {
      tasks.append(.init(note: id, path: Layout.notePath(id), state: file.state))
    }
    for case .moveIntoPlace(let path, _, let file, _) in planner.plan.actions {
      guard case .note(let id, compartment, _) = file.content, isUnknown(id),
        let state = file.state
      else { continue }
      tasks.append(.init(note: id, path: path, state: state))
    }
    return tasks.sorted { $0.note < $1.note }
  }

  private func isUnknown(_ note: NoteID) -> Bool {
    planner.compartments.values.allSatisfy { $0.notes[note] == nil }
  }

  private mutating func list(
    _ task: NoteAuthentication.Task, _ header: NoteHeader, in compartment: CompartmentID,
    _ listing: inout RepairListing, _ actions: inout [RepairAction]
  ) throws(StoreError) {
    let place: Place
    do { place = try Place(path: header.path, executable: header.executable) } catch {
      throw .sealing(.format(error), path: task.path)
    }
    guard case .file(let digest, _) = task.state else { return }
    try listing.change.state(
      task.note, task.state, record: header.content, over: Register(), place: (place, 1),
      plan: .init(noteID: task.note, before: digest, after: digest))
    actions.append(.listNote(task.note, compartment, path: header.path, task.state))
  }

  // MARK: - Slots and companions

  private mutating func listSlots(
    of compartment: CompartmentID, _ listing: inout RepairListing,
    _ actions: inout [RepairAction]
  ) throws(StoreError) {
    let openedStates = try Set(
      opened.slots.map { (slot) throws(StoreError) in
        try RepairFileReader.state(of: slot.encoded())
      })
    for locator in planner.slotCandidates {
      var found = Set<State>()
      for folder in [Layout.index, Layout.spare] {
        let path = Layout.path(folder, Layout.slot(locator))
        guard case .file(let file) = try planner.occupant(of: path), let state = file.state,
          case .slot(locator, compartment, planner.vault.header.vaultID, _) = file.content
        else { continue }
        found.insert(state)
      }
      let proven = found.intersection(openedStates)
      // Of two that differ only one that opens can be told from a damaged one.
      guard let state = proven.count == 1 ? proven.first : found.count == 1 ? found.first : nil,
        planner.owner(of: locator) == nil
      else { continue }
      try planner.restore(locator, of: compartment, to: state)
      try listing.change.state(.slot(locator), state, over: Register())
      actions.append(
        .listSlot(locator, compartment, state, isOpened: openedStates.contains(state)))
    }
  }

  private mutating func listCompanions(
    _ listing: inout RepairListing, _ compartment: CompartmentID,
    _ actions: inout [RepairAction]
  ) throws(StoreError) {
    for (path, file) in planner.reading.topLevel.companions.sorted(by: {
      Syscalls.precedes($0.key, $1.key)
    }) {
      let isOurs = CompanionFiles.all.contains { $0.path == path && $0.bytes == file.bytes }
      try listing.change.state(.companion(path), file.state, over: Register())
      actions.append(.listCompanion(path, compartment, file.state, isOurs: isOurs))
    }
  }
}
