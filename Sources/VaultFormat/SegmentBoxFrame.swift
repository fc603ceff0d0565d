/// The frame around the body in a segment's box: compression, byte counts and padding (spec §7.3).
package struct SegmentBoxFrame: Hashable, Sendable {
  package let compression: Compression
  /// Byte count of the body as stored.
  package let bodyByteCount: Int
  /// Byte count of the body after decompression; that of the body without compression.
  package let expandedByteCount: Int

  /// Bytes before the body.
  private static let headByteCount = 9

  /// The frame of a body to be stored in a segment with `entryCount` entries.
  ///
  /// - Throws: `valueOutOfRange` for a byte count outside its bounds, `mismatch` if the two counts
  ///   differ without compression.
  package init(
    compression: Compression, bodyByteCount: Int, expandedByteCount: Int, entryCount: Int
  ) throws(FormatError) {
    self.compression = compression
    self.bodyByteCount = bodyByteCount
    self.expandedByteCount = expandedByteCount
    try check(entryCount: entryCount)
  }

  /// Decodes the opened box of a segment with `entryCount` entries; the body lies in `bodyRange`.
  ///
  /// - Throws: `valueOutOfRange` for a compression or byte count outside its bounds, `mismatch` if
  ///   the counts or the padded byte count do not agree, `truncated`, `nonZeroPadding`.
  package init(decoding bytes: Span<UInt8>, entryCount: Int) throws(FormatError) {
    var reader = ByteReader(bytes)
    let found = try reader.integer(UInt8.self, as: "compression")
    guard let compression = Compression(rawValue: found) else {
      throw .valueOutOfRange(
        field: "compression", offset: 0, found: UInt64(found), allowed: 0...1)
    }
    self.compression = compression
    bodyByteCount = Int(try reader.integer(UInt32.self, as: "body byte count"))
    expandedByteCount = Int(try reader.integer(UInt32.self, as: "expanded byte count"))
    try check(entryCount: entryCount)
    guard bytes.count == paddedByteCount else {
      throw .mismatch(
        field: "box byte count", offset: 0, expected: UInt64(paddedByteCount),
        found: UInt64(bytes.count))
    }
    _ = try reader.bytes(bodyByteCount, as: "body")
    try reader.finishWithZeros(as: "box padding")
  }

  /// Where the body lies in the plain text.
  package var bodyRange: Range<Int> {
    Self.headByteCount..<(Self.headByteCount + bodyByteCount)
  }

  /// The byte count of the whole plain text. The box has 28 bytes more.
  package var paddedByteCount: Int {
    Int(Padme.padded(max(UInt64(Self.headByteCount + bodyByteCount), Limits.segmentBoxFloor)))
  }

  /// The whole plain text around `body`, which has `bodyByteCount` bytes.
  package func encoded(body: [UInt8]) -> [UInt8] {
    precondition(body.count == bodyByteCount, "a body of another byte count")
    var writer = ByteWriter(capacity: paddedByteCount)
    writer.append(compression.rawValue)
    writer.append(UInt32(bodyByteCount))
    writer.append(UInt32(expandedByteCount))
    writer.append(body)
    writer.appendZeros(paddedByteCount - bodyRange.upperBound)
    return writer.bytes
  }

  private func check(entryCount: Int) throws(FormatError) {
    let most = Limits.expandedBodyByteCount(entryCount: entryCount)
    guard (1...most).contains(expandedByteCount) else {
      throw .valueOutOfRange(
        field: "expanded byte count", offset: 5, found: UInt64(clamping: expandedByteCount),
        allowed: 1...UInt64(most))
    }
    let mostStored = Limits.segmentBoxByteCount.upperBound - Limits.boxOverhead
    guard (1...mostStored).contains(bodyByteCount) else {
      throw .valueOutOfRange(
        field: "body byte count", offset: 1, found: UInt64(clamping: bodyByteCount),
        allowed: 1...UInt64(mostStored))
    }
    guard compression != .none || bodyByteCount == expandedByteCount else {
      throw .mismatch(
        field: "expanded byte count", offset: 5, expected: UInt64(bodyByteCount),
        found: UInt64(expandedByteCount))
    }
  }
}
