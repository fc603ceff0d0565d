/// Where the parts of a whole segment file lie (spec §7). The file itself is not copied; only the
/// head is decoded.
package struct SegmentFile: Hashable, Sendable {
  package let head: SegmentHead

  /// Finds the parts of a whole file.
  ///
  /// - Throws: what the head can be wrong with, `truncated`, `trailingBytes`.
  package init(decoding bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    head = try SegmentHead(parsing: &reader)
    _ = try reader.bytes(Limits.commitmentByteCount, as: "commitment")
    _ = try reader.bytes(head.listsByteCount, as: "masked lists")
    _ = try reader.bytes(head.boxByteCount, as: "box")
    _ = try reader.bytes(Limits.signatureByteCount, as: "signature")
    try reader.finish()
  }

  /// Finds the parts of a file from its front alone, for files that must not be loaded unseen.
  ///
  /// - Parameters:
  ///   - front: the first bytes of the file, at least preamble and public map unless it is shorter.
  ///   - fileByteCount: how many bytes the file has.
  /// - Throws: as `init(decoding:)`; `truncated` and `trailingBytes` for the file as a whole.
  package init(decodingFront front: Span<UInt8>, fileByteCount: Int) throws(FormatError) {
    var reader = ByteReader(front)
    head = try SegmentHead(parsing: &reader)
    let prefixByteCount = head.prefix.count
    let (needed, available) = (self.fileByteCount, fileByteCount)
    guard needed <= available else {
      throw .truncated(
        field: "segment", offset: prefixByteCount, needed: needed - prefixByteCount,
        available: available - prefixByteCount)
    }
    guard needed == available else { throw .trailingBytes(offset: needed) }
  }

  /// Where the parts of a file to be written will lie.
  package init(head: SegmentHead) { self.head = head }

  /// Preamble and public map.
  package var prefixRange: Range<Int> { 0..<head.prefix.count }

  /// The commitment, 32 bytes.
  package var commitmentRange: Range<Int> {
    prefixRange.upperBound..<(prefixRange.upperBound + Limits.commitmentByteCount)
  }

  /// The masked lists.
  package var maskedListsRange: Range<Int> {
    commitmentRange.upperBound..<(commitmentRange.upperBound + head.listsByteCount)
  }

  /// What the box authenticates beside its plain text: all that comes before it.
  package var authenticatedRange: Range<Int> { 0..<maskedListsRange.upperBound }

  /// The box.
  package var boxRange: Range<Int> {
    maskedListsRange.upperBound..<(maskedListsRange.upperBound + head.boxByteCount)
  }

  /// What the signature is over: all that comes before it.
  package var signedRange: Range<Int> { 0..<boxRange.upperBound }

  /// The signature, 64 bytes.
  package var signatureRange: Range<Int> {
    boxRange.upperBound..<(boxRange.upperBound + Limits.signatureByteCount)
  }

  /// The byte count of the whole file.
  package var fileByteCount: Int { signatureRange.upperBound }

  /// The byte count of preamble and public map, at most.
  package static let frontByteCount =
    Limits.preambleByteCount + Limits.publicMapByteCount.upperBound

  /// The byte count of a whole file, at most: about 640 MiB.
  package static let mostByteCount =
    frontByteCount + Limits.commitmentByteCount + Limits.listsByteCount.upperBound
    + Limits.segmentBoxByteCount.upperBound + Limits.signatureByteCount
}
