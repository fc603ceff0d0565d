package import VaultCrypto

/// The recovery phrase: 24 words of the English BIP39 list that stand for 256 random bits and 8
/// bits of checksum (spec §5.7).
package enum RecoveryPhrase {
  /// The words of a phrase.
  package static let wordCount = 24

  /// The random bytes that a phrase stands for.
  package static let entropyByteCount = 32

  /// The most bytes that are looked at: 24 words are at most 215 bytes, and what surrounds them is
  /// white space and characters without a shape.
  package static let maximumRawByteCount = 16_384

  /// The words for 32 random bytes, joined by one space, in ASCII.
  ///
  /// The other sizes of BIP39 (16, 20, 24 and 28 bytes) are encoded too, so that its published
  /// vectors can be checked; a vault never holds them.
  ///
  /// - Throws: `crypto` when there is no memory for secrets.
  package static func words(
    fromEntropy entropy: borrowing SecretBytes
  ) throws(PhraseError) -> SecretBytes {
    precondition([16, 20, 24, 28, 32].contains(entropy.count), "BIP39 knows no other size")
    return try PhraseBits(entropy: entropy).words()
  }

  /// The canonical bytes of a phrase as it was typed or read: the full words in lower case, joined
  /// by one space. They are what the recovery key is derived from (spec §5.2).
  ///
  /// - Throws: the first that applies of `tooLong`, `invalidUTF8`, `empty`, `otherWordList`,
  ///   `hiddenCharacter` and `unknownWord` (whichever comes first), `wrongCount`, `wrongChecksum`.
  package static func normalise(
    _ raw: borrowing SecretBytes
  ) throws(PhraseError) -> SecretBytes {
    try normalise(raw, wordCounts: [wordCount])
  }

  /// `normalise(_:)` for phrases of other lengths, which only the vectors of BIP39 have.
  static func normalise(
    _ raw: borrowing SecretBytes, wordCounts: Set<Int>
  ) throws(PhraseError) -> SecretBytes {
    try bits(of: raw, wordCounts: wordCounts).words()
  }

  /// Whether what was typed is the word at this position, from 1, of a canonical phrase: the check
  /// that somebody wrote a new phrase down. Typed words are recognised as in `normalise(_:)`.
  ///
  /// - Throws: `tooLong`, `invalidUTF8`, `crypto`; an unknown word only gives false.
  package static func isWord(
    _ typed: borrowing SecretBytes, at position: Int, of phrase: borrowing SecretBytes
  ) throws(PhraseError) -> Bool {
    precondition((1...wordCount).contains(position), "a phrase has no such word")
    let folded = try PhraseText.folded(typed)
    let typedIndex = folded.withBytes { text in
      PhraseText.wordCount(of: text) == 1 ? PhraseText.wordIndex(at: 1, of: text) : nil
    }
    let expectedIndex = phrase.withBytes { PhraseText.wordIndex(at: position, of: $0) }
    return typedIndex != nil && typedIndex == expectedIndex
  }

  /// The random bytes that a phrase stands for.
  ///
  /// - Throws: as `normalise(_:)`.
  static func entropy(
    of raw: borrowing SecretBytes, wordCounts: Set<Int>
  ) throws(PhraseError) -> SecretBytes {
    try bits(of: raw, wordCounts: wordCounts).entropy()
  }

  private static func bits(
    of raw: borrowing SecretBytes, wordCounts: Set<Int>
  ) throws(PhraseError) -> PhraseBits {
    let text = try PhraseText.folded(raw)
    return try text.withBytes { text throws(PhraseError) in
      let found = try PhraseText.checkWords(of: text)
      guard wordCounts.contains(found) else { throw .wrongCount(found: found) }
      let bits = try PhraseBits(recognisedWords: text, count: found)
      guard try bits.hasRightChecksum() else { throw .wrongChecksum }
      return bits
    }
  }
}
