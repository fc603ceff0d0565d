package import VaultFormat

extension Snapshot {
  /// The slots that runs without a commit have left, which the next writer removes (spec §9.1).
  /// - Throws: `system`, `crypto`.
  package func leftoverSlots(in vault: VaultFolder) throws(StoreError) -> Set<Locator> {
    var locators = Set<Locator>()
    for run in try StagedRuns.list(in: vault, self) where !run.isCommitted {
      guard try StagedNeeds(in: run, of: vault, self).files.isEmpty else { continue }
      locators.formUnion(try StagedSlots(of: run, in: vault, self).locators)
    }
    return locators
  }

  /// What is wrong with the slots as a whole, for an owner who looks at them: one that no segment lists, which somebody may
  /// have added; one that was ended and is there again; and a listed one that is not there (spec §7.2). What a run without
  /// a commit has put there, or a committed one is about to remove, is left out.
  /// - Throws: `system`.
  package func slotFindings(in vault: VaultFolder) throws(StoreError) -> [Finding] {
    var leftovers = Set<StagedSlots.File>()
    var hasCommittedRun = false
    for run in try StagedRuns.list(in: vault, self) {
      if run.isCommitted { hasCommittedRun = true }
      leftovers.formUnion(try StagedSlots(of: run, in: vault, self).files)
    }
    var findings: [Finding] = []
    let files = slots.filter { !$0.isSpare }
    for file in files where !leftovers.contains(StagedSlots.File(file)) {
      let path = Layout.path(Layout.index, Layout.slot(file.locator))
      let registers = compartments.values.compactMap { $0.slots[file.locator] }
      if registers.isEmpty {
        if isHandedOver(file), hasCommittedRun { continue }
        findings.append(VerifySubject.slot.finding(.unlisted, path, nil, onDisk: file.state))
      } else if !registers.contains(where: \.isAlive), !hasCommittedRun {
        findings.append(
          VerifySubject.slot.finding(.deleted, path, registers[0], onDisk: file.state))
      }
    }
    let present = Set(files.map(\.locator))
    for index in compartments.values {
      for (locator, register) in index.slots where register.isAlive && !present.contains(locator) {
        findings.append(
          VerifySubject.slot.finding(
            .missing, Layout.path(Layout.index, Layout.slot(locator)), register, onDisk: nil))
      }
    }
    return findings.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }
}
