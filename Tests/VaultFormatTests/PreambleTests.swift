import Testing

@testable import VaultFormat

@Suite struct PreambleTests {
  private func parse(_ bytes: [UInt8], as kind: FileKind = .slot) throws(FormatError) -> Preamble {
    var reader = ByteReader(bytes.span)
    return try Preamble(parsing: &reader, expecting: kind)
  }

  /// A preamble of a slot with some bytes changed.
  private func preamble(_ changes: [Int: UInt8] = [:]) -> [UInt8] {
    var bytes: [UInt8] = [
      0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0A, 2, 1, 1, 0, 0, 0, 0x10, 0,
    ]
    for (index, byte) in changes { bytes[index] = byte }
    return bytes
  }

  @Test func thePreambleIsThatOfTheSpec() throws {
    let parsed = try parse(preamble())
    #expect(parsed.publicMapByteCount == 4_096)
    var writer = ByteWriter()
    parsed.encode(into: &writer)
    #expect(writer.bytes == preamble())
  }

  @Test(arguments: [UInt8(0), 1, 3, 4, 5, 255])
  func anotherKindIsRefused(kind: UInt8) {
    #expect(throws: FormatError.wrongKind(expected: .slot, found: kind)) {
      try parse(preamble([8: kind]))
    }
  }

  @Test func anotherVersionIsNewerAndZeroIsMalformed() {
    #expect(throws: FormatError.newerVersion(found: 2)) { try parse(preamble([9: 2])) }
    #expect(throws: FormatError.newerVersion(found: 255)) { try parse(preamble([9: 255])) }
    #expect(
      throws: FormatError.valueOutOfRange(field: "version", offset: 9, found: 0, allowed: 1...1)
    ) { try parse(preamble([9: 0])) }
  }

  @Test(arguments: [UInt8(0), 2, 255])
  func anotherSuiteIsNewer(suite: UInt8) {
    #expect(throws: FormatError.newerSuite(found: suite)) { try parse(preamble([10: suite])) }
  }

  @Test func theZeroByteIsZero() {
    #expect(
      throws: FormatError.valueOutOfRange(field: "zero", offset: 11, found: 1, allowed: 0...0)
    ) { try parse(preamble([11: 1])) }
  }

  @Test(arguments: [UInt32(0), 4_097, 1 << 31, UInt32.max])
  func aLengthOutsideItsBoundsIsRefused(length: UInt32) {
    let bytes = preamble([
      12: UInt8(length >> 24), 13: UInt8(length >> 16 & 255), 14: UInt8(length >> 8 & 255),
      15: UInt8(length & 255),
    ])
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "length", offset: 12, found: UInt64(length), allowed: 1...4_096)
    ) { try parse(bytes) }
  }

  /// Each wrong field is named only when all before it are right.
  @Test func theChecksComeInTheOrderOfTheSpec() {
    let wrong: [(Int, UInt8)] = [(0, 0), (8, 9), (9, 9), (10, 9), (11, 9), (14, 0xFF)]
    let errors: [FormatError] = [
      .wrongMagic, .wrongKind(expected: .slot, found: 9), .newerVersion(found: 9),
      .newerSuite(found: 9),
      .valueOutOfRange(field: "zero", offset: 11, found: 9, allowed: 0...0),
      .valueOutOfRange(field: "length", offset: 12, found: 0xFF00, allowed: 1...4_096),
    ]
    for (first, error) in errors.enumerated() {
      let changes = Dictionary(uniqueKeysWithValues: wrong[first...])
      #expect(throws: error) { try parse(preamble(changes)) }
    }
  }

  @Test func aMapTooLongForAPreambleIsRefused() {
    for count in [0, 4_097] {
      #expect(
        throws: FormatError.wrongByteCount(
          field: "public map", offset: 16, allowed: 1...4_096, found: UInt64(count))
      ) { try Preamble(kind: .vault, publicMapByteCount: count) }
    }
  }
}
