package import VaultCrypto
package import VaultFormat

/// What a new slot says beside the values that follow from its keys (spec §5.4).
package struct SlotTerms: Sendable {
  package let purpose: SlotPurpose
  /// PBKDF2 iterations that T was derived with.
  package let iterations: UInt32
  /// Random, fresh for each slot.
  package let slotSalt: Salt
  package let label: String?
  package let hint: String?

  package init(
    purpose: SlotPurpose, iterations: UInt32, slotSalt: Salt, label: String?, hint: String?
  ) {
    self.purpose = purpose
    self.iterations = iterations
    self.slotSalt = slotSalt
    self.label = label
    self.hint = hint
  }
}

/// Makes slots (spec §5.4).
package enum SlotSealing {
  /// Wraps a master key under T into a new slot, and reads it back once.
  ///
  /// - Parameters:
  ///   - derived: T of `SlotSecret.derive`, with the purpose and iterations of `terms`.
  ///   - nonce: random, fresh.
  /// - Throws: `format` for terms that the format refuses, `crypto`, `selfCheckFailed`.
  package static func wrap(
    masterKey: borrowing SecretBytes, derived: borrowing SecretBytes, vault: VaultHeader,
    terms: SlotTerms, nonce: Nonce, bounds: KDFBounds
  ) throws(SealingError) -> KeySlot {
    let keys = try CompartmentKeys(masterKey: masterKey, vaultID: vault.vaultID)
    let head = try head(keys: keys, derived: derived, vault: vault, terms: terms, bounds: bounds)
    let box = try lifting(SealingError.crypto) { () throws(CryptoError) in
      let key = try SlotSecret.slotKey(
        derived, vaultID: vault.vaultID, slotSalt: terms.slotSalt)
      var aead = try AEAD()
      try aead.setKey(key)
      return try masterKey.withBytes { masterKey throws(CryptoError) in
        try SealedBox.seal(
          masterKey, nonce: nonce, label: Label.slot.bytes, context: head.prefix.span, with: &aead)
      }
    }
    let slot = try lifting(SealingError.format) { () throws(FormatError) in
      try KeySlot(head: head, box: box)
    }
    guard try opens(slot.encoded(), masterKey: masterKey, derived: derived, bounds: bounds) else {
      throw .selfCheckFailed
    }
    return slot
  }

  private static func head(
    keys: borrowing CompartmentKeys, derived: borrowing SecretBytes, vault: VaultHeader,
    terms: SlotTerms, bounds: KDFBounds
  ) throws(SealingError) -> KeySlotHead {
    let locator = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try SlotSecret.locator(derived, vaultID: vault.vaultID, slotSalt: terms.slotSalt)
    }
    do {
      return try KeySlotHead(
        vaultID: vault.vaultID, vaultSalt: vault.vaultSalt,
        firstCompartment: vault.firstCompartment, compartment: keys.compartmentID,
        purpose: terms.purpose, iterations: terms.iterations, slotSalt: terms.slotSalt,
        locator: locator, signer: keys.signer, label: terms.label, hint: terms.hint,
        laterKeys: LaterKeys(), bounds: bounds)
    } catch {
      throw .format(error)
    }
  }

  /// Whether a slot's file, read as a stranger would, opens with T and holds this master key (spec §9.1).
  /// - Throws: `crypto`.
  package static func opens(
    _ file: [UInt8], masterKey: borrowing SecretBytes, derived: borrowing SecretBytes,
    bounds: KDFBounds
  ) throws(SealingError) -> Bool {
    let slot: KeySlot
    do { slot = try KeySlot(decoding: file.span, bounds: bounds) } catch { return false }
    guard case .opened(let opened) = try SlotOpening.attempt(slot, derived) else { return false }
    return opened.masterKey.withBytes { opened in
      masterKey.withBytes { masterKey in ConstantTime.areEqual(opened, masterKey) }
    }
  }
}
