package import VaultFormat

extension Snapshot {
  /// Whether a compartment ended: a hand-over names it as a predecessor. Nothing is written to it any more (spec §7.5).
  package func isClosed(_ compartment: CompartmentID) -> Bool {
    handOvers.closed[compartment] != nil
  }

  /// What lies in compartments that ended: one finding for each live segment, or one where a compartment has none.
  func closedFindings(_ compartments: some Sequence<CompartmentID>) -> [Finding] {
    compartments.filter(isClosed).sorted().flatMap { id in
      let live = self.compartments[id]?.live ?? []
      if live.isEmpty {
        return [
          Finding(
            .closedCompartment, Layout.index,
            "this vault was re-keyed, and the secret is one of before",
            found: "compartment \(id.hex)")
        ]
      }
      return live.map { segment in
        Finding(
          .closedCompartment, Layout.path(Layout.index, Layout.segment(segment.id)),
          "a segment of a compartment that was re-keyed: another branch went on writing to it, or "
            + "whoever has the old key did",
          found: "compartment \(id.hex)")
      }
    }
  }
}

extension OpenedSlots {
  /// What was opened by other slots than these; nil where nothing was.
  package func without(_ gone: Set<Locator>) -> OpenedSlots? {
    let left = slots.filter { !gone.contains($0.head.locator) }
    if left.count == slots.count { return self }
    let compartments = Set(left.map(\.head.compartment))
    let open = secrets.filter { compartments.contains($0.key) }
    return open.isEmpty ? nil : OpenedSlots(secrets: open, slots: left, report: report)
  }

  /// What was opened of compartments that ended, for a warning.
  package func closedFindings(in snapshot: Snapshot) -> [Finding] {
    snapshot.closedFindings(secrets.keys)
  }

  /// What a writer may use: without the compartments that ended, whose keys are for reading only (spec §7.5).
  /// - Throws: `indexNotSound` with `closedCompartment` where nothing else was opened.
  package func withoutClosed(in snapshot: Snapshot) throws(StoreError) -> OpenedSlots {
    let open = secrets.filter { !snapshot.isClosed($0.key) }
    guard !open.isEmpty else { throw .indexNotSound(closedFindings(in: snapshot)) }
    if open.count == secrets.count { return self }
    return OpenedSlots(
      secrets: open, slots: slots.filter { open[$0.head.compartment] != nil }, report: report)
  }
}
