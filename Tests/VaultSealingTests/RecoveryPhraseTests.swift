import Testing
import VaultCrypto
import VaultTestSupport

@testable import VaultSealing

/// One case of `fixtures/vectors/bip39/phrases.json`.
struct PhraseVector: Decodable, CustomTestStringConvertible {
  struct Expectation: Decodable {
    let phrase: String?
    let error: String?
    let offset: Int?
    let position: Int?
    let codePoint: UInt32?
    let found: Int?
    let limit: Int?
    let unknown: Int?
    let of: Int?
  }

  let comment: String
  let input: HexBytes
  let expect: Expectation

  var testDescription: String { comment }

  /// The expected error, without the suggestions, which are no part of the format.
  func expectedError() throws -> PhraseError {
    switch try #require(expect.error) {
    case "empty": .empty
    case "tooLong": .tooLong(found: try #require(expect.found), limit: try #require(expect.limit))
    case "invalidUTF8": .invalidUTF8(offset: try #require(expect.offset))
    case "otherWordList":
      .otherWordList(unknown: try #require(expect.unknown), of: try #require(expect.of))
    case "hiddenCharacter":
      .hiddenCharacter(
        position: try #require(expect.position), codePoint: try #require(expect.codePoint))
    case "unknownWord": .unknownWord(position: try #require(expect.position), suggestions: [])
    case "wrongCount": .wrongCount(found: try #require(expect.found))
    case "wrongChecksum": .wrongChecksum
    case let other: throw FixtureError.malformed(path: "phrases.json", reason: other)
    }
  }

  static func all() throws -> [Self] {
    struct File: Decodable { let count: Int, cases: [PhraseVector] }
    let file: File = try Fixtures.json("vectors/bip39/phrases.json")
    try #require(file.cases.count == file.count && file.count > 100)
    return file.cases
  }
}

@Suite struct RecoveryPhraseTests {
  @Test(arguments: try PhraseVector.all())
  func whatIsTypedFollowsTheVector(vector: PhraseVector) throws {
    let raw = try SecretBytes(known: vector.input.bytes)
    if let phrase = vector.expect.phrase {
      #expect(try RecoveryPhrase.normalise(raw).text == phrase)
    } else {
      let error = #expect(throws: PhraseError.self) { _ = try RecoveryPhrase.normalise(raw) }
      #expect(try withoutSuggestions(#require(error)) == vector.expectedError())
    }
  }

  @Test func hugeInputIsRefusedBeforeItIsDecoded() throws {
    let raw = try SecretBytes(known: [UInt8](repeating: 0xFF, count: 16_385))
    #expect(throws: PhraseError.tooLong(found: 16_385, limit: 16_384)) {
      _ = try RecoveryPhrase.normalise(raw)
    }
  }

  @Test func theMostBytesAreReadAsAPhrase() throws {
    let phrase = try #require(try englishVectors().first { $0.words.count == 24 })
    let text = phrase.words.joined(separator: " ")
    let padded = text + String(repeating: "\n", count: 16_384 - text.utf8.count)
    #expect(try RecoveryPhrase.normalise(SecretBytes(known: Array(padded.utf8))).text == text)
  }

  // MARK: - The vectors of BIP39

  private struct EnglishVector {
    let entropy: [UInt8]
    let words: [String]
  }

  private static let bipWordCounts: Set = [12, 15, 18, 21, 24]

  private func englishVectors() throws -> [EnglishVector] {
    let file: [String: [[String]]] = try Fixtures.json("vectors/bip39/vectors.json")
    let vectors = try #require(file["english"]).map { vector in
      EnglishVector(
        entropy: try [UInt8](hex: vector[0]),
        words: vector[1].split(separator: " ").map(String.init)
      )
    }
    for wordCount in [12, 18, 24] {
      try #require(vectors.count { $0.words.count == wordCount } == 8)
    }
    return vectors
  }

  @Test func everyEnglishVectorIsEncoded() throws {
    for vector in try englishVectors() {
      let entropy = try SecretBytes(known: vector.entropy)
      let words = try RecoveryPhrase.words(fromEntropy: entropy)
      #expect(words.text == vector.words.joined(separator: " "))
    }
  }

  @Test func everyEnglishVectorIsDecoded() throws {
    for vector in try englishVectors() {
      let raw = try SecretBytes(known: Array(vector.words.joined(separator: " ").utf8))
      let entropy = try RecoveryPhrase.entropy(of: raw, wordCounts: Self.bipWordCounts)
      #expect(entropy.copied == vector.entropy)
    }
  }

  @Test func aVaultTakesOnlyTheLongestOfThem() throws {
    for vector in try englishVectors() {
      let text = vector.words.joined(separator: " ")
      let raw = try SecretBytes(known: Array(text.utf8))
      if vector.words.count == 24 {
        #expect(try RecoveryPhrase.normalise(raw).text == text)
      } else {
        #expect(throws: PhraseError.wrongCount(found: vector.words.count)) {
          _ = try RecoveryPhrase.normalise(raw)
        }
      }
    }
  }

  @Test(arguments: [16, 20, 24, 28, 32])
  func everySizeComesBackAsItWent(byteCount: Int) throws {
    for fill in [UInt8(0x00), 0x01, 0x55, 0x80, 0xFE, 0xFF] {
      let bytes = (0..<byteCount).map { fill &+ UInt8($0) &* fill }
      let phrase = try RecoveryPhrase.words(fromEntropy: SecretBytes(known: bytes))
      #expect(phrase.text.split(separator: " ").count == byteCount / 4 * 3)
      let entropy = try RecoveryPhrase.entropy(of: phrase, wordCounts: Self.bipWordCounts)
      #expect(entropy.copied == bytes)
    }
  }

  @Test func aWrongChecksumIsFoundInEverySize() throws {
    for wordCount in Self.bipWordCounts {
      let words = Array(repeating: "zoo", count: wordCount).joined(separator: " ")
      let raw = try SecretBytes(known: Array(words.utf8))
      #expect(throws: PhraseError.wrongChecksum) {
        _ = try RecoveryPhrase.normalise(raw, wordCounts: Self.bipWordCounts)
      }
    }
  }

  @Test func noPhraseOfAnotherLanguageIsTakenForATypingError() throws {
    let file: [String: [[String]]] = try Fixtures.json("vectors/bip39/vectors.json")
    #expect(file.count == 12)
    for (language, vectors) in file where language != "english" {
      for vector in vectors {
        let raw = try SecretBytes(known: Array(vector[1].utf8))
        let error = #expect(throws: PhraseError.self) { _ = try RecoveryPhrase.normalise(raw) }
        guard case .otherWordList = error else {
          Issue.record("\(language): \(String(describing: error))")
          continue
        }
      }
    }
  }

  // MARK: - Asking for single words

  @Test(arguments: [
    ("act", 1, true), (" ACT\r\n", 1, true), ("action", 2, true), ("acti", 2, true),
    ("ill", 23, true), ("act", 2, false), ("action", 1, false), ("acto", 2, false),
    ("actionx", 2, false), ("act action", 1, false), ("", 1, false), ("ice", 23, false),
  ])
  func aSingleWordIsComparedAsItIsRecognised(
    typed: String, position: Int, expected: Bool
  ) throws {
    let phrase = try SecretBytes(
      known: Array(
        ("act action actor actress actual add addict address all alley allow arm armed army "
          + "arrow art artist car card cargo ice icon ill zoo").utf8))
    #expect(phrase.text.split(separator: " ").count == 24)
    let word = try SecretBytes(known: Array(typed.utf8))
    #expect(try RecoveryPhrase.isWord(word, at: position, of: phrase) == expected)
  }

  // MARK: - Errors

  @Test func suggestionsAreOfferedAndNeverTaken() throws {
    let vector = try #require(try englishVectors().first { $0.words.count == 24 })
    let typed = ["abandn"] + vector.words.dropFirst()
    let raw = try SecretBytes(known: Array(typed.joined(separator: " ").utf8))
    #expect(throws: PhraseError.unknownWord(position: 1, suggestions: [0])) {
      _ = try RecoveryPhrase.normalise(raw)
    }
  }

  @Test func errorsAreSaidWithPlaceAndWithoutAnyWord() {
    let sentences: [(PhraseError, String)] = [
      (.empty, "no recovery phrase received"),
      (
        .tooLong(found: 20_000, limit: 16_384),
        "the recovery phrase has 20000 bytes, but at most 16384 are read"
      ),
      (.invalidUTF8(offset: 7), "the recovery phrase is not UTF-8 at byte 7"),
      (
        .otherWordList(unknown: 22, of: 24),
        "22 of 24 words are not on the English list: the phrase was made with another word list"
      ),
      (
        .hiddenCharacter(position: 3, codePoint: 0xAD),
        "word 3 of the recovery phrase holds the invisible character U+00AD"
      ),
      (
        .hiddenCharacter(position: 3, codePoint: 0xE0061),
        "word 3 of the recovery phrase holds the invisible character U+E0061"
      ),
      (
        .unknownWord(position: 24, suggestions: [0, 1, 2]),
        "word 24 of the recovery phrase is not on the English word list"
      ),
      (.wrongCount(found: 23), "the recovery phrase has 23 words instead of 24"),
      (
        .wrongChecksum,
        "the words of the recovery phrase do not belong together: a word is wrong, the order is, "
          + "or the phrase is of another kind"
      ),
      (.crypto(.libraryFailure(call: "x")), "libcrypto's x failed"),
    ]
    for (error, sentence) in sentences { #expect(error.description == sentence) }
  }

  private func withoutSuggestions(_ error: PhraseError) -> PhraseError {
    guard case .unknownWord(let position, _) = error else { return error }
    return .unknownWord(position: position, suggestions: [])
  }
}
