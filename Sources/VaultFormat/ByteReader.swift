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

  /// Reads one big-endian unsigned integer.
  ///
  /// - Throws: `truncated` if fewer bytes remain than it has.
  package mutating func integer<T: FixedWidthInteger & UnsignedInteger>(
    _: T.Type = T.self, as field: String
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
