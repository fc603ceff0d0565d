import VaultCrypto
package import VaultFormat

/// A new segment.
package struct SealedSegment: Sendable {
  /// The whole file.
  package let bytes: [UInt8]
  /// The same file as a reader sees it, with its id.
  package let segment: VerifiedSegment
}

/// Makes segments (spec §7).
package enum SegmentSealing {
  /// The body is compressed from this many entries up, where that saves bytes.
  private static let entryCountToCompress = 16

  /// Seals and signs lists and body into a whole file, and reads it back once.
  ///
  /// - Parameters:
  ///   - vaultDigest: SHA-256 of the file `VAULT`.
  ///   - salt: random, fresh for each segment.
  ///   - nonce: random, fresh for each segment.
  ///   - predecessors: of a hand-over.
  /// - Throws: `format` for what would pass a maximum, does not fit together or has an unsafe path;
  ///   `zstd`, `crypto`, `selfCheckFailed`.
  package static func seal(
    _ lists: SegmentLists, _ items: [SegmentBody.Item], keys: borrowing CompartmentKeys,
    vaultDigest: Digest, salt: Salt, nonce: Nonce, predecessors: [Predecessor] = [],
    compressingWith compressor: inout ZstdCompressor
  ) throws(SealingError) -> SealedSegment {
    let body = try lifting(SealingError.format) { () throws(FormatError) in
      try SegmentBody(items: items, entries: lists.entries)
    }
    let plaintext = try frame(body, entryCount: lists.entries.count, compressor: &compressor)
    var masked = lists.encoded()
    let (compartment, signer) = (keys.compartmentID, keys.signer)
    let head = try lifting(SealingError.format) { () throws(FormatError) in
      try SegmentHead(
        compartment: compartment, salt: salt, signer: signer, vaultDigest: vaultDigest,
        listsByteCount: masked.count, boxByteCount: plaintext.count + Limits.boxOverhead,
        predecessors: predecessors)
    }
    var bytes = head.prefix
    do throws(CryptoError) {
      let context = try SHA256.digest(head.prefix.span).bytes
      let commitment: Commitment = try keys.expandPublic(.segmentCommitment, context: context)
      try SegmentOpening.mask(&masked, salt: salt)
      bytes += commitment.bytes + masked
      var aead = try AEAD()
      try aead.setKey(try keys.expandKey(.segmentKey, context: context))
      bytes += try SealedBox.seal(
        plaintext.span, nonce: nonce, label: Label.segment.bytes, context: bytes.span,
        with: &aead)
    } catch {
      throw .crypto(error)
    }
    bytes += try signature(over: bytes.span, keys)
    return try readBack(bytes, lists, body, keys)
  }

  /// The plain text of the box, padded.
  private static func frame(
    _ body: SegmentBody, entryCount: Int, compressor: inout ZstdCompressor
  ) throws(SealingError) -> [UInt8] {
    let expanded = body.encoded()
    var stored = expanded
    var compression = Compression.none
    if entryCount >= entryCountToCompress {
      var room = [UInt8](repeating: 0, count: expanded.count - 1)
      var output = room.mutableSpan
      do {
        if let count = try compressor.compress(expanded.span, into: &output) {
          stored = Array(room.prefix(count))
          compression = .zstd
        }
      } catch {
        throw .zstd(error)
      }
    }
    do {
      let frame = try SegmentBoxFrame(
        compression: compression, bodyByteCount: stored.count, expandedByteCount: expanded.count,
        entryCount: entryCount)
      return frame.encoded(body: stored)
    } catch {
      throw .format(error)
    }
  }

  private static func signature(
    over bytes: Span<UInt8>, _ keys: borrowing CompartmentKeys
  ) throws(SealingError) -> [UInt8] {
    let key = try keys.signingKey()
    return try lifting(SealingError.crypto) { () throws(CryptoError) in
      let message = try SegmentOpening.signedMessage(bytes)
      return try key.sign(message.span)
    }
  }

  private static func readBack(
    _ bytes: [UInt8], _ lists: SegmentLists, _ body: SegmentBody,
    _ keys: borrowing CompartmentKeys
  ) throws(SealingError) -> SealedSegment {
    let segment = try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
    var decompressor: ZstdDecompressor
    do { decompressor = try ZstdDecompressor() } catch { throw .zstd(error) }
    let opened = try SegmentOpening.openBox(
      of: segment, bytes.span, keys: keys, expandingWith: &decompressor)
    try SegmentOpening.checkPaths(opened)
    guard segment.lists == lists, opened == body else { throw .selfCheckFailed }
    return SealedSegment(bytes: bytes, segment: segment)
  }
}
