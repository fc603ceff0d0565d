/// The 96-bit nonce of AES-256-GCM.
package struct Nonce: Hashable, Sendable {
  private let high: UInt32
  private let low: UInt64

  /// The nonce whose first four bytes are `high` and whose last eight are `low`, big-endian.
  package init(high: UInt32, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads the nonce from the front of what `reader` has left.
  ///
  /// - Throws: `truncated` if fewer than 12 bytes remain.
  package init(parsing reader: inout ByteReader, as field: String) throws(FormatError) {
    var part = ByteReader(try reader.bytes(12, as: field))
    high = try part.integer(as: field)
    low = try part.integer(as: field)
  }

  /// Copies exactly 12 bytes.
  ///
  /// - Throws: `wrongByteCount` for any other count.
  package init(copying bytes: Span<UInt8>) throws(FormatError) {
    guard bytes.count == 12 else {
      throw .wrongByteCount(
        field: "nonce", offset: 0, allowed: 12...12, found: UInt64(bytes.count))
    }
    var reader = ByteReader(bytes)
    try self.init(parsing: &reader, as: "nonce")
  }

  /// The nonce of one chunk: this base nonce XOR (u8 final ‖ 00 00 00 ‖ u64 chunk) (spec §6.2).
  package func xored(final isFinal: Bool, chunk: UInt64) -> Nonce {
    Nonce(high: high ^ (isFinal ? 0x0100_0000 : 0), low: low ^ chunk)
  }

  /// The 12 bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 12)
    append(to: &writer)
    return writer.bytes
  }

  /// Appends the 12 bytes.
  package func append(to writer: inout ByteWriter) {
    writer.append(high)
    writer.append(low)
  }

  /// Lends the 12 bytes.
  package func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = InlineArray<12, UInt8> { index in
      index < 4
        ? UInt8(truncatingIfNeeded: high >> UInt32(24 - 8 * index))
        : UInt8(truncatingIfNeeded: low >> UInt64(88 - 8 * index))
    }
    return try body(bytes.span)
  }
}
