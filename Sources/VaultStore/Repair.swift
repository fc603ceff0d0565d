internal import VaultFormat

/// Repairs the structure of a vault: slots, copies, leftovers, `VAULT`, and with keys the index. It changes no note and
/// removes the only copy of nothing (spec §12).
///
/// One that was opened for writing keeps other writers out until its life ends.
package struct Repair: ~Copyable {
  /// What the repair is for.
  package enum Purpose: Sendable {
    /// Only to show what would be done.
    case showing
    /// Waits at most so many seconds for another writer.
    case writing(waitingSeconds: Double)
  }

  private let path: [UInt8]
  private let options: VerifyOptions
  private let progress: VerifyProgress
  private let root: SharedFolder
  private var lock: Lock?
  private var reading: RepairReading

  /// Locks the vault where `VAULT` is there to be locked, and reads every file.
  /// - Parameter faults: lets a test fail at any step.
  /// - Throws: `notAVault`, `busy`, and as `Verification`.
  package init(
    path: [UInt8], options: VerifyOptions, for purpose: Purpose, progress: VerifyProgress,
    faults: FaultPlan? = nil
  ) throws(StoreError) {
    let root: SharedFolder
    do { root = SharedFolder(try Directory(path: path, faults: faults)) } catch {
      if error.code == .notFound || error.code == .notAFolder { throw .notAVault(path: path) }
      throw .system(error, path: path)
    }
    var lock: Lock?
    if case .writing(let seconds) = purpose {
      lock = try Self.lock(root, waitingSeconds: seconds)
    }
    let reading = try RepairReading(path: path, options, progress)
    self.path = path
    self.options = options
    self.progress = progress
    self.root = root
    self.lock = lock
    self.reading = reading
  }

  /// Nil where there is no file to lock.
  private static func lock(
    _ root: SharedFolder, waitingSeconds: Double
  ) throws(StoreError) -> Lock? {
    let attempt: Lock.Attempt
    do throws(SystemError) {
      guard try root.folder.status(of: Layout.header)?.kind == .regular else { return nil }
      attempt = try Lock.acquire(
        Layout.header, in: root.folder, waitingSeconds: waitingSeconds)
    } catch {
      throw .system(error, path: Layout.header)
    }
    switch consume attempt {
    case .held(let lock): return lock
    case .busy: throw .busy
    }
  }

  /// What a secret is tried on; nil where nothing says which vault this is.
  package var lockedVault: (vault: VaultFolder, snapshot: Snapshot)? {
    reading.base.vault.map { ($0, reading.base.snapshot) }
  }

  /// What would be done.
  /// - Parameter opened: the keys, where the index shall be repaired too.
  package borrowing func plan(with opened: OpenedSlots?) throws(StoreError) -> RepairPlan {
    guard var planner = try RepairPlanner(reading, bounds: options.bounds) else {
      return RepairPlan()
    }
    guard try planner.run(with: opened), let opened else { return planner.plan }
    return try RepairListingPlanner(planner, opened, options, progress).run()
  }

  /// Does what a plan of this repair says.
  /// - Throws: `changedMeanwhile` when the vault is not as it was planned for; `busy`, `system`, `sealing`. What was done
  ///   until then stays done, and the rest can be planned again.
  package mutating func carryOut(
    _ shown: RepairPlan, with opened: OpenedSlots?
  ) throws(StoreError) -> RepairOutcome {
    if shown.isEmpty { return RepairOutcome() }
    var plan = shown
    if let action = shown.actions.first(where: \.isAboutHeader) {
      try mendHeader(action)
      // Nobody could be kept out until now.
      plan = try self.plan(with: opened)
      guard Set(plan.actions).isSubset(of: shown.actions) else { throw .changedMeanwhile }
    }
    guard let lock = lock.take() else { throw .changedMeanwhile }
    let vault = try VaultFolder(path: path, faults: root.folder.descriptor.faults)
    let session = try WriterSession(vault, bounds: options.bounds, holding: lock)
    var execution = RepairExecution(session, files(of: vault.header.vaultID))
    return try execution.run(plan, showing: shown)
  }

  private func files(of vaultID: VaultID) -> RepairFiles {
    RepairFiles(root: root, reader: RepairFileReader(vaultID: vaultID, bounds: options.bounds))
  }

  /// Brings `VAULT` back and locks it.
  private mutating func mendHeader(_ action: RepairAction) throws(StoreError) {
    guard let vault = reading.base.vault else { throw .changedMeanwhile }
    let files = files(of: vault.header.vaultID)
    switch action {
    case .rebuildHeader(let header, _, let isReplacing):
      try files.write(
        header.encoded(), to: Layout.header, isReplacing ? .allowed : .forbidden)
    case .moveIntoPlace(let from, let path, let file, let isReplacing):
      try files.move(from, to: path, file, isReplacing ? .allowed : .forbidden)
    default: preconditionFailure("no other action is about VAULT")
    }
    lock = nil
    lock = try Self.lock(root, waitingSeconds: 0)
    reading = try RepairReading(path: path, options, progress)
  }
}
