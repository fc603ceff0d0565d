/// Thirty-two bytes with a meaning: a digest, salt, locator or public key. Kept as four words,
/// without heap. `Kind` keeps the meanings apart.
package struct Bytes32<Kind>: Hashable, Comparable, Sendable {
  private let word0: UInt64
  private let word1: UInt64
  private let word2: UInt64
  private let word3: UInt64

  /// How many bytes the value has.
  package static var byteCount: Int { 32 }

  /// The value that consists of four big-endian words.
  package init(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
    self.word0 = word0
    self.word1 = word1
    self.word2 = word2
    self.word3 = word3
  }

  /// Reads the value from the front of what `reader` has left.
  ///
  /// - Throws: `truncated` if fewer than 32 bytes remain.
  package init(parsing reader: inout ByteReader, as field: String) throws(FormatError) {
    var part = ByteReader(try reader.bytes(32, as: field))
    word0 = try part.integer(as: field)
    word1 = try part.integer(as: field)
    word2 = try part.integer(as: field)
    word3 = try part.integer(as: field)
  }

  /// Copies exactly 32 bytes.
  ///
  /// - Throws: `wrongByteCount` for any other count.
  package init(copying bytes: Span<UInt8>) throws(FormatError) {
    guard bytes.count == 32 else {
      throw .wrongByteCount(
        field: "32-byte value", offset: 0, allowed: 32...32, found: UInt64(bytes.count))
    }
    var reader = ByteReader(bytes)
    try self.init(parsing: &reader, as: "32-byte value")
  }

  /// The value with 64 lower-case hex digits; nil if `hex` is anything else.
  package init?(hex: Span<UInt8>) {
    guard hex.count == 64, let word0 = Hex.word(hex, at: 0), let word1 = Hex.word(hex, at: 16),
      let word2 = Hex.word(hex, at: 32), let word3 = Hex.word(hex, at: 48)
    else { return nil }
    self.init(word0, word1, word2, word3)
  }

  /// The 32 bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter(capacity: 32)
    append(to: &writer)
    return writer.bytes
  }

  /// Appends the 32 bytes.
  package func append(to writer: inout ByteWriter) {
    writer.append(word0)
    writer.append(word1)
    writer.append(word2)
    writer.append(word3)
  }

  /// Lends the 32 bytes.
  package func withSpan<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = InlineArray<32, UInt8> { index in
      let word = index < 16 ? (index < 8 ? word0 : word1) : (index < 24 ? word2 : word3)
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
    }
    return try body(bytes.span)
  }

  /// 64 lower-case hex digits.
  package var hex: String {
    Hex.digits(word0) + Hex.digits(word1) + Hex.digits(word2) + Hex.digits(word3)
  }

  /// The first 16 bytes with another meaning.
  func front<Other>(as _: Bytes16<Other>.Type) -> Bytes16<Other> {
    Bytes16<Other>(high: word0, low: word1)
  }

  /// Bytewise order.
  package static func < (left: Self, right: Self) -> Bool {
    (left.word0, left.word1, left.word2, left.word3)
      < (right.word0, right.word1, right.word2, right.word3)
  }
}
