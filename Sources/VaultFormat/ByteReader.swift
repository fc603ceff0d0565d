/// Reads big-endian fields from front to back; the only code that touches raw input bytes.
package struct ByteReader: ~Copyable, ~Escapable {
  private let input: Span<UInt8>
  private let baseOffset: Int
  private var position = 0

  /// Starts at the first byte of `input`, which is the whole file or the whole value.
  @_lifetime(copy input)
  package init(_ input: Span<UInt8>) {
    self.input = input
    baseOffset = 0
  }

  /// Starts at the first byte of a part that lies `baseOffset` bytes into its file, so that errors
  /// name offsets in the file.
  @_lifetime(copy input)
  package init(_ input: Span<UInt8>, baseOffset: Int) {
    self.input = input
    self.baseOffset = baseOffset
  }

  /// The offset of the next field, in bytes from the start of the file.
  package var offset: Int { baseOffset + position }

  /// How many bytes have not been read.
  package var remaining: Int { input.count - position }

  /// Reads `count` bytes.
  ///
  /// - Throws: `truncated` if fewer remain.
  @_lifetime(copy self)
  package mutating func bytes(_ count: Int, as field: String) throws(FormatError) -> Span<UInt8> {
    guard (0...remaining).contains(count) else {
      throw .truncated(field: field, offset: offset, needed: count, available: remaining)
    }
    defer { position += count }
    return input.extracting(position..<(position + count))
  }

  // One function for each type: a generic one that other modules call is not made for the type, and is slow.

  /// Reads one byte.
  ///
  /// - Throws: `truncated` if none remains.
  package mutating func integer(
    _: UInt8.Type = UInt8.self, as field: String
  ) throws(FormatError) -> UInt8 { try readInteger(as: field) }

  /// Reads a big-endian integer of two bytes.
  ///
  /// - Throws: `truncated` if fewer remain.
  package mutating func integer(
    _: UInt16.Type = UInt16.self, as field: String
  ) throws(FormatError) -> UInt16 { try readInteger(as: field) }

  /// Reads a big-endian integer of four bytes.
  ///
  /// - Throws: `truncated` if fewer remain.
  package mutating func integer(
    _: UInt32.Type = UInt32.self, as field: String
  ) throws(FormatError) -> UInt32 { try readInteger(as: field) }

  /// Reads a big-endian integer of eight bytes.
  ///
  /// - Throws: `truncated` if fewer remain.
  package mutating func integer(
    _: UInt64.Type = UInt64.self, as field: String
  ) throws(FormatError) -> UInt64 { try readInteger(as: field) }

  private mutating func readInteger<T: FixedWidthInteger & UnsignedInteger>(
    as field: String
  ) throws(FormatError) -> T {
    let bytes = try bytes(T.bitWidth / 8, as: field)
    var value: T = 0
    for index in bytes.indices { value = value << 8 | T(bytes[index]) }
    return value
  }

  /// Reads all that is left, which may be nothing.
  @_lifetime(copy self)
  package mutating func rest() -> Span<UInt8> {
    defer { position = input.count }
    return input.extracting(position..<input.count)
  }

  /// Reads all that is left, which must be zero bytes.
  ///
  /// - Throws: `nonZeroPadding` with the offset of the first byte that is not zero.
  package consuming func finishWithZeros(as field: String) throws(FormatError) {
    for index in position..<input.count where input[index] != 0 {
      throw .nonZeroPadding(field: field, offset: baseOffset + index)
    }
  }

  /// A copy of the bytes that were read since the reader stood at `start`, an offset it once had.
  func bytesRead(since start: Int) -> [UInt8] {
    [UInt8](copying: input.extracting((start - baseOffset)..<position))
  }

  /// The next byte, which stays unread; nil at the end.
  var nextByte: UInt8? { position < input.count ? input[position] : nil }

  /// The bytes that have not been read; they stay unread.
  var unread: Span<UInt8> {
    @_lifetime(copy self)
    get { input.extracting(position..<input.count) }
  }

  /// Every decoder ends here: bytes nobody asked for are an error.
  ///
  /// - Throws: `trailingBytes` if any byte was not read.
  package consuming func finish() throws(FormatError) {
    guard position == input.count else { throw .trailingBytes(offset: baseOffset + position) }
  }
}
