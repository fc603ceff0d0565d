package import VaultCrypto

/// Why a recovery phrase was not accepted. Never holds what was typed.
package enum PhraseError: Error, Equatable {
  /// There is no phrase: no word was received.
  case empty
  /// More bytes than any way of writing a phrase needs.
  case tooLong(found: Int, limit: Int)
  /// The bytes are not UTF-8; `offset` is the first byte of the first bad sequence.
  case invalidUTF8(offset: Int)
  /// Most words are not on the English list: the phrase was made with another list.
  case otherWordList(unknown: Int, of: Int)
  /// A word holds a character without a shape; `position` counts words from 1.
  case hiddenCharacter(position: Int, codePoint: UInt32)
  /// A word is not on the list; `position` counts words from 1. The suggestions are indices of at
  /// most three similar list words, best first. They come near the secret: show them only on the
  /// terminal where the phrase was typed, and never choose one for the user.
  case unknownWord(position: Int, suggestions: [Int])
  /// All words are on the list, but a phrase has 24.
  case wrongCount(found: Int)
  /// 24 words of the list that are no phrase together: one is another word of the list, two are
  /// swapped, or the phrase belongs to another scheme.
  case wrongChecksum
  /// The machine could not provide memory for secrets.
  case crypto(CryptoError)
}

extension PhraseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "no recovery phrase received"
    case .tooLong(let found, let limit):
      "the recovery phrase has \(found) bytes, but at most \(limit) are read"
    case .invalidUTF8(let offset): "the recovery phrase is not UTF-8 at byte \(offset)"
    case .otherWordList(let unknown, let count):
      "\(unknown) of \(count) words are not on the English list: "
        + "the phrase was made with another word list"
    case .hiddenCharacter(let position, let codePoint):
      "word \(position) of the recovery phrase holds the invisible character "
        + "U+\(Self.hex(codePoint))"
    case .unknownWord(let position, _):
      "word \(position) of the recovery phrase is not on the English word list"
    case .wrongCount(let found):
      "the recovery phrase has \(found) words instead of \(RecoveryPhrase.wordCount)"
    case .wrongChecksum:
      "the words of the recovery phrase do not belong together: a word is wrong, "
        + "the order is, or the phrase is of another kind"
    case .crypto(let error): "\(error)"
    }
  }

  private static func hex(_ codePoint: UInt32) -> String {
    let digits = String(codePoint, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
