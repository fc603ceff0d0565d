package import VaultCrypto
package import VaultFormat

/// The way from a prepared passphrase or phrase to the values of a slot (spec §5.2).
package enum SlotSecret {
  /// T, 64 bytes: the vault key of a passphrase or the recovery key of a phrase. Takes about
  /// 0.7 µs an iteration; the slots' bounds were checked when they were decoded.
  ///
  /// - Throws: `crypto`.
  package static func derive(
    prepared: borrowing SecretBytes, purpose: SlotPurpose, iterations: UInt32,
    vaultID: VaultID, vaultSalt: Salt
  ) throws(SealingError) -> SecretBytes {
    let key =
      switch purpose {
      case .passphrase: Label.passphraseHMACKey
      case .phrase: Label.phraseHMACKey
      }
    var salt = ByteWriter()
    salt.append(Label.pbkdf2.bytes)
    salt.append(purpose.rawValue)
    salt.append(iterations)
    vaultID.append(to: &salt)
    vaultSalt.append(to: &salt)
    do {
      let password = try HMACSHA512.authenticate(key: key.span, message: prepared)
      return try PBKDF2.derive(
        password: password, salt: salt.bytes.span, iterations: iterations)
    } catch {
      throw .crypto(error)
    }
  }

  /// The name of the slot with that salt.
  static func locator(
    _ derived: borrowing SecretBytes, vaultID: VaultID, slotSalt: Salt
  ) throws(CryptoError) -> Locator {
    let info = Label.slotLocator.followed(by: vaultID.bytes, slotSalt.bytes)
    return Locator(
      try Digest32 { output throws(CryptoError) in
        try HKDF.expand(derived, info: info.span, into: &output)
      })
  }

  /// The key that wraps the master key in the slot with that salt.
  static func slotKey(
    _ derived: borrowing SecretBytes, vaultID: VaultID, slotSalt: Salt
  ) throws(CryptoError) -> SecretBytes {
    let info = Label.slotKey.followed(by: vaultID.bytes, slotSalt.bytes)
    return try HKDF.expand(derived, info: info.span, count: AEAD.keyByteCount)
  }
}
