import Testing
import VaultCrypto
import VaultStore
import VaultTestSupport

@testable import VaultCommands

/// One person at one keyboard, without a terminal.
private struct Typist: ~Copyable {
  static let words =
    (Array(
      repeating: ["letter", "advice", "cage", "absurd", "amount", "doctor", "acoustic", "avoid"],
      count: 3
    ).flatMap { $0 }.dropLast() + ["bless"])
  static let phrase = words.joined(separator: " ")

  private var typing: PhraseTyping
  private(set) var shown = ""

  init() throws { typing = try PhraseTyping() }

  var progress: PhraseTyping.Progress { typing.progress }
  var phrase: String {
    get throws {
      let phrase = try typing.phrase()
      return phrase.withBytes { bytes in
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
      }
    }
  }

  /// All at once, as a paste comes.
  mutating func paste(_ text: String) throws { try paste(bytes: Array(text.utf8)) }

  mutating func paste(bytes: [UInt8]) throws {
    let keys = try SecretBytes(copying: bytes.span)
    var shown: [UInt8] = []
    try typing.take(keys) { bytes throws(SecretError) in
      shown += bytes.indices.map { bytes[$0] }
    }
    self.shown += String(decoding: shown, as: UTF8.self)
  }

  /// Key by key; the characters beyond ASCII come whole.
  mutating func type(_ text: String) throws {
    for scalar in text.unicodeScalars { try paste(String(Character(scalar))) }
  }

  /// What was shown since this was asked last.
  mutating func news() -> String {
    defer { shown = "" }
    return shown
  }
}

@Suite struct PhraseTypingTests {
  @Test(arguments: [" ", "\r", "\n", "\t", "  \r\n"])
  func everyWayOfEndingAWordTypesThePhrase(end: String) throws {
    var typist = try Typist()
    for word in Typist.words {
      #expect(typist.progress == .typing)
      try typist.type(word + end)
    }
    #expect(typist.progress == .complete)
    #expect(try typist.phrase == Typist.phrase)
  }

  @Test func aBeginningOfOneWordIsCompletedBeforeTheEyes() throws {
    var typist = try Typist()
    try typist.type("LeTt\t")
    #expect(typist.news() == "letter\nWord 2 of 24: ")
    try typist.type("advi ")
    #expect(typist.news() == "advice\nWord 3 of 24: ")
  }

  @Test func aFullWordWinsOverALongerOne() throws {
    var typist = try Typist()
    try typist.type("act ")
    #expect(typist.news() == "act\nWord 2 of 24: ")
  }

  @Test func anAmbiguousBeginningIsSaidAndKept() throws {
    var typist = try Typist()
    try typist.type("abo ")
    #expect(
      typist.news()
        == "abo\nThat begins more than one word: about, above\nWord 1 of 24: abo")
    try typist.type("v\n")
    #expect(typist.news() == "ve\nWord 2 of 24: ")
    try typist.type("ab ")
    let shown = typist.news()
    #expect(shown.contains("abandon, ability, able, ... ("), "\(shown)")
  }

  @Test func anUnknownWordIsSaidAtOnceWithThreeThatAreLikeIt() throws {
    var typist = try Typist()
    try typist.type("lettre ")
    let shown = typist.news()
    #expect(shown.hasPrefix("lettre\nThat is not on the word list; like it are: letter"))
    #expect(shown.hasSuffix(".\nWord 1 of 24: "))
    #expect(shown.split(separator: ",").count <= 3)
    try typist.type("qqqqqqqq ")
    #expect(
      typist.news() == "qqqqqqqq\nThat is not on the word list.\nWord 1 of 24: ")
    try typist.type("letter ")
    #expect(typist.news() == "letter\nWord 2 of 24: ")
  }

  @Test func keysOfEditingWork() throws {
    var typist = try Typist()
    try typist.type("lex\u{7F}tter ")
    #expect(typist.news() == "lex\u{8} \u{8}tter\nWord 2 of 24: ")
    try typist.type("cage\u{15}")
    #expect(typist.news() == "cage" + String(repeating: "\u{8} \u{8}", count: 4))
    try typist.type("advice ")
    #expect(typist.news() == "advice\nWord 3 of 24: ")
    // Arrows and other keys of several bytes do nothing.
    try typist.type("\u{1B}[A\u{1B}[3~\u{1B}OP\u{1}")
    #expect(typist.news().isEmpty)
  }

  @Test func theWordBeforeIsShownAgainForCorrection() throws {
    var typist = try Typist()
    try typist.type("letter absurd ")
    _ = typist.news()
    try typist.type("\u{7F}")
    #expect(typist.news() == "\nWord 2 of 24: absurd")
    try typist.type("\u{15}advice ")
    #expect(typist.news().hasSuffix("advice\nWord 3 of 24: "))
    try typist.type("<<<<")
    #expect(
      typist.news() == "\nWord 2 of 24: advice\nWord 1 of 24: letter")
    try typist.type("\n")
    #expect(typist.news() == "\nWord 3 of 24: ")
    try typist.paste(Typist.words[2...].joined(separator: " ") + "\n")
    #expect(typist.progress == .complete)
    #expect(try typist.phrase == Typist.phrase)
  }

  @Test(arguments: [
    Typist.phrase + "\n", Typist.phrase.uppercased() + "\n",
    Typist.words.joined(separator: "\r\n") + "\r\n",
    "\t " + Typist.words.joined(separator: " \n  ") + "\n",
    "\u{FEFF}" + Typist.words.joined(separator: "\u{3000}") + "\u{A0}",
    Typist.words.map { String($0.prefix(4)) }.joined(separator: " ") + "\n",
    Typist.words.joined(separator: "\u{200B} \u{200B}") + "\r",
    "\u{1B}[200~" + Typist.phrase + "\u{1B}[201~\n",
  ])
  func allWordsMayBePastedAtOnce(text: String) throws {
    var typist = try Typist()
    try typist.paste(text)
    #expect(typist.progress == .complete, "\(typist.shown)")
    #expect(try typist.phrase == Typist.phrase)
  }

  @Test func aPasteWithoutAnEndAwaitsEnter() throws {
    var typist = try Typist()
    try typist.paste(Typist.phrase)
    #expect(typist.progress == .typing)
    try typist.type("\r")
    #expect(typist.progress == .complete)
  }

  @Test func aWrongWordAmongPastedOnesLosesNoOther() throws {
    var words = Typist.words
    words[6] = "acuostic"
    words[20] = "zzzzz"
    for end in ["\n", ""] {
      var typist = try Typist()
      try typist.paste(words.joined(separator: " ") + end)
      let shown = typist.news()
      #expect(shown.contains("like it are: acoustic"))
      #expect(shown.hasSuffix("Word 7 of 24: "))
      try typist.type("acoustic ")
      #expect(typist.news().hasSuffix("Word 21 of 24: "))
      try typist.type(Typist.words[20] + "\n")
      #expect(typist.progress == .complete)
      #expect(try typist.phrase == Typist.phrase)
    }
  }

  @Test func aWrongChecksumLosesNothing() throws {
    var words = Typist.words
    words[22] = "absurd"
    var typist = try Typist()
    try typist.paste(words.joined(separator: " ") + "\n")
    #expect(typist.progress == .typing)
    let shown = typist.news()
    #expect(shown.contains("do not belong together"))
    #expect(shown.hasSuffix("Ctrl-U starts again: "))
    try typist.type("\r")
    #expect(typist.news().contains("do not belong together"))
    try typist.type("x<\u{7F}")
    #expect(typist.news() == "\nWord 24 of 24: bless\u{8} \u{8}")
    try typist.type("s<")
    #expect(typist.news() == "s\nWord 23 of 24: absurd")
    try typist.type("\u{15}acoustic ")
    #expect(typist.progress == .complete)
    #expect(try typist.phrase == Typist.phrase)
  }

  @Test func afterAWrongChecksumOneMayStartAgain() throws {
    for again in ["\u{15}", ""] {
      var typist = try Typist()
      try typist.paste(String(repeating: "abandon ", count: 24))
      #expect(typist.progress == .typing)
      try typist.type(again)
      try typist.paste(Typist.phrase + "\n")
      #expect(typist.progress == .complete)
      #expect(try typist.phrase == Typist.phrase)
    }
  }

  @Test func moreThanAllWordsAreNotTakenForAPhrase() throws {
    var typist = try Typist()
    try typist.paste(Typist.phrase + " zoo\n")
    #expect(typist.progress == .typing)
    #expect(typist.news().contains("more than 24 words"))
  }

  @Test func hiddenCharactersAndBytesThatAreNoTextMakeNoWord() throws {
    var typist = try Typist()
    try typist.type("let\u{200E}ter ")
    #expect(typist.news().contains("invisible character in it (U+200E)"))
    try typist.paste(bytes: Array("lett".utf8) + [0xFF, 0x20])
    #expect(typist.news().contains("lett?\nThat is not on the word list"))
    try typist.paste("c\u{E4}ge ")
    #expect(typist.news().contains("ca?ge\nThat is not on the word list"))
  }

  @Test func theEndOfInputGivesUpOnlyBetweenWords() throws {
    var typist = try Typist()
    try typist.type("le\u{4}")
    #expect(typist.progress == .typing)
    try typist.type("tter \u{4}")
    #expect(typist.progress == .ended)
  }

  @Test func randomKeysNeverGiveAPhraseThatIsNotSound() throws {
    let keys: [String] = [
      "letter", "ab", "q", " ", "\t", "\r", "<", "\u{7F}", "\u{15}", "\u{1B}", "[", "\u{E9}",
      "zoo ",
      Typist.phrase, "\u{17}", "abandon ", "\u{3000}",
    ]
    var random = SeededBytes(seed: 60)
    for _ in 0..<20 {
      var typist = try Typist()
      for _ in 0..<60 where typist.progress == .typing {
        try typist.paste(#require(keys.randomElement(using: &random)))
      }
      if typist.progress == .complete {
        let phrase = try SecretBytes(copying: Array(try typist.phrase.utf8).span)
        _ = try VaultSecret(phrase: phrase)
      }
    }
  }
}
