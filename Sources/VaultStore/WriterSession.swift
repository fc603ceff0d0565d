internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// A vault that this process alone writes to, until the value's life ends (spec §9).
package struct WriterSession: ~Copyable {
  package let vault: VaultFolder
  /// The index as it was after a run that had not finished was completed.
  package private(set) var snapshot: Snapshot
  let bounds: KDFBounds
  private let lock: Lock
  private let reading: Snapshot.Reading

  /// Locks the vault, completes a run that stopped after its commit, and reads the index.
  /// - Throws: `busy`, `system`, and what a snapshot can be wrong with.
  package init(
    _ vault: VaultFolder, bounds: KDFBounds, waitingSeconds: Double
  ) throws(StoreError) {
    try self.init(vault, bounds: bounds, waitingSeconds: waitingSeconds, reading: .all)
  }

  /// The same for a change of slots alone, which is as quick in a large vault: nothing is kept of the notes.
  package init(
    forSlotsOf vault: VaultFolder, bounds: KDFBounds, waitingSeconds: Double
  ) throws(StoreError) {
    try self.init(vault, bounds: bounds, waitingSeconds: waitingSeconds, reading: .slotsAndGraph)
  }

  private init(
    _ vault: VaultFolder, bounds: KDFBounds, waitingSeconds: Double, reading: Snapshot.Reading
  ) throws(StoreError) {
    let lock = try Self.lock(vault, waitingSeconds: waitingSeconds)
    var snapshot = try Snapshot.load(vault, bounds: bounds, reading: reading)
    if try StagedRuns.list(in: vault, snapshot).contains(where: \.isCommitted) {
      // To complete one takes what the index says of its notes.
      let whole = reading == .all ? snapshot : try Snapshot.load(vault, bounds: bounds)
      try Self.completeRuns(of: vault, whole) { _ in true }
      // The files of slots that ended have gone.
      snapshot = try Snapshot.load(vault, bounds: bounds, reading: reading)
    }
    self.vault = vault
    self.bounds = bounds
    self.snapshot = snapshot
    self.lock = lock
    self.reading = reading
  }

  /// Goes on with a lock that is held already, and completes nothing yet.
  init(
    _ vault: VaultFolder, bounds: KDFBounds, holding lock: consuming Lock
  ) throws(StoreError) {
    let snapshot = try Snapshot.load(vault, bounds: bounds)
    self.vault = vault
    self.bounds = bounds
    self.snapshot = snapshot
    self.lock = lock
    reading = .all
  }

  private static func lock(
    _ vault: VaultFolder, waitingSeconds: Double
  ) throws(StoreError) -> Lock {
    let attempt: Lock.Attempt
    do {
      attempt = try Lock.acquire(Layout.header, in: vault.root, waitingSeconds: waitingSeconds)
    } catch {
      throw .system(error, path: Layout.header)
    }
    switch consume attempt {
    case .held(let lock): return lock
    case .busy: throw .busy
    }
  }

  /// Completes runs that stopped after their commit.
  /// - Throws: `indexNotSound` where one cannot be completed; `damaged`, `system`.
  func completeRuns(_ isMeant: (StagedRuns.Run) -> Bool) throws(StoreError) {
    try Self.completeRuns(of: vault, snapshot, isMeant)
  }

  private static func completeRuns(
    of vault: VaultFolder, _ snapshot: Snapshot, _ isMeant: (StagedRuns.Run) -> Bool
  ) throws(StoreError) {
    for run in try StagedRuns.list(in: vault, snapshot) where run.isCommitted && isMeant(run) {
      try StagedRuns.complete(run, in: vault, snapshot)
    }
  }

  /// Reads the index again, after a commit.
  package mutating func refresh() throws(StoreError) {
    snapshot = try Snapshot.load(vault, bounds: bounds, reading: reading)
  }

  /// Removes what runs that never committed left behind, and reads the index again if that included slots. A folder that
  /// holds what the vault misses stays whole.
  /// - Returns: the slots that went.
  /// - Throws: `system`, and what a snapshot can be wrong with.
  @discardableResult
  package mutating func removeLeftovers() throws(StoreError) -> Set<Locator> {
    try removeLeftovers { _ in true }
  }

  /// The same for some of the runs.
  @discardableResult
  mutating func removeLeftovers(
    _ isMeant: (StagedRuns.Run) -> Bool
  ) throws(StoreError) -> Set<Locator> {
    var gone = Set<Locator>()
    let runs = try StagedRuns.list(in: vault, snapshot).filter { !$0.isCommitted && isMeant($0) }
    // To know what is missed takes what the index says of the notes.
    let whole =
      reading == .all || runs.isEmpty ? snapshot : try Snapshot.load(vault, bounds: bounds)
    for run in runs where try StagedNeeds(in: run, of: vault, whole).files.isEmpty {
      gone.formUnion(try StagedSlots(of: run, in: vault, snapshot).remove())
      try StagedRuns.remove(run, in: vault)
    }
    try StagedRuns.removeFolderIfEmpty(in: vault)
    if !gone.isEmpty { try refresh() }
    return gone
  }

  /// Deletes the segments that others replace, which a compaction that was cut short has left.
  /// - Throws: `system`, and what a snapshot can be wrong with.
  mutating func removeReplaced() throws(StoreError) {
    let replaced =
      snapshot.compartments.values.flatMap(\.graph.superfluous)
      + snapshot.handedOverSegments
    if replaced.isEmpty { return }
    try delete(replaced)
    try refresh()
  }

  private func delete(_ segments: [SegmentID]) throws(StoreError) {
    do {
      let index = try Directory(opening: Layout.index, in: vault.root)
      for id in segments { try index.unlink(FileNameHex.name(of: id)) }
      try index.sync()
    } catch {
      throw .system(error, path: Layout.index)
    }
  }

  /// A folder to stage sealed files in.
  package func newRun() throws(StoreError) -> StagingRun {
    let id: NoteID
    do { id = try Fresh().id } catch { throw .sealing(error, path: []) }
    return try StagingRun(in: vault.root, id: id)
  }

  /// Commits a change as one segment and puts the staged files in place.
  /// - Parameter excuses: segments that are stated not to be there.
  /// - Returns: the segment's id. When this throws `changedMeanwhile` or anything before the commit, nothing changed.
  package func commit(
    _ change: consuming IndexChange, run: consuming StagingRun, secret: CompartmentSecret,
    index: CompartmentIndex, excuses: [SegmentID] = []
  ) throws(StoreError) -> SegmentID {
    let (segment, plan) = try seal(&change, secret, index, excuses: excuses)
    let id = segment.segment.id
    try run.commit(plan: plan, segment: segment.bytes, id: id) { () throws(StoreError) in
      try check()
    }
    // Nobody else holds the lock, so what the plan says is what the index says.
    _ = try CommitCompletion(
      vault: vault, name: Array(id.hex.utf8), plan: plan, standing: nil
    ).run()
    return id
  }

  /// Commits a change of slots: the new ones come before the segment, the files of the ended ones go after it.
  /// - Returns: what could not be done after the commit. When this throws, nothing changed, or what changed is complete
  ///   but for that.
  func commit(
    _ change: consuming IndexChange, slots: [NewSlot], secret: CompartmentSecret,
    index: CompartmentIndex
  ) throws(StoreError) -> StoreError? {
    let (segment, plan) = try seal(&change, secret, index)
    let id = segment.segment.id
    var run = try newRun()
    try run.commit(plan: plan, segment: segment.bytes, id: id, slots: slots) {
      () throws(StoreError) in
      try check(with: slots.map(\.name))
    }
    do {
      try SlotRemoval(of: index, joining: change.entries).run(in: vault)
      _ = try CommitCompletion(
        vault: vault, name: Array(id.hex.utf8), plan: plan, standing: nil
      ).run()
      return nil
    } catch {
      return error
    }
  }

  /// Commits a hand-over: the new slots come before it, and what the old compartment leaves behind goes after it.
  /// - Returns: as for a change of slots.
  func commitHandOver(
    _ change: consuming IndexChange, run: consuming StagingRun, slots: [NewSlot],
    from old: UnlockedCompartment, to new: CompartmentSecret, predecessors: [Predecessor]
  ) throws(StoreError) -> StoreError? {
    change.sort()
    let segment: SealedSegment
    let plan: CommitPlan
    do {
      var replaces = Set<SegmentID>()
      for (id, node) in old.index.graph.nodes {
        replaces.insert(id)
        replaces.formUnion(node.replaces)
      }
      let lists = try SegmentLists(
        parents: [], replaces: replaces.sorted(), excuses: [], entries: change.entries)
      plan = try CommitPlan(items: change.plan)
      segment = try SegmentMaking.seal(
        lists, items: change.body, secret: new, vaultDigest: vault.headerDigest,
        predecessors: predecessors)
    } catch let error as FormatError {
      throw .sealing(.format(error), path: Layout.index)
    } catch {
      throw error as? StoreError ?? .changedMeanwhile
    }
    let id = segment.segment.id
    try run.commit(plan: plan, segment: segment.bytes, id: id, slots: slots) {
      () throws(StoreError) in
      try check(with: slots.map(\.name))
    }
    do {
      try HandOverRemoval(of: old.index, snapshot).run(in: vault)
      _ = try CommitCompletion(
        vault: vault, name: Array(id.hex.utf8), plan: plan, standing: nil
      ).run()
      return nil
    } catch {
      return error
    }
  }

  private func seal(
    _ change: inout IndexChange, _ secret: CompartmentSecret, _ index: CompartmentIndex,
    excuses: [SegmentID] = []
  ) throws(StoreError) -> (SealedSegment, CommitPlan) {
    change.sort()
    let lists: SegmentLists
    let plan: CommitPlan
    do {
      lists = try SegmentLists(
        parents: index.graph.parentsForNewSegment, replaces: [], excuses: excuses.sorted(),
        entries: change.entries)
      plan = try CommitPlan(items: change.plan)
    } catch {
      throw .sealing(.format(error), path: Layout.index)
    }
    let segment = try SegmentMaking.seal(
      lists, items: change.body, secret: secret, vaultDigest: vault.headerDigest)
    return (segment, plan)
  }

  /// Commits a compaction, then deletes the segments that it replaces.
  func commitMerge(
    _ lists: SegmentLists, items: [SegmentBody.Item], secret: CompartmentSecret,
    removing gone: [SegmentID]
  ) throws(StoreError) {
    let segment = try SegmentMaking.seal(
      lists, items: items, secret: secret, vaultDigest: vault.headerDigest)
    var run = try newRun()
    let id = segment.segment.id
    let plan = try StagedRuns.emptyPlan()
    try run.commit(plan: plan, segment: segment.bytes, id: id) { () throws(StoreError) in
      try check()
    }
    try delete(gone)
    _ = try CommitCompletion(
      vault: vault, name: Array(id.hex.utf8), plan: plan, standing: nil
    ).run()
  }

  /// Step 3: the lock still holds the file at the path, and `index/` has changed by nothing but the run's own slots.
  func check(with own: [[UInt8]] = []) throws(StoreError) {
    do {
      guard try lock.isCurrent(in: vault.root),
        try Directory(opening: Layout.index, in: vault.root).entries().map(\.name)
          .filter({ !own.contains($0) }) == snapshot.indexNames
      else { throw StoreError.changedMeanwhile }
    } catch let error as SystemError {
      throw .system(error, path: Layout.index)
    } catch {
      throw .changedMeanwhile
    }
  }
}

/// Seals a segment with fresh randomness.
enum SegmentMaking {
  static func seal(
    _ lists: SegmentLists, items: [SegmentBody.Item], secret: CompartmentSecret,
    vaultDigest: Digest, predecessors: [Predecessor] = []
  ) throws(StoreError) -> SealedSegment {
    do throws(SealingError) {
      let fresh = try Fresh()
      var compressor = try Fresh.compressor()
      return try SegmentSealing.seal(
        lists, items, keys: secret.keys, vaultDigest: vaultDigest, salt: fresh.salt,
        nonce: fresh.nonce, predecessors: predecessors, compressingWith: &compressor)
    } catch {
      throw .sealing(error, path: Layout.index)
    }
  }
}
