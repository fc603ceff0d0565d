internal import VaultCrypto
package import VaultFormat
package import VaultSealing

/// Fresh random values for one sealing, drawn at once.
package struct Fresh: Sendable {
  package let salt: Salt
  package let nonce: Nonce
  package let secondNonce: Nonce
  package let id: NoteID

  /// - Throws: `crypto`.
  package init() throws(SealingError) {
    let random: [UInt8]
    do {
      random = try Random.bytes(
        Salt.byteCount + 2 * Limits.nonceByteCount + NoteID.byteCount)
    } catch {
      throw .crypto(error)
    }
    let bytes = random.span
    do {
      salt = try Salt(copying: bytes.extracting(0..<32))
      nonce = try Nonce(copying: bytes.extracting(32..<44))
      secondNonce = try Nonce(copying: bytes.extracting(44..<56))
      id = try NoteID(copying: bytes.extracting(56..<72))
    } catch {
      preconditionFailure("the bytes drawn are as many as are needed")
    }
  }

  /// A compressor at the level that vaulttool uses.
  package static func compressor() throws(SealingError) -> ZstdCompressor {
    do { return try ZstdCompressor(level: 3) } catch { throw .zstd(error) }
  }
}
