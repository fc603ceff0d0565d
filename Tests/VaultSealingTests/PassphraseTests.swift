import Testing
import VaultCrypto
import VaultTestSupport

@testable import VaultSealing

@Suite struct PassphraseTests {
  @Test(arguments: try PassphraseVector.all())
  func preparationFollowsTheVector(vector: PassphraseVector) throws {
    let purpose = try #require(vector.purpose)
    let raw = try SecretBytes(known: vector.input.bytes)
    if let bytes = vector.expect.bytes {
      #expect(try PassphrasePreparation.prepare(raw, for: purpose).copied == bytes)
    } else {
      #expect(throws: try vector.expect.expectedError()) {
        _ = try PassphrasePreparation.prepare(raw, for: purpose)
      }
    }
  }

  @Test(arguments: try PassphraseFileVector.all())
  func oneFinalLineEndIsTakenFromAFile(vector: PassphraseFileVector) throws {
    let content = try SecretBytes(known: vector.content.bytes)
    if let bytes = vector.expect.bytes {
      #expect(try PassphraseInput.fromFile(content).copied == bytes)
    } else {
      #expect(throws: try vector.expect.expectedError()) {
        _ = try PassphraseInput.fromFile(content)
      }
    }
  }

  @Test func preparingTwiceChangesNothing() throws {
    for vector in try PassphraseVector.all() {
      guard let bytes = vector.expect.bytes else { continue }
      let prepared = try SecretBytes(known: bytes)
      #expect(try PassphrasePreparation.prepare(prepared, for: .opening).copied == bytes)
    }
  }

  @Test(arguments: [64, 72, 127, 128])
  func everyByteOfALongPassphraseCounts(prefixByteCount: Int) throws {
    let long = (0..<200).map { UInt8(0x21 + $0 % 90) }
    let whole = try PassphrasePreparation.prepare(SecretBytes(known: long), for: .setting)
    let cut = try PassphrasePreparation.prepare(
      SecretBytes(known: Array(long.prefix(prefixByteCount))), for: .setting)
    #expect(whole.copied == long)
    #expect(cut.copied == Array(long.prefix(prefixByteCount)))
  }

  @Test(arguments: [16_384, 16_385, 100_000])
  func hugeInputIsRefusedWithItsByteCount(byteCount: Int) throws {
    let raw = try SecretBytes(known: [UInt8](repeating: 0x78, count: byteCount))
    let error = PassphraseError.tooLong(found: byteCount, limit: 1_024)
    #expect(throws: error) { _ = try PassphrasePreparation.prepare(raw, for: .opening) }
  }

  @Test func hugeInputIsRefusedBeforeItIsDecoded() throws {
    let raw = try SecretBytes(known: [UInt8](repeating: 0xFF, count: 16_385))
    #expect(throws: PassphraseError.tooLong(found: 16_385, limit: 1_024)) {
      _ = try PassphrasePreparation.prepare(raw, for: .opening)
    }
  }

  @Test(arguments: ["", "\n", "\r\n"])
  func aFileMayHoldTheMostBytesBesidesItsLineEnd(lineEnd: String) throws {
    let line = [UInt8](repeating: 0x78, count: 16_384)
    let content = try SecretBytes(known: line + Array(lineEnd.utf8))
    #expect(try PassphraseInput.fromFile(content).copied == line)
    let longer = try SecretBytes(known: [0x78] + line + Array(lineEnd.utf8))
    #expect(throws: PassphraseError.tooLong(found: 16_385, limit: 1_024)) {
      _ = try PassphraseInput.fromFile(longer)
    }
  }

  @Test func errorsAreSaidWithPlaceAndWithoutTheText() {
    let sentences: [(PassphraseError, String)] = [
      (.empty, "no passphrase received"),
      (.invalidUTF8(offset: 7), "the passphrase is not UTF-8 at byte 7"),
      (
        .tooLong(found: 1_025, limit: 1_024),
        "the passphrase has 1025 bytes, but at most 1024 are allowed"
      ),
      (
        .controlCharacter(position: 3),
        "character 3 of the new passphrase is a control character"
      ),
      (.unassigned(position: 3), "character 3 of the new passphrase is not assigned in Unicode"),
      (.secondLine, "the passphrase has a second line"),
      (
        .strayCarriageReturn(offset: 9),
        "the passphrase has a carriage return at byte 9, before its end"
      ),
      (.byteOrderMark, "the passphrase begins with a byte order mark"),
      (.crypto(.memoryUnavailable(code: 12)), "no memory for a secret (error 12)"),
    ]
    for (error, sentence) in sentences { #expect(error.description == sentence) }
  }
}
