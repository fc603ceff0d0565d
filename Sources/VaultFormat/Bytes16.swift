/// Sixteen bytes with a meaning: an id or the front of a digest. Kept as two words, without heap.
/// `Kind` keeps the meanings apart.
package struct Bytes16<Kind>: Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// How many bytes the value has.
  package static var byteCount: Int { 16 }

  /// The value whose first eight bytes are `high` and whose last eight are `low`, big-endian.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the value from the front of what `reader` has left.
  ///
  /// - Throws: `truncated` if fewer than 16 bytes remain.
  package init(parsing reader: inout ByteReader, as field: String) throws(FormatError) {
    var part = ByteReader(try reader.bytes(16, as: field))
    high = try part.integer(as: field)
    low = try part.integer(as: field)
  }

  /// Copies exactly 16 bytes.
  ///
  /// - Throws: `wrongByteCount` for any other count.
  package init(copying bytes: Span<UInt8>) throws(FormatError) {
    guard bytes.count == 16 else {
      throw .wrongByteCount(
        field: "id", offset: 0, allowed: 16...16, found: UInt64(bytes.count))
    }
    var reader = ByteReader(bytes)
    try self.init(parsing: &reader, as: "id")
  }

  /// The value with 32 lower-case hex digits; nil if `hex` is anything else.
  package init?(hex: Span<UInt8>) {
    guard hex.count == 32, let high = Hex.word(hex, at: 0), let low = Hex.word(hex, at: 16) else {
      return nil
    }
    self.init(high: high, low: low)
  }

  /// The 16 bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 16)
    append(to: &writer)
    return writer.bytes
  }

  /// Appends the 16 bytes.
  package func append(to writer: inout ByteWriter) {
    writer.append(high)
    writer.append(low)
  }

  /// Lends the 16 bytes.
  package func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = InlineArray<16, UInt8> { index in
      UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index & 7)))
    }
    return try body(bytes.span)
  }

  /// 32 lower-case hex digits.
  package var hex: String { Hex.digits(high) + Hex.digits(low) }

  /// The first byte, which names the folder of a sealed file.
  package var firstByte: UInt8 { UInt8(truncatingIfNeeded: high >> 56) }

  /// The same bytes with another meaning.
  package func retyped<Other>(as _: Bytes16<Other>.Type) -> Bytes16<Other> {
    Bytes16<Other>(high: high, low: low)
  }

  /// Bytewise order.
  package static func < (left: Self, right: Self) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
