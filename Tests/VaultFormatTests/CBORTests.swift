import Testing
import VaultTestSupport

@testable import VaultFormat

@Suite struct CBORTests {
  private static let field = "x"

  /// Reads one value and writes it again.
  private func recode(_ bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    var reader = CBOR.Reader(bytes.span)
    var writer = CBOR.Writer()
    try copyValue(from: &reader, to: &writer)
    try reader.finish()
    return writer.bytes
  }

  private func copyValue(
    from reader: inout CBOR.Reader, to writer: inout CBOR.Writer
  ) throws(FormatError) {
    let field = Self.field
    switch try reader.nextType(as: field) {
    case .unsigned: writer.writeUnsigned(try reader.readUnsigned(as: field))
    case .negative: writer.writeInteger(try reader.readInteger(as: field))
    case .bytes: writer.writeBytes([UInt8](copying: try reader.readBytes(nil, as: field)))
    case .text: writer.writeText(try reader.readText(nil, as: field))
    case .bool: writer.writeBool(try reader.readBool(as: field))
    case .array:
      let count = try reader.readArrayHeader(nil, elementByteCount: 1, as: field)
      writer.writeArrayHeader(count)
      for _ in 0..<count { try copyValue(from: &reader, to: &writer) }
    case .map:
      var keys = try reader.readMapHeader(as: field)
      writer.writeMapHeader(keys.unread)
      while let key = try reader.readKey(in: &keys) {
        writer.writeUnsigned(key)
        try copyValue(from: &reader, to: &writer)
      }
    }
  }

  /// Reads one value without looking at it.
  private func skip(_ bytes: [UInt8]) throws(FormatError) {
    var reader = CBOR.Reader(bytes.span)
    try reader.skipValue(as: Self.field)
    try reader.finish()
  }

  private struct Vectors: Decodable {
    struct Refused: Decodable {
      let bytes: HexBytes
      let why: String
    }
    let accepted: [HexBytes]
    let refused: [Refused]
  }

  @Test func theItemsOfTheFixtureAreTakenAndGivenBack() throws {
    let vectors = try Fixtures.json("vectors/vault/cbor.json", as: Vectors.self)
    #expect(vectors.accepted.count == 31)
    for item in vectors.accepted {
      #expect(try recode(item.bytes) == item.bytes)
      try skip(item.bytes)
    }
  }

  @Test func theItemsOfTheFixtureAreRefused() throws {
    let vectors = try Fixtures.json("vectors/vault/cbor.json", as: Vectors.self)
    #expect(vectors.refused.count == 47)
    for item in vectors.refused {
      let why = "\(item.bytes.bytes.hex): \(item.why)"
      #expect(throws: FormatError.self, "\(why)") { try recode(item.bytes.bytes) }
      #expect(throws: FormatError.self, "\(why)") { try skip(item.bytes.bytes) }
    }
  }

  static let errors: [(hex: String, error: FormatError)] = [
    ("", .truncated(field: "x", offset: 0, needed: 1, available: 0)),
    ("1800", .nonShortest(field: "x", offset: 0)),
    ("1817", .nonShortest(field: "x", offset: 0)),
    ("1900ff", .nonShortest(field: "x", offset: 0)),
    ("1a0000ffff", .nonShortest(field: "x", offset: 0)),
    ("1b00000000ffffffff", .nonShortest(field: "x", offset: 0)),
    ("3817", .nonShortest(field: "x", offset: 0)),
    ("580100", .nonShortest(field: "x", offset: 0)),
    ("780161", .nonShortest(field: "x", offset: 0)),
    ("980100", .nonShortest(field: "x", offset: 0)),
    ("b8010000", .nonShortest(field: "x", offset: 0)),
    ("3b8000000000000000", .integerTooLow(field: "x", offset: 0)),
    ("1c", .unsupportedItem(field: "x", offset: 0, initialByte: 0x1C)),
    ("5f4100ff", .unsupportedItem(field: "x", offset: 0, initialByte: 0x5F)),
    ("9fff", .unsupportedItem(field: "x", offset: 0, initialByte: 0x9F)),
    ("c000", .unsupportedItem(field: "x", offset: 0, initialByte: 0xC0)),
    ("8100c0", .trailingBytes(offset: 2)),
    ("8201f6", .unsupportedItem(field: "x", offset: 2, initialByte: 0xF6)),
    ("f7", .unsupportedItem(field: "x", offset: 0, initialByte: 0xF7)),
    ("f814", .unsupportedItem(field: "x", offset: 0, initialByte: 0xF8)),
    ("f93c00", .unsupportedItem(field: "x", offset: 0, initialByte: 0xF9)),
    ("62c080", .notUTF8(field: "x", offset: 0)),
    ("8163eda080", .notUTF8(field: "x", offset: 1)),
    ("64f4908080", .notUTF8(field: "x", offset: 0)),
    ("61c3", .notUTF8(field: "x", offset: 0)),
    ("a201000000", .keysNotAscending(field: "x", offset: 3, previous: 1, found: 0)),
    ("a205000500", .keysNotAscending(field: "x", offset: 3, previous: 5, found: 5)),
    ("a12000", .wrongType(field: "x", offset: 1, expected: .unsigned, found: .negative)),
    ("a16000", .wrongType(field: "x", offset: 1, expected: .unsigned, found: .text)),
    ("818181818181818180", .tooDeep(field: "x", offset: 8)),
    ("8181818181818181a0", .tooDeep(field: "x", offset: 8)),
    ("a100a100a100a100a100a100a100a10080", .tooDeep(field: "x", offset: 16)),
    ("4400", .truncated(field: "x", offset: 1, needed: 4, available: 1)),
    ("8300", .truncated(field: "x", offset: 1, needed: 3, available: 1)),
    ("a20000", .truncated(field: "x", offset: 1, needed: 4, available: 2)),
  ]

  @Test(arguments: errors)
  func eachRuleHasItsError(hex: String, error: FormatError) throws {
    let bytes = try [UInt8](hex: hex)
    #expect(throws: error) { try recode(bytes) }
    #expect(throws: error) { try skip(bytes) }
  }

  static let hugeCounts: [UInt64] = [1 << 31, (1 << 32) - 1, 1 << 63, UInt64.max]

  /// Nothing is allocated or looped over for a count that cannot be met.
  @Test(arguments: [2, 3, 4, 5] as [UInt8], hugeCounts)
  func hugeCountsAreTruncated(major: UInt8, count: UInt64) {
    let error = #expect(throws: FormatError.self) {
      try skip(Item.head(major, count) + [0, 0])
    }
    guard case .truncated(field: "x", offset: _, needed: let needed, available: 2) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(needed > 1 << 30)
  }

  @Test func everyTypeIsToldFromEveryOther() throws {
    let items = ["00", "20", "40", "60", "80", "a0", "f4"]
    let types: [CBOR.ItemType] = [.unsigned, .negative, .bytes, .text, .array, .map, .bool]
    for (hex, found) in zip(items, types) {
      let bytes = try [UInt8](hex: hex)
      for expected in types where expected != found && expected != .negative {
        if found == .negative && expected == .unsigned { continue }
        #expect(
          throws: FormatError.wrongType(field: "x", offset: 0, expected: expected, found: found)
        ) {
          var reader = CBOR.Reader(bytes.span)
          switch expected {
          case .unsigned, .negative: _ = try reader.readUnsigned(as: "x")
          case .bytes: _ = try reader.readBytes(nil, as: "x")
          case .text: _ = try reader.readText(nil, as: "x")
          case .array: _ = try reader.readArrayHeader(0...9, elementByteCount: 1, as: "x")
          case .map: _ = try reader.readMapHeader(as: "x")
          case .bool: _ = try reader.readBool(as: "x")
          }
        }
      }
    }
  }

  static let integers: [(value: Int64, hex: String)] = [
    (Int64.min, "3b7fffffffffffffff"), (-1, "20"), (-24, "37"), (-25, "3818"), (0, "00"),
    (23, "17"), (24, "1818"), (Int64.max, "1b7fffffffffffffff"),
  ]

  @Test(arguments: integers)
  func integersHaveOneForm(value: Int64, hex: String) throws {
    var writer = CBOR.Writer()
    writer.writeInteger(value)
    #expect(writer.bytes.hex == hex)
    var reader = CBOR.Reader(writer.bytes.span)
    #expect(try reader.readInteger(as: "x") == value)
  }

  @Test func anIntegerAboveTheSignedRangeIsOutOfRange() {
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "x", offset: 0, found: 1 << 63, allowed: 0...UInt64(Int64.max))
    ) {
      let bytes = Item.uint(1 << 63).encoded
      var reader = CBOR.Reader(bytes.span)
      _ = try reader.readInteger(as: "x")
    }
  }
}
