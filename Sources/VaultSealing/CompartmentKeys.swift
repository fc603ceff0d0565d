package import VaultCrypto
package import VaultFormat

/// What follows from a compartment's master key (spec §5.3). Threads may share one: deriving only
/// reads it.
package struct CompartmentKeys: ~Copyable, Sendable {
  /// The vault that the keys are for.
  package let vaultID: VaultID
  /// The Ed25519 public key of the compartment.
  package let signer: SignerKey
  /// The front of the SHA-256 that commits to vault and signer.
  package let compartmentID: CompartmentID

  private let root: SecretBytes

  /// Derives root, signer and compartment id.
  ///
  /// - Throws: `crypto`.
  package init(masterKey: borrowing SecretBytes, vaultID: VaultID) throws(SealingError) {
    do throws(CryptoError) {
      let salt = Label.root.followed(by: vaultID.bytes)
      let root = try HKDF.extract(salt: salt.span, key: masterKey)
      let signing = try Self.signingKey(root: root, vaultID: vaultID)
      let signer = SignerKey(signing.publicKey)
      let compartmentID = try Self.compartmentID(vaultID: vaultID, signer: signer)
      self.vaultID = vaultID
      self.signer = signer
      self.compartmentID = compartmentID
      self.root = root
    } catch {
      throw .crypto(error)
    }
  }

  /// The id of the compartment that `signer` signs in a vault; needs no secret.
  package static func compartmentID(
    vaultID: VaultID, signer: SignerKey
  ) throws(CryptoError) -> CompartmentID {
    let bytes = Label.compartment.followed(by: vaultID.bytes, signer.bytes)
    return Digest(try SHA256.digest(bytes.span)).compartmentID
  }

  /// The private key that signs segments, made anew at each call.
  ///
  /// - Throws: `crypto`.
  package func signingKey() throws(SealingError) -> Ed25519.SigningKey {
    do { return try Self.signingKey(root: root, vaultID: vaultID) } catch { throw .crypto(error) }
  }

  private static func signingKey(
    root: borrowing SecretBytes, vaultID: VaultID
  ) throws(CryptoError) -> Ed25519.SigningKey {
    let info = Label.signing.followed(by: vaultID.bytes)
    let seed = try HKDF.expand(root, info: info.span, count: Ed25519.seedByteCount)
    return try Ed25519.SigningKey(seed: seed)
  }

  // MARK: - Derived per file

  /// Expands the root for one purpose: `Expand(root, L(label) ‖ VID ‖ context)`.
  func expand(
    _ label: Label, context: [UInt8], into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    let info = label.followed(by: vaultID.bytes, context)
    try HKDF.expand(root, info: info.span, into: &output)
  }

  /// The same for 32 public bytes, as a commitment or a name.
  func expandPublic<Kind>(
    _ label: Label, context: [UInt8]
  ) throws(CryptoError) -> Bytes32<Kind> {
    Bytes32(
      try Digest32 { output throws(CryptoError) in
        try expand(label, context: context, into: &output)
      })
  }

  /// The same for a key of 32 bytes in memory of its own.
  func expandKey(_ label: Label, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    var key = try SecretBytes(count: AEAD.keyByteCount)
    try key.withMutableBytes { output throws(CryptoError) in
      try expand(label, context: context, into: &output)
    }
    return key
  }
}
