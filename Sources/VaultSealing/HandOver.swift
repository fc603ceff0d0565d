package import VaultCrypto
package import VaultFormat

/// How a compartment hands its notes over to another one when a vault is re-keyed (spec §7.5).
package enum HandOver {
  /// What the segment says of the compartment that ends: its signer names the one that takes over.
  ///
  /// - Parameters:
  ///   - old: the keys of the compartment that ends.
  ///   - masterKey: that of the compartment that ends; sealed so that the new owner can read history.
  ///   - nonce: random, fresh.
  /// - Throws: `crypto`, `format`.
  package static func predecessor(
    _ old: borrowing CompartmentKeys, masterKey: borrowing SecretBytes,
    to new: borrowing CompartmentKeys, nonce: Nonce
  ) throws(SealingError) -> Predecessor {
    let key = try old.signingKey()
    let message = statement(vaultID: old.vaultID, from: old.signer, to: new.signer)
    let signature = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try key.sign(message.span)
    }
    return try restated(
      old.signer, signature: signature, masterKey: masterKey, in: new, nonce: nonce)
  }

  /// The same for an older predecessor, whose signature is taken over as it stands.
  package static func restated(
    _ signer: SignerKey, signature: [UInt8], masterKey: borrowing SecretBytes,
    in new: borrowing CompartmentKeys, nonce: Nonce
  ) throws(SealingError) -> Predecessor {
    let label = context(new.vaultID, signer)
    let box: [UInt8]
    do throws(CryptoError) {
      var aead = try AEAD()
      try aead.setKey(try new.expandKey(.formerKey, context: signer.bytes))
      box = try masterKey.withBytes { masterKey throws(CryptoError) in
        try SealedBox.seal(
          masterKey, nonce: nonce, label: Label.formerKey.bytes, context: label.span, with: &aead)
      }
    } catch {
      throw .crypto(error)
    }
    do { return try Predecessor(signer: signer, signature: signature, box: box) } catch {
      throw .format(error)
    }
  }

  /// Checks that each predecessor's signer named the next one, and the last the segment's own.
  ///
  /// - Throws: `handOverInvalid`, `crypto`.
  package static func check(_ head: SegmentHead, vaultID: VaultID) throws(SealingError) {
    for (number, predecessor) in head.predecessors.enumerated() {
      let next =
        number + 1 < head.predecessors.count ? head.predecessors[number + 1].signer : head.signer
      let message = statement(vaultID: vaultID, from: predecessor.signer, to: next)
      let holds = try lifting(SealingError.crypto) { () throws(CryptoError) in
        try Ed25519.isValid(
          signature: predecessor.signature.span, message: message.span,
          publicKey: Digest32(predecessor.signer))
      }
      guard holds else { throw .handOverInvalid(predecessor: number) }
    }
  }

  /// The master key of a predecessor, for its notes in history.
  ///
  /// - Throws: `boxNotAuthentic`; `signerDoesNotFit` for another key than that of its signer; `crypto`.
  package static func masterKey(
    of predecessor: Predecessor, keys: borrowing CompartmentKeys
  ) throws(SealingError) -> SecretBytes {
    let label = context(keys.vaultID, predecessor.signer)
    let masterKey: SecretBytes
    do throws(CryptoError) {
      var aead = try AEAD()
      try aead.setKey(try keys.expandKey(.formerKey, context: predecessor.signer.bytes))
      var opened = try SecretBytes(count: Limits.masterKeyByteCount)
      try opened.withMutableBytes { output throws(CryptoError) in
        try SealedBox.open(
          predecessor.box.span, label: Label.formerKey.bytes, context: label.span, with: &aead,
          into: &output)
      }
      masterKey = opened
    } catch .authenticationFailed {
      throw .boxNotAuthentic
    } catch {
      throw .crypto(error)
    }
    let former = try CompartmentKeys(masterKey: masterKey, vaultID: keys.vaultID)
    guard former.signer == predecessor.signer else {
      throw .signerDoesNotFit(compartment: former.compartmentID)
    }
    return masterKey
  }

  /// What a compartment's signer signs to hand over.
  private static func statement(
    vaultID: VaultID, from old: SignerKey, to new: SignerKey
  ) -> [UInt8] {
    Label.handOver.followed(by: vaultID.bytes, old.bytes, new.bytes)
  }

  private static func context(_ vaultID: VaultID, _ signer: SignerKey) -> [UInt8] {
    vaultID.bytes + signer.bytes
  }
}
