internal import VaultFormat

/// Makes a vault hold what a source folder holds: compares, then seals and commits (spec/command-line.md, pack).
package struct Packing: Sendable {
  package struct Options: Sendable {
    package let keepsMissing: Bool
    package let compression: CompressionPolicy
    package let removesSource: Bool

    package init(keepsMissing: Bool, compression: CompressionPolicy, removesSource: Bool) {
      self.keepsMissing = keepsMissing
      self.compression = compression
      self.removesSource = removesSource
    }
  }

  package let source: SourceFolder
  package let scan: SourceScan
  package let vault: UnlockedVault
  let options: Options
  let watch: PackWatch
  let base: PackBase?
  let baseFile: BaseFile
  /// Tests change files here; see `NoteWriterSource`.
  let afterReading: @Sendable ([UInt8]) -> Void

  /// Loads the base of the last pack of this source.
  /// - Throws: `indexNotSound`, `sealing`.
  package init(
    _ scan: SourceScan, of source: SourceFolder, into vault: UnlockedVault, options: Options,
    watch: PackWatch, afterReading: @escaping @Sendable ([UInt8]) -> Void = { _ in }
  ) throws(StoreError) {
    try PackSoundness.check(vault)
    baseFile = try BaseFile(
      of: source.absolutePath, in: vault.vault, secret: vault.compartmentForNewNotes.secret)
    base = baseFile.load()
    self.source = source
    self.scan = scan
    self.vault = vault
    self.options = options
    self.watch = watch
    self.afterReading = afterReading
  }

  /// Compares source, vault and base; reads what must be read and writes nothing.
  /// - Throws: what is wrong with a note that was read; `system`, `interrupted`.
  package func decide() throws(StoreError) -> PackDecision {
    let plan = PackPlanner(
      items: scan.items, notes: vault.notes, base: base, keepsMissing: options.keepsMissing,
      isOutOfSight: scan.isOutOfSight
    ).plan()
    let comparing = PackComparing(source: source, vault: vault, items: scan.items, watch: watch)
    let outcomes = try comparing.run(plan.comparisons.map(\.pair) + plan.possibleRenames)
    let count = plan.comparisons.count
    return PackDecision(
      plan, comparisons: Array(outcomes[..<count]), renames: Array(outcomes[count...]),
      items: scan.items, notes: vault.notes, hasBase: base != nil)
  }

  /// How many bytes of the source a decision will have read, for a progress bar.
  package func byteCount(of decision: PackDecision) -> Int {
    decision.actions.reduce(0) { sum, action in
      switch action {
      case .add(let item), .keepBoth(let item, _), .change(let item, _):
        scan.items[item].type == .folder
          ? sum : sum + Int(clamping: scan.items[item].status.byteCount)
      case .rename, .mode, .remove: sum
      }
    }
  }

  /// What a decision means, before anything is done.
  package func outcome(of decision: PackDecision) -> PackOutcome {
    var outcome = PackOutcome()
    outcome.changes = decision.actions.map(change)
    outcome.problems = scan.problems + decision.problems
    outcome.unchangedCount = decision.equal.count
    outcome.excludedCount = scan.excludedCount
    outcome.kept = decision.kept.map { (vault.notes[$0.note].shownPath, $0.reason) }
    outcome.deletedInVault = decision.deletedInVault.map { scan.items[$0].path }
    outcome.sort()
    return outcome
  }

  func change(_ action: PackDecision.Action) -> PackChange {
    switch action {
    case .add(let item), .keepBoth(let item, _): PackChange(.added, scan.items[item].path)
    case .change(_, let note): PackChange(.changed, vault.notes[note].shownPath)
    case .rename(let item, let note):
      PackChange(.renamed, scan.items[item].path, from: vault.notes[note].shownPath)
    case .mode(_, let note): PackChange(.mode, vault.notes[note].shownPath)
    case .remove(let note): PackChange(.removed, vault.notes[note].shownPath)
    }
  }

  /// Does what was decided: one commit for each compartment that changes, then the base, then the originals.
  ///
  /// Where nothing changes, nothing is written but perhaps the base.
  /// - Parameter ahead: what was read while the key was derived.
  /// - Throws: as `PackSealing.run` and `WriterSession.commit`; nothing of the commit that failed has happened then.
  package func carryOut(
    _ decision: PackDecision, in session: inout WriterSession, ahead: PackReadAhead.Contents?
  ) throws(StoreError) -> PackOutcome {
    var outcome = outcome(of: decision)
    outcome.changes = []
    var results = Results()
    let home = vault.compartmentForNewNotes
    for compartment in vault.compartments {
      let actions = decision.actions.filter { action in
        self.compartment(of: action, home: home.index.compartment) == compartment.index.compartment
      }
      guard !actions.isEmpty else { continue }
      if !outcome.segments.isEmpty { try session.refresh() }
      let segment = try commit(actions, to: compartment, in: session, ahead, &outcome, &results)
      if let segment { outcome.segments.append(segment) }
    }
    try finish(decision, results, &outcome)
    outcome.sort()
    return outcome
  }

  /// What was done so far, in the terms of the base.
  struct Results: Sendable {
    /// Sources that are in the vault as they are, with the notes that hold them.
    var packed: [(item: Int, status: FileStatus, note: NoteInfo)] = []
    /// Notes that are no longer where they were.
    var gone = Set<NoteID>()
  }

  private func compartment(
    of action: PackDecision.Action, home: CompartmentID
  ) -> CompartmentID {
    switch action {
    case .add, .keepBoth: home
    case .change(_, let note), .rename(_, let note), .mode(_, let note), .remove(let note):
      vault.notes[note].compartment
    }
  }
}
