/// Lower-case hex digits, as file names use them (spec §1).
package enum Hex {
  private static let digits = Array("0123456789abcdef".utf8)

  /// The value of one lower-case digit; nil for any other byte.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// The 16 digits of a word.
  static func digits(_ word: UInt64) -> String {
    String(
      decoding: (0..<16).map { digits[Int(truncatingIfNeeded: word >> UInt64(60 - 4 * $0)) & 15] },
      as: UTF8.self)
  }

  /// The word that has the 16 digits from `start` on; nil if one of them is no lower-case digit.
  static func word(_ text: Span<UInt8>, at start: Int) -> UInt64? {
    var word: UInt64 = 0
    for index in start..<(start + 16) {
      guard let digit = value(text[index]) else { return nil }
      word = word << 4 | UInt64(digit)
    }
    return word
  }
}
