import Testing
import VaultCrypto

@testable import VaultSealing

@Suite struct PassphraseDisclosureTests {
  private func isIn(_ text: String, _ passphrase: String) throws -> Bool {
    let raw = try SecretBytes(known: Array(passphrase.utf8))
    return try PassphraseDisclosure.isIn(
      text, passphrase: PassphrasePreparation.prepare(raw, for: .setting))
  }

  @Test(arguments: [
    ("hunter2", "hunter2"), ("it is hunter2!", "hunter2"), ("HUNTER2", "hunter2"),
    ("see Hunter2", "hUNTER2"), ("K\u{E4}se", "Ka\u{308}se"), ("KA\u{308}SE!", "k\u{E4}se"),
    ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"), ("Stra\u{DF}e", "STRASSE"),
    ("two\u{A0}words", "two words"),
  ])
  func aTextThatHoldsThePassphraseGivesItAway(text: String, passphrase: String) throws {
    #expect(try isIn(text, passphrase))
  }

  @Test(arguments: [
    ("hunter", "hunter2"), ("", "a"), ("hunter 2", "hunter2"), ("Kase", "K\u{E4}se"),
  ])
  func anotherTextDoesNot(text: String, passphrase: String) throws {
    #expect(try !isIn(text, passphrase))
  }
}
