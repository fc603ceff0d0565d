import VaultCrypto
package import VaultFormat

/// Hashes chunks as the digest of a sealed file needs them (spec §6.3); needs no key. Keep one per
/// worker.
package struct ChunkHasher: ~Copyable, Sendable {
  private var hasher: SHA256Hasher

  /// - Throws: `crypto`.
  package init() throws(SealingError) {
    hasher = try lifting(SealingError.crypto) { () throws(CryptoError) in try SHA256Hasher() }
  }

  /// Appends the hash of each of `chunks`, which follow one another and have `chunkByteCount` bytes
  /// each, tag included; the last one may be shorter.
  ///
  /// - Throws: `crypto`.
  package mutating func hash(
    _ chunks: Span<UInt8>, chunkByteCount: Int, into hashes: inout [Digest]
  ) throws(SealingError) {
    precondition(chunkByteCount > AEAD.tagByteCount, "a chunk holds more than its tag")
    do throws(CryptoError) {
      for start in stride(from: 0, to: chunks.count, by: chunkByteCount) {
        let end = min(start + chunkByteCount, chunks.count)
        hashes.append(try hash(chunks.extracting(start..<end)))
      }
    } catch {
      throw .crypto(error)
    }
  }

  /// The hash of one chunk with its tag.
  mutating func hash(_ chunk: Span<UInt8>) throws(CryptoError) -> Digest {
    let mark: InlineArray<1, UInt8> = [1]
    try hasher.update(mark.span)
    try hasher.update(chunk)
    return Digest(try hasher.finish())
  }
}
