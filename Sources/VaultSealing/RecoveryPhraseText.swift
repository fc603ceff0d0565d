import VaultCrypto

/// The steps from a phrase as typed to known words (spec §5.7).
enum PhraseText {
  /// The text in NFKD and lower case, without invisible characters and with U+0020 as the only
  /// white space, in runs as they were.
  ///
  /// - Throws: `tooLong`, `invalidUTF8`, `crypto`.
  static func folded(_ raw: borrowing SecretBytes) throws(PhraseError) -> SecretBytes {
    try raw.withBytes { bytes throws(PhraseError) in
      guard bytes.count <= RecoveryPhrase.maximumRawByteCount else {
        throw .tooLong(found: bytes.count, limit: RecoveryPhrase.maximumRawByteCount)
      }
      var reader = UnicodeScalarReader(bytes)
      do throws(InvalidUTF8) {
        while try reader.next() != nil {}
      } catch {
        throw .invalidUTF8(offset: error.offset)
      }
      do throws(CryptoError) {
        var scalars = try UnicodeSecretScalars(decomposing: bytes, .compatibility)
        var previous: UInt32 = 0
        scalars.replaceEach { scalar in
          let folded = fold(scalar, after: previous)
          previous = folded ?? previous
          return folded
        }
        return try scalars.utf8()
      } catch {
        throw .crypto(error)
      }
    }
  }

  /// One code point of the decomposed text: white space to U+0020, A to Z to lower case, invisible
  /// characters to nothing.
  ///
  /// Both Turkish letters i become the one the list has, because upper-casing a phrase by Turkish
  /// rules gives U+0130 (decomposed: I and U+0307) and lower-casing such a text gives U+0131.
  private static func fold(_ scalar: UInt32, after previous: UInt32) -> UInt32? {
    switch scalar {
    case 0x41...0x5A: scalar + 0x20
    case 0x131: 0x69
    case 0x307 where previous == 0x69: nil
    case _ where UnicodeLists.isDroppedFromPhrase(scalar): nil
    case _ where UnicodeLists.isWhiteSpace(scalar): 0x20
    default: scalar
    }
  }

  /// Checks that every word of a folded text is known, and counts them.
  ///
  /// - Throws: `empty`, `otherWordList`, `hiddenCharacter`, `unknownWord`.
  static func checkWords(of text: Span<UInt8>) throws(PhraseError) -> Int {
    var scanner = PhraseWordScanner(text)
    var count = 0
    var unknown = 0
    var firstUnknown: (position: Int, range: Range<Int>)?
    var isBeyondASCII = false
    while let range = scanner.next() {
      count += 1
      let word = text.extracting(range)
      guard EnglishWordList.index(ofWordOrPrefix: word) == nil else { continue }
      unknown += 1
      if firstUnknown == nil { firstUnknown = (count, range) }
      for offset in word.indices where word[offset] >= 0x80 { isBeyondASCII = true }
    }
    guard count > 0 else { throw .empty }
    guard let firstUnknown else { return count }
    if unknown * 2 > count, count >= 12 || isBeyondASCII && count > 1 {
      throw .otherWordList(unknown: unknown, of: count)
    }
    let word = text.extracting(firstUnknown.range)
    if let codePoint = hiddenCharacter(in: word) {
      throw .hiddenCharacter(position: firstUnknown.position, codePoint: codePoint)
    }
    throw .unknownWord(
      position: firstUnknown.position, suggestions: EnglishWordList.suggestions(for: word))
  }

  /// The number of words of a folded text, known or not.
  static func wordCount(of text: Span<UInt8>) -> Int {
    var scanner = PhraseWordScanner(text)
    var count = 0
    while scanner.next() != nil { count += 1 }
    return count
  }

  /// The list index of the word at this position, from 1, of a folded text; nil when there is none
  /// or it is unknown.
  static func wordIndex(at position: Int, of text: Span<UInt8>) -> Int? {
    var scanner = PhraseWordScanner(text)
    for _ in 1..<position { _ = scanner.next() }
    guard let range = scanner.next() else { return nil }
    return EnglishWordList.index(ofWordOrPrefix: text.extracting(range))
  }

  /// The first control or format character of a word: what the eye does not see.
  static func hiddenCharacter(in word: Span<UInt8>) -> UInt32? {
    var reader = UnicodeScalarReader(word)
    // The text was well-formed before it was folded, so no error can come here.
    while let scalar = try? reader.next() {
      if UnicodeCategory.isFormat(scalar) || UnicodeCategory.isControl(scalar) { return scalar }
    }
    return nil
  }
}

/// Finds the words of a folded text, front to back.
struct PhraseWordScanner: ~Copyable, ~Escapable {
  private let text: Span<UInt8>
  private var offset = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  /// The byte range of the next word, or nil at the end.
  @_lifetime(self: copy self)
  mutating func next() -> Range<Int>? {
    while offset < text.count, text[offset] == 0x20 { offset += 1 }
    let start = offset
    while offset < text.count, text[offset] != 0x20 { offset += 1 }
    return start < offset ? start..<offset : nil
  }
}
