import Testing
import VaultCrypto
import VaultTestSupport

@testable import VaultSealing

@Suite struct EnglishWordListTests {
  private func word(_ index: Int) -> String {
    EnglishWordList.withWord(at: index) { span in
      String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
    }
  }

  private func index(_ word: String) -> Int? {
    let bytes = Array(word.utf8)
    return EnglishWordList.index(of: bytes.span)
  }

  private func index(wordOrPrefix word: String) -> Int? {
    let bytes = Array(word.utf8)
    return EnglishWordList.index(ofWordOrPrefix: bytes.span)
  }

  private func completions(_ prefix: String) -> [String] {
    let bytes = Array(prefix.utf8)
    return EnglishWordList.completions(ofPrefix: bytes.span).map(word)
  }

  private func suggestions(_ word: String) -> [String] {
    let bytes = Array(word.utf8)
    return EnglishWordList.suggestions(for: bytes.span).map(self.word)
  }

  @Test func theListIsThatOfBIP39() throws {
    let file = try Fixtures.bytes("vectors/bip39/english.txt")
    #expect(
      (0..<EnglishWordList.count).map(word).joined(separator: "\n") + "\n"
        == String(decoding: file, as: UTF8.self))
    #expect(
      try SHA256.digest(file.span).bytes.hex
        == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
  }

  @Test func everyWordAndEveryUniquePrefixIsFound() {
    for expected in 0..<EnglishWordList.count {
      let word = word(expected)
      #expect(index(word) == expected)
      for byteCount in 4...max(4, word.count) {
        #expect(index(wordOrPrefix: String(word.prefix(byteCount))) == expected)
      }
    }
  }

  @Test(arguments: [
    "", "a", "ab", "aba", "aband", "abandons", "zoos", "zooo", "Abandon", "\u{E9}", "~",
  ])
  func otherBytesAreNoWord(bytes: String) {
    #expect(index(bytes) == nil)
  }

  @Test(arguments: ["", "a", "ab", "aba", "zon", "abandons", "acts", "abou\u{301}", "Aban"])
  func fewerThanFourLettersOrOtherLettersAreNoPrefix(bytes: String) {
    #expect(index(wordOrPrefix: bytes) == nil)
  }

  @Test func completionsAreTheWordsThatBeginSo() throws {
    let words = (0..<EnglishWordList.count).map(word)
    #expect(completions("") == words)
    #expect(completions("zo") == ["zone", "zoo"])
    #expect(completions("act") == ["act", "action", "actor", "actress", "actual"])
    for prefix in [
      "a", "ab", "s", "st", "zz", "zoo", "x", "B", "\u{E9}", "abandon", "abandons", "~",
    ] {
      #expect(completions(prefix) == words.filter { $0.hasPrefix(prefix) }, "\(prefix)")
    }
  }

  @Test(arguments: [
    ("abandn", ["abandon"]),
    ("abandonn", ["abandon"]),
    ("abadnon", ["abandon"]),
    ("zooo", ["zoo"]),
    ("ac", ["access", "accident", "account"]),
    ("xyzzyx", []),
    ("q", []),
    ("\u{43E}", []),
    ("abcdefghijklmnopqrst", []),
  ])
  func suggestionsAreTheMostAlikeWords(typed: String, expected: [String]) {
    #expect(Array(suggestions(typed).prefix(max(1, expected.count))) == expected)
  }

  @Test func oneErrorComesBeforeTwoAndTheSameFirstLetterBeforeAnother() {
    #expect(suggestions("wold") == ["wild", "wolf", "wood"])
    #expect(suggestions("lettre") == ["letter", "lecture", "little"])
    #expect(suggestions("freindd") == ["friend"])
  }
}
