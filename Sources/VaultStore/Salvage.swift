internal import VaultFormat

/// Brings back what can be brought back of a damaged vault, and only reads the vault (spec §12.2).
package struct Salvage: Sendable {
  private let vault: UnlockedVault
  private let compartments: [SalvageCompartment]
  private let locked: Set<CompartmentID>

  /// - Parameter vault: of a `SalvageBase`, opened with one secret or several.
  /// - Throws: `sealing` where there is no memory.
  package init(_ vault: UnlockedVault) throws(StoreError) {
    self.vault = vault
    var compartments: [SalvageCompartment] = []
    for compartment in vault.compartments {
      compartments.append(try SalvageCompartment(compartment))
    }
    self.compartments = compartments
    let opened = Set(compartments.map(\.id))
    locked = Set(vault.snapshot.compartments.keys)
      .union(vault.snapshot.usableSlots.map(\.head.compartment)).subtracting(opened)
  }

  /// Whether a folder can be a target: not there yet, or empty, and not in the vault. Touches nothing.
  /// - Throws: `targetInVault`, `notEmpty`, `system`.
  package static func check(target path: [UInt8], of base: SalvageBase) throws(StoreError) {
    if try UnpackTarget.isInside(base.vault, path: path) { throw .targetInVault }
    do {
      guard try Directory.status(path: path) != nil else { return }
      guard try Directory(path: path).entries().isEmpty else {
        throw StoreError.notEmpty(path: path)
      }
    } catch let error as SystemError {
      throw .system(error, path: path)
    } catch {
      throw error as? StoreError ?? .notEmpty(path: path)
    }
  }

  /// Reads everything and writes what is authentic into the target.
  /// - Throws: `targetInVault`, `notEmpty`, `interrupted` before anything is written; `sealing`, `system` where the
  ///   means to work are not to be had. What is wrong with single notes is in the report.
  package func run(
    into path: [UInt8], watch: SalvageWatch, faults: FaultPlan? = nil
  ) throws(StoreError) -> SalvageReport {
    let found = try SalvageScan(
      vault: vault.vault, compartments: compartments, locked: locked, watch: watch
    ).run()
    let plan = SalvagePlan(found, compartments)
    let target = try UnpackTarget(path: path, vault: vault.vault, faults: faults)
    do {
      guard try target.root.entries().isEmpty else { throw StoreError.notEmpty(path: path) }
    } catch {
      throw error as? StoreError ?? .notEmpty(path: path)
    }
    var folders: UnpackFolders
    do { folders = try UnpackFolders(target, vault: vault.vault, existing: .refused) } catch {
      throw .system(error, path: path)
    }
    let run = try SalvageRun(
      vault.vault, compartments, into: target, names: plan.names, watch: watch)
    run.add { report in
      report.problems = plan.problems
      report.lost = plan.problems.count
      report.copies = plan.copies
      report.lockedCompartments = locked.sorted()
      report.lockedFiles = found.lockedFileCount
    }
    let folderItems = makeFolders(plan.items, &folders, run)
    let others = plan.items.filter { item in
      !item.isFolder && folders.admits(UnpackPlace(item.path).folder)
    }
    try write(others.filter { !$0.isLink }, run)
    // Links come last, so that nothing is ever written through one.
    try write(others.filter(\.isLink), run)
    for item in folderItems.reversed() where !run.shouldStop() { finish(item, run) }
    var blocked = UnpackReport()
    folders.report(into: &blocked)
    for problem in blocked.problems {
      run.add(problem.path, nil, problem.fault, noteCount: problem.noteCount)
    }
    var report = try run.finish()
    if report.stop != nil {
      let tried = report.whole + report.damaged + report.versions.count + report.lost
      report.untried = max(0, plan.items.count + plan.problems.count - tried)
    }
    return report
  }

  /// Makes every folder that is needed.
  /// - Returns: those that are notes and are there now, parents first.
  private func makeFolders(
    _ items: [SalvageItem], _ folders: inout UnpackFolders, _ run: SalvageRun
  ) -> [SalvageItem] {
    var made: [SalvageItem] = []
    do {
      for item in items.sorted(by: { Syscalls.precedes($0.path, $1.path) }) {
        guard item.isFolder else {
          try folders.require(UnpackPlace(item.path).folder)
          continue
        }
        try folders.require(item.path)
        if folders.admits(item.path) { made.append(item) }
      }
    } catch {
      run.end(.target(error))
    }
    return made
  }

  private func write(_ items: [SalvageItem], _ run: SalvageRun) throws(StoreError) {
    guard !items.isEmpty, !run.shouldStop() else { return }
    let queue = WorkQueue(count: items.count)
    do {
      try Workers.run(count: max(1, min(run.watch.workerCount, items.count))) { _ in
        do throws(StoreError) {
          var writer = try SalvageWriter(run)
          while let number = queue.next(), !run.shouldStop() { writer.write(items[number]) }
        } catch {
          run.fail(error)
        }
      }
    } catch {
      throw .system(error, path: [])
    }
  }

  /// Gives a folder its permissions and time when nothing is written into it any more.
  private func finish(_ item: SalvageItem, _ run: SalvageRun) {
    do throws(SystemError) {
      let place = UnpackPlace(item.path)
      var cursor = try UnpackCursor(run.target.root)
      try cursor.enter(place.folder)
      if let record = item.candidate.record {
        if let permissions = record.permissions {
          try cursor.folder.setMode(place.name, UInt32(permissions))
        }
        try cursor.folder.setTimes(place.name, modified: FileTime(record.modified))
      }
      run.add { report in
        switch item.kind {
        case .own: report.whole += 1
        case .version(let reason):
          report.versions.append(
            SalvagedVersion(path: item.path, noteID: item.candidate.noteID, reason: reason))
        case .damaged:
          report.damaged += 1
          report.problems.append(
            SalvageProblem(path: item.path, noteID: item.candidate.noteID, reason: .damaged))
        }
      }
    } catch {
      run.add(item.path, item.candidate.noteID, .target(error))
    }
  }
}
