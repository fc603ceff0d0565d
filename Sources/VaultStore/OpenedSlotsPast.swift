internal import VaultFormat
internal import VaultSealing

// The keys of a vault for other states of it: what was handed over since stays readable to its owner (spec §7.5).
extension OpenedSlots {
  /// With the keys of all compartments that were handed over to an opened one.
  /// - Parameter snapshot: the state whose slots were opened.
  package func withPast(of snapshot: Snapshot) throws(StoreError) -> OpenedSlots {
    OpenedSlots(
      secrets: try withFormer(snapshot) { _ in true }, slots: slots, report: report)
  }

  /// Reads the notes of another state of the vault; a compartment that was not there then is no finding.
  package func readOther(
    _ snapshot: Snapshot, of vault: VaultFolder
  ) throws(StoreError) -> UnlockedVault {
    let there = secrets.filter { snapshot.compartments[$0.key] != nil }
    return try OpenedSlots(secrets: there, slots: slots, report: SlotReport())
      .read(snapshot, of: vault)
  }
}
