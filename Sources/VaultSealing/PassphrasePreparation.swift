package import VaultCrypto

/// Turns the bytes of a passphrase, as received, into the bytes that keys are derived from
/// (spec §5.6).
package enum PassphrasePreparation {
  /// What the passphrase is for.
  package enum Purpose: Sendable {
    /// A new slot is made: characters whose preparation could differ elsewhere are refused.
    case setting
    /// Existing slots are tried: the rules only map.
    case opening
  }

  /// The most bytes of a prepared passphrase.
  package static let maximumByteCount = 1_024

  /// The most bytes that are looked at. Preparation shrinks a text to no less than an eighth, so
  /// everything longer has more than `maximumByteCount` bytes afterwards.
  package static let maximumRawByteCount = 16_384

  /// Maps every space of category Zs to U+0020 and normalises to NFC; letter case and spaces at
  /// the ends are kept.
  ///
  /// - Throws: `tooLong` above 16,384 bytes before or 1,024 bytes after preparation, `empty`,
  ///   `invalidUTF8`; when setting also `controlCharacter` and `unassigned`.
  package static func prepare(
    _ raw: borrowing SecretBytes, for purpose: Purpose
  ) throws(PassphraseError) -> SecretBytes {
    let prepared = try raw.withBytes { bytes throws(PassphraseError) in
      try check(bytes, for: purpose)
      do throws(CryptoError) {
        var scalars = try UnicodeSecretScalars(decomposing: bytes, .canonical)
        // A Zs character composes with nothing, so mapping between the two steps of NFC is the
        // same as mapping before them.
        scalars.replaceEach { UnicodeLists.isSpaceSeparator($0) ? 0x20 : $0 }
        scalars.compose()
        return try scalars.utf8()
      } catch {
        throw PassphraseError.crypto(error)
      }
    }
    guard prepared.count <= maximumByteCount else {
      throw .tooLong(found: prepared.count, limit: maximumByteCount)
    }
    return prepared
  }

  private static func check(
    _ raw: Span<UInt8>, for purpose: Purpose
  ) throws(PassphraseError) {
    guard !raw.isEmpty else { throw .empty }
    guard raw.count <= maximumRawByteCount else {
      throw .tooLong(found: raw.count, limit: maximumByteCount)
    }
    var reader = UnicodeScalarReader(raw)
    var position = 0
    while let scalar = try next(from: &reader) {
      position += 1
      guard purpose == .setting else { continue }
      if UnicodeCategory.isControl(scalar) { throw .controlCharacter(position: position) }
      if UnicodeCategory.isUnassigned(scalar) { throw .unassigned(position: position) }
    }
  }

  private static func next(
    from reader: inout UnicodeScalarReader
  ) throws(PassphraseError) -> UInt32? {
    do { return try reader.next() } catch { throw .invalidUTF8(offset: error.offset) }
  }
}
