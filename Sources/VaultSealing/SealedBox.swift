import VaultCrypto
import VaultFormat

/// `nonce ‖ ciphertext ‖ tag` (spec §3.4). The key is set in the AEAD before.
enum SealedBox {
  /// Seals `plaintext`; the associated data is `label ‖ context`.
  static func seal(
    _ plaintext: Span<UInt8>, nonce: Nonce, label: [UInt8], context: Span<UInt8>,
    with aead: inout AEAD
  ) throws(CryptoError) -> [UInt8] {
    var box = [UInt8](repeating: 0, count: plaintext.count + Limits.boxOverhead)
    var bytes = box.mutableSpan
    let nonceBytes = nonce.bytes
    for index in nonceBytes.indices { bytes[index] = nonceBytes[index] }
    var sealed = bytes._mutatingExtracting(nonceBytes.count..<bytes.count)
    try aead.seal(
      nonce: nonceBytes.span, authenticating: label.span, and: context, plaintext,
      into: &sealed)
    return box
  }

  /// Opens `box` into `plaintext`, which has exactly 28 bytes less.
  ///
  /// - Throws: `authenticationFailed` for anything that was not sealed like this.
  static func open(
    _ box: Span<UInt8>, label: [UInt8], context: Span<UInt8>, with aead: inout AEAD,
    into plaintext: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    guard box.count >= Limits.boxOverhead else { throw .authenticationFailed }
    try aead.open(
      nonce: box.extracting(..<Limits.nonceByteCount), authenticating: label.span,
      and: context, box.extracting(Limits.nonceByteCount...), into: &plaintext)
  }
}
