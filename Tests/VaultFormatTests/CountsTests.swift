import Testing
import VaultFormat

/// A byte string, text or array in a record, with the way to decode a record that ends after a head
/// with another count.
struct CountField: Sendable, CustomTestStringConvertible {
  let field: String
  let allowed: ClosedRange<UInt64>
  let decode: @Sendable (_ count: UInt64) throws(FormatError) -> Void

  var testDescription: String { "\(field) \(allowed)" }

  static let strings: [CountField] = [
    CountField(field: "vault id", allowed: 16...16) { count throws(FormatError) in
      let map = Item.map([(1, .raw(Item.head(2, count)))])
      _ = try VaultHeader(decoding: map.file(.vault).span)
    },
    CountField(field: "vault salt", allowed: 32...32) { count throws(FormatError) in
      let map = Samples.vault.with(2, .raw(Item.head(2, count))).with(3, nil)
      _ = try VaultHeader(decoding: map.file(.vault).span)
    },
    CountField(field: "label", allowed: 1...256) { count throws(FormatError) in
      try slot(Samples.slot.with(10, .raw(Item.head(3, count))).with(11, nil))
    },
    CountField(field: "hint", allowed: 1...256) { count throws(FormatError) in
      try slot(Samples.slot.with(11, .raw(Item.head(3, count))))
    },
    CountField(field: "base nonce", allowed: 12...12) { count throws(FormatError) in
      let map = Samples.sealedFile.with(5, .raw(Item.head(2, count))).with(6, nil)
      let bytes = map.file(.sealedFile)
      var reader = ByteReader(bytes.span)
      _ = try SealedFileHead(parsing: &reader)
    },
    CountField(field: "path", allowed: 1...8_192) { count throws(FormatError) in
      try header([0xA1, 0x01] + Item.head(2, count))
    },
    CountField(field: "media type", allowed: 1...255) { count throws(FormatError) in
      try header([0xA3, 0x01, 0x41, 0x61, 0x02, 0x01, 0x03] + Item.head(3, count))
    },
    CountField(field: "companion path", allowed: 1...255) { count throws(FormatError) in
      try lists([0x80, 0x80, 0x80, 0x81, 0x85, 0x02] + Item.head(2, count) + rest)
    },
    CountField(field: "digest", allowed: 32...32) { count throws(FormatError) in
      try lists(note + [0x81, 0x82] + Item.head(2, count) + rest[..<14])
    },
    CountField(field: "grave", allowed: 16...16) { count throws(FormatError) in
      try lists(note + [0x81] + Item.head(2, count) + rest[..<16])
    },
    CountField(field: "before", allowed: 0...32) { count throws(FormatError) in
      let bytes = [0x81, 0x83] + Item.id(1).encoded + Item.head(2, count)
      _ = try CommitPlan(decoding: bytes.span)
    },
  ]

  static let arrays: [CountField] = [
    CountField(field: "features", allowed: 0...4_096) { count throws(FormatError) in
      let map = Samples.segment.with(5, .raw(Item.head(4, count))).with(6, nil).with(7, nil)
      let bytes = map.file(.segment)
      var reader = ByteReader(bytes.span)
      _ = try SegmentHead(parsing: &reader)
    },
    CountField(field: "parents", allowed: 0...256) { count throws(FormatError) in
      try lists(Item.head(4, count) + [0])
    },
    CountField(field: "replaces", allowed: 0...1_048_576) { count throws(FormatError) in
      try lists([0x80] + Item.head(4, count))
    },
    CountField(field: "excuses", allowed: 0...1_048_576) { count throws(FormatError) in
      try lists([0x80, 0x80] + Item.head(4, count))
    },
    CountField(field: "entries", allowed: 0...1_048_576) { count throws(FormatError) in
      try lists([0x80, 0x80, 0x80] + Item.head(4, count))
    },
    CountField(field: "states", allowed: 0...1_048_576) { count throws(FormatError) in
      try lists(note + Item.head(4, count) + [0])
    },
    CountField(field: "over", allowed: 0...1_048_576) { count throws(FormatError) in
      try lists(note + [0x80] + Item.head(4, count))
    },
    CountField(field: "plan", allowed: 0...1_048_576) { count throws(FormatError) in
      _ = try CommitPlan(decoding: Item.head(4, count).span)
    },
    CountField(field: "items", allowed: 2...2) { count throws(FormatError) in
      let entries = try SegmentLists(decoding: Samples.lists.encoded.span).entries
      _ = try SegmentBody(decoding: Item.head(4, count).span, entries: entries)
    },
  ]

  /// Enough for an entry or a state to be possible.
  private static let rest = [UInt8](repeating: 0, count: 22)

  /// Lists up to the id of a note, without the outermost head.
  private static let note: [UInt8] = [0x80, 0x80, 0x80, 0x81, 0x85, 0x00] + Item.id(1).encoded

  private static func lists(_ bytes: [UInt8]) throws(FormatError) {
    _ = try SegmentLists(decoding: ([0x84] + bytes).span)
  }

  private static func slot(_ map: Item) throws(FormatError) {
    _ = try KeySlot(decoding: map.file(.slot).span, bounds: .standard)
  }

  private static func header(_ start: [UInt8]) throws(FormatError) {
    let bytes = start + [UInt8](repeating: 0, count: 256 - start.count)
    _ = try NoteHeader(decoding: bytes.span)
  }
}

@Suite struct CountsTests {
  private func check(
    _ count: CountField, isRefusal: (FormatError, UInt64) -> Bool
  ) {
    let bounds = count.allowed
    let values: [UInt64] = [
      bounds.lowerBound &- 1, bounds.upperBound, bounds.upperBound + 1, 1 << 31, (1 << 32) - 1,
      1 << 63, UInt64.max,
    ]
    for value in values {
      do throws(FormatError) {
        try count.decode(value)
        Issue.record("\(value): taken without its bytes")
      } catch {
        if bounds.contains(value) {
          guard case .truncated = error else {
            Issue.record("\(value): \(error)")
            continue
          }
        } else if !isRefusal(error, value) {
          Issue.record("\(value): \(error)")
        }
      }
    }
  }

  @Test(arguments: CountField.strings)
  func aByteCountOutsideItsBoundsIsRefusedBeforeItsBytesAreRead(count: CountField) {
    check(count) { error, value in
      guard
        case .wrongByteCount(field: count.field, offset: _, allowed: count.allowed, found: value) =
          error
      else { return false }
      return true
    }
  }

  @Test(arguments: CountField.arrays)
  func anItemCountOutsideItsBoundsIsRefusedBeforeItsItemsAreRead(count: CountField) {
    check(count) { error, value in
      guard
        case .wrongItemCount(field: count.field, offset: _, allowed: count.allowed, found: value) =
          error
      else { return false }
      return true
    }
  }

  @Test func stringsOfTheirGreatestByteCountAreTaken() throws {
    let text = Item.text(String(repeating: "é", count: 128))
    let slot = Samples.slot.with(10, text).with(11, text).file(.slot, then: Samples.slotBox)
    #expect(try KeySlot(decoding: slot.span, bounds: .standard).encoded() == slot)
    let header = Samples.padded(
      Samples.header.with(1, .bytes([UInt8](repeating: 0x61, count: 8_192)))
        .with(3, .text(String(repeating: "m", count: 255))))
    #expect(try NoteHeader(decoding: header.span).encoded() == header)
    let path = Array("kit/".utf8) + [UInt8](repeating: 0x6B, count: 251)
    let lists = Samples.lists.with(
      at: 3, .array([Samples.companionEntry.with(at: 1, .bytes(path))]))
    let decoded = try SegmentLists(decoding: lists.encoded.span)
    #expect(decoded.entries.map(\.id) == [.companion(path)])
    #expect(decoded.encoded() == lists.encoded)
  }

  @Test func asManyParentsAsAllowedAreTaken() throws {
    let parents = (0..<256).map { Item.bytes([UInt8($0)] + [UInt8](repeating: 0, count: 15)) }
    let lists = Samples.lists.with(at: 0, .array(parents)).encoded
    let decoded = try SegmentLists(decoding: lists.span)
    #expect(decoded.parents.count == 256)
    #expect(decoded.encoded() == lists)
    #expect(
      throws: FormatError.wrongItemCount(field: "parents", offset: 0, allowed: 0...256, found: 257)
    ) {
      let more = decoded.parents + [SegmentID(high: UInt64.max, low: UInt64.max)]
      _ = try SegmentLists(parents: more, replaces: [], excuses: [], entries: [])
    }
  }
}
