package import VaultFormat
internal import VaultSealing

/// Makes the index follow the disk after a merge, a cherry-pick or a revert: in one new segment for each compartment
/// (spec §7.6). It changes no note's content and states only files that authenticate.
///
/// One that was opened for writing keeps other writers out until its life ends.
package struct Reconciling: ~Copyable {
  private var session: WriterSession?
  private let vault: VaultFolder
  private let reading: RepairReading
  private let options: VerifyOptions
  private let progress: VerifyProgress

  /// Locks the vault, completes a run that stopped after its commit, and reads every file.
  /// - Parameter isWriting: false only to show what would be done.
  /// - Throws: `busy`, `indexNotSound` where a segment is broken, and as `Verification`.
  package init(
    _ vault: VaultFolder, _ options: VerifyOptions, isWriting: Bool, progress: VerifyProgress
  ) throws(StoreError) {
    var session: WriterSession?
    if isWriting {
      var opened = try WriterSession(vault, bounds: options.bounds, waitingSeconds: 0)
      try PackSoundness.checkSegments(opened.snapshot)
      try opened.removeLeftovers()
      try opened.removeReplaced()
      session = consume opened
    }
    let reading = try RepairReading(path: vault.path, options, progress)
    if session == nil { try PackSoundness.checkSegments(reading.base.snapshot) }
    self.session = session
    self.vault = vault
    self.reading = reading
    self.options = options
    self.progress = progress
  }

  /// What keyless verification found before anything was done.
  package var findings: [Finding] { reading.pass.findings }

  /// What index and disk do not agree on, as far as the keys reach.
  package func plan(with opened: OpenedSlots) throws(StoreError) -> ReconcilePlan {
    let unlocked = try opened.read(reading.base.snapshot, of: vault)
    var all = ReconcilePlan(of: unlocked)
    for compartment in unlocked.compartments
    where unlocked.snapshot.handOvers.closed[compartment.index.compartment] == nil
      && unlocked.snapshot.compartments[compartment.index.compartment] != nil
    {
      var planner = ReconcilePlanner(reading, unlocked, compartment, options, progress)
      try planner.run()
      all.items += planner.plan.items
      all.found.merge(planner.plan.found) { first, _ in first }
    }
    return all
  }

  /// Does some of what a plan of this reconciliation says.
  /// - Returns: the segments that were written.
  /// - Throws: `changedMeanwhile` when the vault is not as it was planned for; `system`, `sealing`, and what is wrong with
  ///   a note. What a compartment's segment says is done whole or not at all.
  package mutating func carryOut(
    _ items: [ReconcileItem], of plan: ReconcilePlan
  ) throws(StoreError) -> [SegmentID] {
    guard var session = session.take(),
      session.snapshot.indexNames == reading.base.snapshot.indexNames
    else { throw .changedMeanwhile }
    var segments: [SegmentID] = []
    for compartment in plan.unlocked.compartments {
      let own = items.filter { $0.compartment == compartment.index.compartment }
      if own.isEmpty { continue }
      if !segments.isEmpty { try session.refresh() }
      segments += try settle(own, of: plan, in: compartment, session)
    }
    return segments
  }

  private func settle(
    _ items: [ReconcileItem], of plan: ReconcilePlan, in compartment: UnlockedCompartment,
    _ session: borrowing WriterSession
  ) throws(StoreError) -> [SegmentID] {
    guard let index = session.snapshot.compartments[compartment.index.compartment] else {
      throw .changedMeanwhile
    }
    let names = Dictionary(
      compartment.table.notes.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var change = IndexChange()
    var excuses: [SegmentID] = []
    let run = try session.newRun()
    var resealer = try Resealer()
    for item in items {
      if progress.isCancelled() { throw .interrupted }
      switch (item.subject, item.step) {
      case (_, .none), (_, .removeFile): continue
      case (.segment(let id), _): excuses.append(id)
      case (.note(let id), .reseal):
        guard let found = plan.found[id] else { throw .changedMeanwhile }
        try reseal(
          id, found, knownAs: names[id], of: index, in: compartment, &resealer, run.folder, &change)
      case (.note(let id), _):
        try change.bury(
          missing: .note(id), under: try Self.grave(), over: index.notes[id] ?? Register())
      case (.slot(let locator), .delete):
        try change.bury(
          missing: .slot(locator), under: try Self.grave(), over: index.slots[locator] ?? Register()
        )
      case (.companion(let path), .delete):
        try change.bury(
          missing: .companion(path), under: try Self.grave(),
          over: index.companions[path] ?? Register())
      case (.slot(let locator), _):
        let file = session.snapshot.slots.first { $0.locator == locator && !$0.isSpare }
        guard let state = file?.state else { throw .changedMeanwhile }
        try change.state(.slot(locator), state, over: index.slots[locator] ?? Register())
      case (.companion(let path), _):
        guard let state = reading.topLevel.companions[path]?.state else { throw .changedMeanwhile }
        try change.state(.companion(path), state, over: index.companions[path] ?? Register())
      }
    }
    let endsSlots = items.contains { if case .slot = $0.subject { true } else { false } }
    let entries = change.entries
    var segments: [SegmentID] = []
    if !change.isEmpty || !excuses.isEmpty {
      segments.append(
        try session.commit(
          change, run: run, secret: compartment.secret, index: index, excuses: excuses))
    }
    if endsSlots { try SlotRemoval(of: index, joining: entries).run(in: vault) }
    return segments
  }

  /// Seals the file on the disk again, because a state that was superseded once never comes back.
  private func reseal(
    _ id: NoteID, _ found: AuthenticNote, knownAs known: NoteInfo?, of index: CompartmentIndex,
    in compartment: UnlockedCompartment, _ resealer: inout Resealer,
    _ folder: borrowing Directory, _ change: inout IndexChange
  ) throws(StoreError) {
    let path = Layout.notePath(id)
    guard case .file(let digest, let byteCount) = found.state else { throw .changedMeanwhile }
    let info = NoteInfo(
      id: id, compartment: index.compartment, path: known?.path ?? found.header.path,
      shownPath: known?.path ?? found.header.path,
      isExecutable: known?.isExecutable ?? found.header.executable, record: found.header.content,
      digest: digest, sealedByteCount: byteCount)
    let file: FileDescriptor
    do {
      let parts = Layout.parts(of: path)
      file = try vault.root.open(components: parts.dropLast()).openFile(parts[parts.count - 1])
    } catch {
      throw .system(error, path: path)
    }
    let state = try resealer.reseal(
      file, of: info, in: compartment, as: id, keys: compartment.secret.keys, into: folder)
    guard case .file(let after, _) = state else { return }
    let register = index.notes[id] ?? Register()
    var place: (place: Place, version: UInt64)?
    if register.placeVersion == 0 {
      do {
        place = (
          try Place(path: found.header.path, executable: found.header.executable), 1
        )
      } catch {
        throw .sealing(.format(error), path: path)
      }
    }
    try change.state(
      id, state, record: found.header.content, over: register, place: place,
      plan: .init(noteID: id, before: digest, after: after))
  }

  private static func grave() throws(StoreError) -> Grave {
    do { return try Fresh().id.retyped(as: Grave.self) } catch {
      throw .sealing(error, path: Layout.index)
    }
  }
}
