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
}
