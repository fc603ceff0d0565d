package import VaultFormat
internal import VaultSealing

/// A new compartment in a vault that exists: master key, a slot for a passphrase and one for a phrase, and the first
/// segment, which lists them (spec §9.1). The other compartments are not touched.
package struct CompartmentCreation: Sendable {
  private let secret: CompartmentSecret
  private let slots: [NewSlot]

  /// Prepares everything in memory.
  /// - Throws: `crypto`, `sealing`.
  package init(
    in vault: VaultFolder, passphrase: SlotRequest, phrase: SlotRequest, bounds: KDFBounds
  ) throws(StoreError) {
    let secret = try CompartmentSecret.fresh(in: vault.header.vaultID)
    slots = [
      try NewSlot(passphrase, for: secret, in: vault.header, bounds: bounds),
      try NewSlot(phrase, for: secret, in: vault.header, bounds: bounds),
    ]
    self.secret = secret
  }

  package var compartment: CompartmentID { secret.keys.compartmentID }
  package var signer: SignerKey { secret.keys.signer }

  /// What the new passphrase opens, so that whoever goes on writing need not derive it again.
  /// - Throws: `sealing`.
  package func opened() throws(StoreError) -> OpenedSlots {
    OpenedSlots(
      secrets: [compartment: try secret.withoutMasterKey()], slots: [slots[0].slot],
      report: SlotReport())
  }

  /// Makes the compartment, or leaves the vault as it is.
  /// - Throws: `tooManySlots`, `changedMeanwhile`, `system`, `sealing`.
  package func commit(in session: borrowing WriterSession) throws(StoreError)
    -> SlotChange.Outcome
  {
    for isSpare in [false, true] {
      let count = session.snapshot.slots.count { $0.isSpare == isSpare }
      guard count + slots.count <= Limits.slotFiles else { throw .tooManySlots }
    }
    var change = IndexChange()
    for slot in slots {
      try change.state(.slot(slot.slot.head.locator), slot.state, over: Register())
    }
    let nothing = CompartmentIndex(compartment: compartment, signer: signer, segments: [])
    let unfinished = try session.commit(change, slots: slots, secret: secret, index: nothing)
    return SlotChange.Outcome(
      slots: slots.map(\.slot), isListed: true, unfinished: unfinished)
  }
}
