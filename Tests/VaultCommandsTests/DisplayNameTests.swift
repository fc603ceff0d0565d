import Testing
import VaultCommands

@Suite struct DisplayNameTests {
  @Test(arguments: [
    ("plain.md", "plain.md"), ("a b", "'a b'"), ("it's", "it's"), ("it's one", "'it\\'s one'"),
    ("", "''"), ("back\\slash", "back\\\\slash"), ("Größe/日本語.md", "Größe/日本語.md"),
    ("e\u{301}", "e\u{301}"), ("\u{3000}x", "'\u{3000}x'"),
    ("\u{1B}]0;x\u{07}\r\n\u{7F}", "\\x1b]0;x\\x07\\x0d\\x0a\\x7f"),
    ("\u{9B}2J", "\\u{9b}2J"), ("a\u{202E}fdp", "a\\u{202e}fdp"),
    ("\u{2066}\u{2069}\u{200B}\u{200F}", "\\u{2066}\\u{2069}\\u{200b}\\u{200f}"),
    ("\u{2028}\u{FEFF}\u{3164}\u{AD}", "\\u{2028}\\u{feff}\\u{3164}\\u{ad}"),
    ("\u{E000}\u{10FFFF}", "\\u{e000}\\u{10ffff}"),
    ("👩\u{200D}💻❤\u{FE0F}", "👩\u{200D}💻❤\u{FE0F}"),
    ("a\u{200D}b1\u{FE0F}", "a\\u{200d}b1\\u{fe0f}"),
    ("👩🏽\u{200D}🚀", "👩🏽\u{200D}🚀"),
  ])
  func whatCouldDeceiveIsEscaped(name: String, expected: String) {
    let shown = DisplayName(name).description
    #expect(Array(shown.utf8) == Array(expected.utf8))
  }

  @Test(
    arguments: [
      ([0x62, 0xE4, 0x72], "b\\xe4r"), ([0xC0, 0xAF], "\\xc0\\xaf"), ([0xC3], "\\xc3"),
      ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"), ([0xF4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"),
      ([0xC3, 0xC3, 0xA9], "\\xc3é"), ([0x00, 0x80, 0xFF], "\\x00\\x80\\xff"),
    ] as [([UInt8], String)])
  func invalidBytesAreEscapedOneByOne(bytes: [UInt8], expected: String) {
    #expect(DisplayName(bytes).description == expected)
  }

  @Test func everySingleByteGivesPrintableText() {
    for byte in UInt8.min...UInt8.max {
      let shown = DisplayName([byte]).text
      #expect(shown.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) })
    }
  }

  @Test func quotesCanAlwaysBeAskedFor() {
    #expect(DisplayName("a").quoted == "'a'")
    #expect(DisplayName("a'\u{1B}").quoted == "'a\\'\\x1b'")
  }
}

@Suite struct JSONTextTests {
  private struct Note: Encodable {
    let path: JSONPath
    let bytes: Int

    private enum Key: CodingKey { case bytes }

    func encode(to encoder: any Encoder) throws {
      try path.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(bytes, forKey: .bytes)
    }
  }

  private func text(_ report: some Encodable) throws -> String {
    String(decoding: try JSONText.encode(report), as: UTF8.self)
  }

  @Test func pathsThatAreNotUTF8BecomeHexadecimal() throws {
    let notes = [
      Note(path: JSONPath(Array("a/é \"\u{1B}\u{202E}\n".utf8)), bytes: 1),
      Note(path: JSONPath([0x62, 0xE4, 0x0A]), bytes: 2),
    ]
    #expect(
      try text(notes) == """
        [{"bytes":1,"path":"a/é \\"\\u001b\u{202E}\\n"},{"bytes":2,"path_hex":"62e40a"}]

        """)
  }

  private struct Counts: Encodable {
    let vaultID = "x"
    let openedCompartments = 1
    let contentBytes = 2
  }

  @Test func fieldsHaveWordsWithUnderscores() throws {
    #expect(
      try text(Counts()) == "{\"content_bytes\":2,\"opened_compartments\":1,\"vault_id\":\"x\"}\n")
  }

  @Test func keysAreSortedAndOneNewlineEndsTheReport() throws {
    #expect(try text(["b": 1, "a": 2, "_": 3]) == "{\"_\":3,\"a\":2,\"b\":1}\n")
  }

  @Test func aNumberThatJSONCannotHoldIsAnError() {
    #expect(throws: OutputError.self) { try JSONText.encode([Double.nan]) }
  }

  @Test func canonicallyEqualPathsStayApart() throws {
    let composed = JSONPath(Array("\u{E9}".utf8))
    let decomposed = JSONPath(Array("e\u{301}".utf8))
    #expect(try text([composed]).utf8.elementsEqual("[{\"path\":\"\u{E9}\"}]\n".utf8))
    #expect(try text([decomposed]).utf8.elementsEqual("[{\"path\":\"e\u{301}\"}]\n".utf8))
  }
}
