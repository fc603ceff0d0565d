import Testing
import VaultFormat

@testable import VaultCommands

@Suite struct ReadingTextTests {
  @Test(arguments: [
    (0, "1970-01-01 00:00:00Z"), (-1, "1969-12-31 23:59:59Z"),
    (951_782_400, "2000-02-29 00:00:00Z"), (951_868_800, "2000-03-01 00:00:00Z"),
    (4_107_542_399, "2100-02-28 23:59:59Z"), (4_107_542_400, "2100-03-01 00:00:00Z"),
    (1_704_067_199, "2023-12-31 23:59:59Z"), (253_402_300_800, "10000-01-01 00:00:00Z"),
    (-62_167_219_200, "0000-01-01 00:00:00Z"), (-62_167_219_201, "-0001-12-31 23:59:59Z"),
    (Int64.max, "292277026596-12-04 15:30:07Z"), (Int64.min, "-292277022657-01-27 08:29:52Z"),
  ])
  func timesAreToldInUTC(_ seconds: Int64, _ text: String) throws {
    #expect(try Timestamp(seconds: seconds, nanoseconds: 999_999_999).utcText == text)
  }

  @Test(arguments: ["", "plain\ttext\r\n", "Käse 🧀 e\u{301}", "\u{C}"])
  func plainTextMayBeShown(_ text: String) { #expect(isPlain([Array(text.utf8)])) }

  @Test(arguments: [
    [0], [0x1B, 0x5B], [0x7F], [0xC2, 0x9B], [0xFF], [0xC3], [0xED, 0xA0, 0x80], [8],
  ])
  func whatCouldSteerATerminalMayNot(_ bytes: [UInt8]) {
    #expect(!isPlain([bytes]))
    #expect(!isPlain([Array("text ".utf8) + bytes]))
    #expect(!isPlain(bytes.map { [$0] }))
  }

  @Test func aCharacterMayLieAcrossPieces() {
    let text = Array("aé\u{20AC}🧀z".utf8)
    for cut in 0...text.count {
      #expect(isPlain([Array(text[..<cut]), Array(text[cut...])]))
    }
    #expect(isPlain(text.map { [$0] }))
  }

  private func isPlain(_ pieces: [[UInt8]]) -> Bool {
    var check = PlainTextCheck()
    for piece in pieces { check.take(piece.span) }
    return check.isPlainText
  }
}
