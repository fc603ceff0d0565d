package import VaultFormat
internal import VaultSealing

/// A change of one compartment's slots: those that come and those that end (spec §9.1).
///
/// It reads neither notes nor their entries' boxes, so it works where notes or segments are damaged or missing.
package struct SlotChange: Sendable {
  private let secret: CompartmentSecret
  private let opened: [KeySlot]
  private var added: [SlotRequest] = []
  private var ended: [Locator] = []

  /// What a change did.
  package struct Outcome: Sendable {
    /// The new slots, in the order in which they were asked for.
    package let slots: [KeySlot]
    /// False where the compartment has no valid segment: then the new slots are there, unlisted, and nothing ended.
    package let isListed: Bool
    /// Why the files of ended slots, or the folder of the run, could not be removed; the next writer does it.
    package let unfinished: StoreError?
  }

  /// - Parameters:
  ///   - secret: the keys of the compartment; with its master key if slots come.
  ///   - opened: the slots that the person's secret opened: while it waited, none of them may have ended.
  package init(of secret: CompartmentSecret, openedBy opened: [KeySlot]) {
    self.secret = secret
    self.opened = opened.filter { $0.head.compartment == secret.keys.compartmentID }
  }

  /// A new slot.
  package mutating func add(_ request: SlotRequest) { added.append(request) }

  /// A slot that ends, whether its files are whole, damaged or lost.
  package mutating func end(_ slot: Locator) {
    if !ended.contains(slot) { ended.append(slot) }
  }

  /// Makes the change, or none.
  /// - Throws: `indexNotSound` for a compartment that ended; `noSuchSlot`, `lastSlot`, `tooManySlots`, `changedMeanwhile`, `system`, `sealing`.
  package func commit(in session: borrowing WriterSession) throws(StoreError) -> Outcome {
    let snapshot = session.snapshot
    let closed = snapshot.closedFindings([secret.keys.compartmentID])
    guard closed.isEmpty else { throw .indexNotSound(closed) }
    try checkOpened(snapshot)
    try checkEnds(snapshot)
    try checkCount(snapshot)
    var slots: [NewSlot] = []
    for request in added {
      slots.append(
        try NewSlot(request, for: secret, in: session.vault.header, bounds: session.bounds))
    }
    guard let index = snapshot.compartments[secret.keys.compartmentID] else {
      var run = try session.newRun()
      try run.placeUnlisted(slots)
      return Outcome(slots: slots.map(\.slot), isListed: false, unfinished: nil)
    }
    let change = try change(slots, index, snapshot)
    let unfinished = try session.commit(
      change, slots: slots, secret: secret, index: index)
    return Outcome(slots: slots.map(\.slot), isListed: true, unfinished: unfinished)
  }

  private func change(
    _ slots: [NewSlot], _ index: CompartmentIndex, _ snapshot: Snapshot
  ) throws(StoreError) -> IndexChange {
    var change = IndexChange()
    for slot in slots {
      try change.state(.slot(slot.slot.head.locator), slot.state, over: Register())
    }
    for locator in ended {
      let grave: Grave
      do { grave = try Fresh().id.retyped(as: Grave.self) } catch {
        throw .sealing(error, path: Layout.index)
      }
      try change.bury(
        locator, under: grave, over: index.slots[locator] ?? Register(),
        onDisk: snapshot.slots.filter { $0.locator == locator }.map(\.state))
    }
    return change
  }

  // MARK: - What is refused

  /// A secret whose slot was ended by somebody else meanwhile must not make another.
  private func checkOpened(_ snapshot: Snapshot) throws(StoreError) {
    let present = Set(snapshot.usableSlots)
    guard opened.contains(where: present.contains) else { throw .changedMeanwhile }
  }

  private func checkEnds(_ snapshot: Snapshot) throws(StoreError) {
    let compartment = secret.keys.compartmentID
    let own = snapshot.compartments[compartment]?.slots ?? [:]
    for locator in ended {
      let others = snapshot.compartments.filter { $0.key != compartment }
      let isOfAnother =
        others.values.contains { $0.slots[locator] != nil }
        || snapshot.slots.contains {
          $0.locator == locator && $0.slot.map { $0.head.compartment != compartment } ?? false
        }
      let isKnown = own[locator] != nil || snapshot.slots.contains { $0.locator == locator }
      guard isKnown, own[locator] != nil || !isOfAnother else { throw .noSuchSlot(locator) }
    }
    if ended.isEmpty || !added.isEmpty { return }
    let stays = snapshot.slots.contains { file in
      guard let register = own[file.locator], file.slot?.head.compartment == compartment else {
        return false
      }
      return !ended.contains(file.locator) && register.current.contains(file.state)
    }
    guard stays else { throw .lastSlot }
  }

  private func checkCount(_ snapshot: Snapshot) throws(StoreError) {
    for isSpare in [false, true] {
      let staying = snapshot.slots.count { $0.isSpare == isSpare && !ended.contains($0.locator) }
      guard staying + added.count <= Limits.slotFiles else { throw .tooManySlots }
    }
  }
}
