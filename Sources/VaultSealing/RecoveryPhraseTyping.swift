package import VaultCrypto

/// What one word is that a person typed (spec §5.7).
package enum TypedWord: Equatable, Sendable {
  /// The index of the word of the list that it is, or that alone begins with it.
  case known(Int)
  /// The indices of the several words that begin with it.
  case ambiguous(Range<Int>)
  /// It is no word of the list, and holds a character without a shape.
  case hidden(codePoint: UInt32)
  /// It is no word of the list; the indices of at most three that are like it, best first.
  case unknown([Int])
}

extension RecoveryPhrase {
  /// What a person typed or pasted, in the form in which words are recognised: NFKD and lower case, U+0020 as the only
  /// white space, invisible characters dropped. Control characters that are no white space stay.
  ///
  /// - Throws: `tooLong`, `invalidUTF8`, `crypto`.
  package static func fold(_ typed: borrowing SecretBytes) throws(PhraseError) -> SecretBytes {
    try PhraseText.folded(typed)
  }

  /// Recognises one folded word as in `normalise(_:)`, except that a beginning of any length is enough: a word that is
  /// typed by itself is completed before the eyes of whoever typed it.
  package static func recognise(typed word: Span<UInt8>) -> TypedWord {
    if let index = EnglishWordList.index(of: word) { return .known(index) }
    let longer = EnglishWordList.completions(ofPrefix: word)
    if longer.count == 1 { return .known(longer.lowerBound) }
    if !longer.isEmpty { return .ambiguous(longer) }
    if let codePoint = PhraseText.hiddenCharacter(in: word) {
      return .hidden(codePoint: codePoint)
    }
    return .unknown(EnglishWordList.suggestions(for: word))
  }
}
