import Testing
import VaultCrypto
import VaultTestSupport

@testable import VaultSealing

@Suite struct UnicodeTests {
  @Test func spacesAreThoseOfCategoryZs() {
    for value in UInt32(0)...0x1_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isZs = scalar.properties.generalCategory == .spaceSeparator
      #expect(UnicodeLists.isSpaceSeparator(value) == isZs, "U+\(String(value, radix: 16))")
    }
  }

  @Test func whiteSpaceIsThatOfThePropertyWhiteSpace() {
    for value in UInt32(0)...0x1_FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isWhite = scalar.properties.isWhitespace
      #expect(UnicodeLists.isWhiteSpace(value) == isWhite, "U+\(String(value, radix: 16))")
    }
  }

  @Test func fourCharactersAreDroppedFromAPhrase() {
    let dropped = (UInt32(0)...0x1_FFFF).filter(UnicodeLists.isDroppedFromPhrase)
    #expect(dropped == [0x200B, 0x200C, 0x200D, 0xFEFF])
  }

  /// Runs of 200 characters, so that marks follow letters and letters follow marks. The digests come
  /// from another implementation (`fixtures/vectors/passphrase/make.py`).
  @Test func normalFormsAgreeWithAnotherImplementation() throws {
    struct Run: Decodable { let expect: [String: String], order: String, ranges: [[UInt32]] }
    struct File: Decodable { let count: Int, runs: [Run] }
    let file: File = try Fixtures.json("vectors/passphrase/normal-forms.json")
    try #require(file.runs.count == file.count && file.count > 150)
    for run in file.runs {
      var scalars = run.ranges.flatMap { ($0[0]...$0[1]).compactMap(Unicode.Scalar.init) }
      if run.order == "backwards" { scalars.reverse() }
      let text = Array(String(String.UnicodeScalarView(scalars)).utf8)
      var canonical = try UnicodeSecretScalars(decomposing: text.span, .canonical)
      canonical.compose()
      #expect(try digest(canonical.utf8()) == run.expect["nfc"], "\(run)")
      let compatible = try UnicodeSecretScalars(decomposing: text.span, .compatibility)
      #expect(try digest(compatible.utf8()) == run.expect["nfkd"], "\(run)")
    }
  }

  private func digest(_ bytes: consuming SecretBytes) throws -> String {
    try SHA256.digest(bytes.copied.span).bytes.hex
  }

  @Test func emptyTextStaysEmpty() throws {
    let nothing: [UInt8] = []
    var scalars = try UnicodeSecretScalars(decomposing: nothing.span, .canonical)
    scalars.replaceEach { $0 }
    scalars.compose()
    #expect(try scalars.utf8().count == 0)
  }

  @Test func replacingMapsAndDrops() throws {
    let text = Array("a-b\u{1F511}-".utf8)
    var scalars = try UnicodeSecretScalars(decomposing: text.span, .canonical)
    scalars.replaceEach { $0 == 0x2D ? nil : $0 == 0x61 ? 0x7FF : $0 }
    #expect(try scalars.utf8().text == "\u{7FF}b\u{1F511}")
  }

  @Test func wellFormedIsWhatTheStandardLibraryTakesForWellFormed() {
    let later: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF]
    var accepted = 0
    for lead in UInt8(0x7F)...0xFF {
      for second in later {
        for third in later {
          for fourth in later {
            let bytes = [lead, second, third, fourth]
            let expected = String(validating: bytes, as: UTF8.self)?.unicodeScalars.map(\.value)
            #expect(codePoints(of: bytes) == expected, "\(bytes)")
            accepted += expected == nil ? 0 : 1
          }
        }
      }
    }
    #expect(accepted > 0)
  }

  private func codePoints(of bytes: [UInt8]) -> [UInt32]? {
    var reader = UnicodeScalarReader(bytes.span)
    var found: [UInt32] = []
    do { while let scalar = try reader.next() { found.append(scalar) } } catch { return nil }
    return found
  }
}
