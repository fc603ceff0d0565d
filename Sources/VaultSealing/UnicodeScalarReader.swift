/// Bytes that are not well-formed UTF-8.
struct InvalidUTF8: Error, Equatable {
  /// The first byte of the first ill-formed sequence.
  let offset: Int
}

/// Reads code points from UTF-8, front to back. Refuses what RFC 3629 refuses: overlong forms,
/// surrogates, values above U+10FFFF, cut sequences and stray continuation bytes.
struct UnicodeScalarReader: ~Copyable, ~Escapable {
  private let input: Span<UInt8>
  private var offset = 0

  @_lifetime(copy input)
  init(_ input: Span<UInt8>) { self.input = input }

  /// The next code point, or nil at the end.
  @_lifetime(self: copy self)
  mutating func next() throws(InvalidUTF8) -> UInt32? {
    guard offset < input.count else { return nil }
    let lead = input[offset]
    let byteCount: Int
    let smallest: UInt32
    var value: UInt32
    switch lead {
    case 0x00...0x7F: (byteCount, smallest, value) = (1, 0, UInt32(lead))
    case 0xC2...0xDF: (byteCount, smallest, value) = (2, 0x80, UInt32(lead & 0x1F))
    case 0xE0...0xEF: (byteCount, smallest, value) = (3, 0x800, UInt32(lead & 0x0F))
    case 0xF0...0xF4: (byteCount, smallest, value) = (4, 0x1_0000, UInt32(lead & 0x07))
    default: throw InvalidUTF8(offset: offset)
    }
    guard input.count - offset >= byteCount else { throw InvalidUTF8(offset: offset) }
    for position in 1..<byteCount {
      let byte = input[offset + position]
      guard byte & 0xC0 == 0x80 else { throw InvalidUTF8(offset: offset) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    let isSurrogate = (0xD800...0xDFFF).contains(value)
    guard value >= smallest, value <= 0x10_FFFF, !isSurrogate else {
      throw InvalidUTF8(offset: offset)
    }
    offset += byteCount
    return value
  }
}
