import VaultCrypto
package import VaultFormat

/// Header key, content key and commitment of one sealed file at a time (spec §5.3). Keep one per
/// worker: memory for secrets costs more than the derivation.
package struct FileKeys: ~Copyable, Sendable {
  /// What the file commits its keys with; public.
  package private(set) var commitment: Commitment
  /// Header key and content key, one after the other.
  private var secret: SecretBytes

  /// No keys yet.
  ///
  /// - Throws: `crypto`.
  package init() throws(SealingError) {
    secret = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try SecretBytes(count: 2 * AEAD.keyByteCount)
    }
    commitment = Commitment(0, 0, 0, 0)
  }

  /// Replaces the keys by those of the file with that preamble and public map.
  ///
  /// - Throws: `crypto`.
  package mutating func derive(
    from keys: borrowing CompartmentKeys, prefix: Span<UInt8>
  ) throws(SealingError) {
    do throws(CryptoError) {
      let context = try SHA256.digest(prefix).bytes
      commitment = try keys.expandPublic(.fileCommitment, context: context)
      try secret.withMutableBytes { bytes throws(CryptoError) in
        var headerKey = bytes._mutatingExtracting(..<AEAD.keyByteCount)
        try keys.expand(.headerKey, context: context, into: &headerKey)
      }
      try secret.withMutableBytes { bytes throws(CryptoError) in
        var contentKey = bytes._mutatingExtracting(AEAD.keyByteCount...)
        try keys.expand(.contentKey, context: context, into: &contentKey)
      }
    } catch {
      throw .crypto(error)
    }
  }

  /// Sets the header key in an AEAD.
  func useHeaderKey(in aead: inout AEAD) throws(CryptoError) {
    try secret.withBytes { bytes throws(CryptoError) in
      try aead.setKey(bytes.extracting(..<AEAD.keyByteCount))
    }
  }

  /// Sets the content key in an AEAD.
  func useContentKey(in aead: inout AEAD) throws(CryptoError) {
    try secret.withBytes { bytes throws(CryptoError) in
      try aead.setKey(bytes.extracting(AEAD.keyByteCount...))
    }
  }
}
