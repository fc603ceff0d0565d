import VaultCrypto
package import VaultFormat

/// The digest of a sealed file from its head and the hashes of its chunks (spec §6.3); needs no
/// key. The hashes come in the order of the chunks, as many at a time as there are.
package struct NoteDigest: ~Copyable, Sendable {
  private var hasher: SHA256Hasher

  /// Begins with everything before chunk 0 and the byte count of the whole file.
  ///
  /// - Throws: `crypto`.
  package init(head: Span<UInt8>, fileByteCount: UInt64) throws(SealingError) {
    do throws(CryptoError) {
      var hasher = try SHA256Hasher()
      let headMark: [UInt8] = [0]
      try hasher.update(headMark.span)
      try hasher.update(head)
      let headHash = Digest(try hasher.finish())
      var start = ByteWriter(capacity: 41)
      start.append(UInt8(2))
      start.append(fileByteCount)
      headHash.append(to: &start)
      try hasher.update(start.bytes.span)
      self.hasher = hasher
    } catch {
      throw .crypto(error)
    }
  }

  /// Adds the hashes of the next chunks.
  ///
  /// - Throws: `crypto`.
  package mutating func append(_ hashes: some Sequence<Digest>) throws(SealingError) {
    do throws(CryptoError) {
      for hash in hashes {
        try hash.withSpan { bytes throws(CryptoError) in try hasher.update(bytes) }
      }
    } catch {
      throw .crypto(error)
    }
  }

  /// The digest.
  ///
  /// - Throws: `crypto`.
  package consuming func finish() throws(SealingError) -> Digest {
    do { return Digest(try hasher.finish()) } catch { throw .crypto(error) }
  }
}
