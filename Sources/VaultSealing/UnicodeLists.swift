/// The code points that the preparation of secrets names one by one, so that no later version of
/// Unicode can change a key (spec §5.6, §5.7).
enum UnicodeLists {
  /// Category Zs: each becomes U+0020 in a passphrase.
  static func isSpaceSeparator(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0020, 0x00A0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  /// Property White_Space: separates the words of a recovery phrase.
  static func isWhiteSpace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x0009...0x000D, 0x0085, 0x2028, 0x2029: true
    default: isSpaceSeparator(scalar)
    }
  }

  /// Characters of no width that are dropped from a recovery phrase: zero-width space, non-joiner
  /// and joiner, and the byte order mark.
  static func isDroppedFromPhrase(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x200B...0x200D, 0xFEFF: true
    default: false
    }
  }
}
