internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// Compares slots and companions with what the segments list, and the segments with each other (spec §7.2).
struct VerifyIndex {
  let base: VerifyBase
  let topLevel: VerifyTopLevel
  /// The segments of runs that committed and were not completed.
  let committed: [SegmentID]
  /// Slot files that a run without a commit left.
  let leftovers: Set<StagedSlots.File>
  private(set) var findings: [Finding] = []
  /// Compartments that are named somewhere and have no valid segment.
  let compartmentsWithoutIndex: Set<CompartmentID>
  /// Paths that need no second finding: the file is damaged, or a placeholder stands for it.
  private let explained: Set<[UInt8]>

  init(_ base: VerifyBase, _ topLevel: VerifyTopLevel, _ staging: VerifyStaging) {
    self.base = base
    committed = staging.committed.compactMap { SegmentID(hex: $0.span) }
    leftovers = staging.leftoverSlots
    self.topLevel = topLevel
    var known = Set<CompartmentID>()
    if let header = base.vault?.header {
      known.insert(header.firstCompartment)
      for file in base.snapshot.slots where !leftovers.contains(StagedSlots.File(file)) {
        guard let head = file.slot?.head, head.vaultID == header.vaultID else { continue }
        known.insert(head.compartment)
      }
    }
    compartmentsWithoutIndex = known.subtracting(base.snapshot.compartments.keys)
      .subtracting(base.snapshot.handOvers.closed.keys)
    var explained = topLevel.unusable
    for finding in base.findings + topLevel.findings where finding.severity == .error {
      explained.insert(finding.path)
      if finding.code == .notDownloaded { explained.insert(Self.real(finding.path)) }
    }
    self.explained = explained
  }

  /// - Throws: `crypto`.
  mutating func compare() throws(StoreError) {
    compareSegments()
    compareHandOvers()
    var listed = Set<Locator>()
    for index in base.snapshot.compartments.values {
      for (locator, register) in index.slots {
        listed.insert(locator)
        compareSlot(locator, register, in: index.compartment)
      }
      requireASlot(of: index)
    }
    try compareUnlistedSlots(listed)
    compareCompanions()
  }

  /// `a/.NAME.icloud` stands for `a/NAME`.
  static func real(_ path: [UInt8]) -> [UInt8] {
    let name = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return path[..<name] + path[name...].dropFirst().dropLast(".icloud".utf8.count)
  }

  // MARK: - Segments

  private mutating func compareSegments() {
    if base.indexIsRead {
      for compartment in compartmentsWithoutIndex.sorted() {
        findings.append(
          Finding(
            .noIndex, Layout.index, "no valid segment of a compartment is there",
            expected: "compartment \(compartment.hex)"))
      }
      if base.vault == nil {
        findings.append(
          Finding(.noIndex, Layout.index, "nothing says which vault the segments belong to"))
      }
    }
    for index in base.snapshot.compartments.values {
      for (segment, namedBy) in index.graph.missing {
        let path = Layout.path(Layout.index, Layout.segment(segment))
        if explained.contains(path) { continue }
        findings.append(
          Finding(
            .segmentMissing, path, "another segment builds on this one, and it is not there",
            expected: "a parent of \(namedBy.hex)", found: "no file"))
      }
    }
  }

  /// What lies in a compartment that was handed over, and compartments that two others took over (spec §7.5).
  private mutating func compareHandOvers() {
    for (id, closed) in base.snapshot.handOvers.closed.sorted(by: { $0.key < $1.key }) {
      for segment in base.snapshot.compartments[id]?.live ?? [] {
        findings.append(
          Finding(
            .closedCompartment, Layout.path(Layout.index, Layout.segment(segment.id)),
            "a segment of a compartment that was re-keyed: another branch went on writing to it",
            found: "compartment \(id.hex)"))
      }
      guard closed.successors.count > 1 else { continue }
      findings.append(
        Finding(
          .handOverConflict, Layout.index,
          "several compartments took over from one: two branches were re-keyed, or a stranger has the old key",
          expected: "one successor of \(id.hex)",
          found: closed.successors.map(\.hex).joined(separator: ", ")))
    }
  }

  // MARK: - Slots

  private func file(_ locator: Locator, isSpare: Bool) -> SlotFile? {
    base.snapshot.slots.first { $0.locator == locator && $0.isSpare == isSpare }
  }

  private mutating func compareSlot(
    _ locator: Locator, _ register: Register, in compartment: CompartmentID
  ) {
    let path = Layout.path(Layout.index, Layout.slot(locator))
    let file = file(locator, isSpare: false)
    if let slot = file?.slot, slot.head.compartment != compartment {
      findings.append(
        Finding(
          .foreignVault, path, "the slot belongs to another compartment",
          expected: "compartment \(compartment.hex)",
          found: "compartment \(slot.head.compartment.hex)"))
    } else if !explained.contains(path), !(file.map(isBeingRemoved) ?? false) {
      for verdict in VerifyVerdict.verdicts(register, onDisk: file?.state) {
        findings.append(
          VerifySubject.slot.finding(verdict, path, register, onDisk: file?.state))
      }
    }
    if let current = register.onlyCurrent, current.isFile {
      compareSpare(locator, expected: current)
    } else if let file, register.isConflicted {
      compareSpare(locator, expected: file.state)
    }
  }

  /// Two branches that each end a slot may end all together: no secret would open the notes, and nothing else says so.
  private mutating func requireASlot(of index: CompartmentIndex) {
    let compartment = index.compartment
    let isThere = base.snapshot.usableSlots.contains { $0.head.compartment == compartment }
    guard !isThere, !index.slots.isEmpty, !index.slots.values.contains(where: \.isAlive) else {
      return
    }
    findings.append(
      Finding(
        .slotMissing, Layout.index, "no slot of a compartment is left: no secret opens its notes",
        expected: "compartment \(compartment.hex)", found: "no slot"))
  }

  private mutating func compareSpare(_ locator: Locator, expected: State) {
    let path = Layout.path(Layout.spare, Layout.slot(locator))
    if explained.contains(path) || explained.contains(Layout.spare) { return }
    guard let spare = file(locator, isSpare: true) else {
      return findings.append(
        Finding(
          .spareMissing, path, "the second copy of the slot is not there", expected: expected.text,
          found: "no file"))
    }
    guard spare.state != expected else { return }
    findings.append(
      Finding(
        .spareDiffers, path, "the second copy of the slot is not equal to it",
        expected: expected.text, found: spare.state.text))
  }

  private mutating func compareUnlistedSlots(_ listed: Set<Locator>) throws(StoreError) {
    let alive = base.snapshot.compartments.values.flatMap { index in
      index.slots.filter { $0.value.isAlive }.keys
    }
    let expectedSpares = Set(alive).union(
      base.snapshot.slots.filter { !$0.isSpare }.map(\.locator))
    for file in base.snapshot.slots {
      let folder = file.isSpare ? Layout.spare : Layout.index
      let path = Layout.path(folder, Layout.slot(file.locator))
      if explained.contains(path) { continue }
      try checkSigner(file, path)
      if isBeingRemoved(file) { continue }
      if leftovers.contains(StagedSlots.File(file)) {
        findings.append(
          Finding(.leftover, path, "a run that stopped before its commit left this slot"))
        continue
      }
      if file.isSpare {
        if expectedSpares.contains(file.locator) { continue }
        findings.append(
          Finding(
            .spareUnlisted, path, "a second copy without its slot", found: file.state.text))
      } else if !listed.contains(file.locator) {
        if let slot = file.slot, compartmentsWithoutIndex.contains(slot.head.compartment) {
          continue
        }
        findings.append(VerifySubject.slot.finding(.unlisted, path, nil, onDisk: file.state))
        compareSpare(file.locator, expected: file.state)
      }
    }
  }

  /// A slot that a run has ended, or whose compartment it has handed over, goes when the run is completed.
  private func isBeingRemoved(_ file: SlotFile) -> Bool {
    committed.contains { segment in
      if base.snapshot.isHandedOver(file) { return base.snapshot.isHandOver(segment) }
      return base.snapshot.compartments.values.contains { index in
        guard index.graph.knows(segment), let register = index.slots[file.locator] else {
          return false
        }
        return !register.isAlive && register.isSuperseded(file.state.prefix)
      }
    }
  }

  private mutating func checkSigner(_ file: SlotFile, _ path: [UInt8]) throws(StoreError) {
    guard let head = file.slot?.head else { return }
    let fitting: CompartmentID
    do {
      fitting = try CompartmentKeys.compartmentID(vaultID: head.vaultID, signer: head.signer)
    } catch {
      throw .crypto(error)
    }
    guard fitting != head.compartment else { return }
    findings.append(
      Finding(
        .wrongSigner, path, "the slot's signer is not that of its compartment",
        expected: "compartment \(head.compartment.hex)", found: "compartment \(fitting.hex)"))
  }

  // MARK: - Companions

  /// Companions are listed in the first compartment only, or the one that took over from it (spec §7.1, §7.5).
  private mutating func compareCompanions() {
    guard let header = base.vault?.header else { return }
    let first = base.snapshot.companionCompartment(of: header)
    let handOvers = base.snapshot.handOvers
    // Of several successors, which are a finding, each lists them.
    let homes = [first] + (handOvers.closed[header.firstCompartment]?.successors ?? [])
    for index in base.snapshot.compartments.values
    where !homes.contains(index.compartment) && handOvers.closed[index.compartment] == nil {
      for path in index.companions.keys {
        findings.append(
          Finding(
            .malformed, path, "a companion is listed outside the first compartment",
            expected: "compartment \(first.hex)", found: "compartment \(index.compartment.hex)"))
      }
    }
    guard let registers = base.snapshot.compartments[first]?.companions else { return }
    for (path, register) in registers where !isExplained(path) {
      let file = topLevel.companions[path]
      for verdict in VerifyVerdict.verdicts(register, onDisk: file?.state) {
        let finding = VerifySubject.companion.finding(
          verdict, path, register, onDisk: file?.state)
        findings.append(
          verdict == .changed
            ? VerifyText.recognised(finding, file?.bytes ?? [], register) : finding)
      }
    }
    for (path, file) in topLevel.companions where registers[path] == nil {
      findings.append(VerifySubject.companion.finding(.unlisted, path, nil, onDisk: file.state))
    }
  }

  private func isExplained(_ path: [UInt8]) -> Bool {
    explained.contains(path)
      || path.starts(with: CompanionPath.kitFolder) && explained.contains(Layout.kit)
  }
}
