import Testing
import VaultFormat

@Suite struct SegmentBoxTests {
  private func frame(_ bytes: [UInt8], entries: Int = 4) throws(FormatError) -> SegmentBoxFrame {
    try SegmentBoxFrame(decoding: bytes.span, entryCount: entries)
  }

  /// A frame with these counts around a body of zeros, padded as it should be.
  private func framed(_ compression: UInt8, _ body: UInt32, _ expanded: UInt32) -> [UInt8] {
    let counts = [body, expanded].flatMap { count in
      (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) }
    }
    let padded = Int(Padme.padded(max(UInt64(9 + min(body, 4_096)), 192)))
    return [compression] + counts + [UInt8](repeating: 0, count: padded - 9)
  }

  @Test func theFrameIsThatOfTheSpec() throws {
    let bytes = framed(1, 200, 300)
    #expect(bytes.count == 224)
    let decoded = try frame(bytes)
    #expect(decoded.compression == .zstd)
    #expect(decoded.bodyRange == 9..<209)
    #expect(decoded.expandedByteCount == 300)
    #expect(decoded.encoded(body: [UInt8](repeating: 0, count: 200)) == bytes)
  }

  @Test func theCountsOfAFrameAreBounded() {
    let most: UInt64 = 1_024 + 9_216 * 4
    for expanded in [0, UInt32(most) + 1, 1 << 31, UInt32.max] {
      #expect(
        throws: FormatError.valueOutOfRange(
          field: "expanded byte count", offset: 5, found: UInt64(expanded), allowed: 1...most)
      ) { try frame(framed(1, 200, expanded)) }
    }
    for body in [0, 536_870_885, 1 << 31, UInt32.max] {
      #expect(
        throws: FormatError.valueOutOfRange(
          field: "body byte count", offset: 1, found: UInt64(body), allowed: 1...536_870_884)
      ) { try frame(framed(1, body, 300)) }
    }
    #expect(throws: FormatError.self) { try frame(framed(1, 536_870_884, 300)) }
  }

  @Test func withoutCompressionTheCountsAreEqual() throws {
    _ = try frame(framed(0, 200, 200))
    #expect(
      throws: FormatError.mismatch(
        field: "expanded byte count", offset: 5, expected: 200, found: 201)
    ) { try frame(framed(0, 200, 201)) }
  }

  @Test(arguments: [UInt8(2), 255])
  func anotherCompressionIsRefused(compression: UInt8) {
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "compression", offset: 0, found: UInt64(compression), allowed: 0...1)
    ) { try frame(framed(compression, 200, 200)) }
  }

  @Test func thePaddingIsExactAndZero() {
    let bytes = framed(0, 200, 200)
    for count in [209, 223, 225, 240] {
      let other = Array((bytes + [UInt8](repeating: 0, count: 16)).prefix(count))
      #expect(
        throws: FormatError.mismatch(
          field: "box byte count", offset: 0, expected: 224, found: UInt64(count))
      ) { try frame(other) }
    }
    for index in 209..<224 {
      var other = bytes
      other[index] = 1
      #expect(throws: FormatError.nonZeroPadding(field: "box padding", offset: index)) {
        try frame(other)
      }
    }
  }

  @Test func theExpandedBodyGrowsWithTheEntries() {
    #expect(Limits.expandedBodyByteCount(entryCount: 0) == 1_024)
    #expect(Limits.expandedBodyByteCount(entryCount: 1) == 10_240)
    #expect(Limits.expandedBodyByteCount(entryCount: 58_254) == 1_024 + 9_216 * 58_254)
    #expect(Limits.expandedBodyByteCount(entryCount: 58_255) == 536_870_912)
    #expect(Limits.expandedBodyByteCount(entryCount: Int.max) == 536_870_912)
  }

  // MARK: - Body

  private func entries(_ entries: Item = Samples.entries) throws(FormatError) -> [IndexEntry] {
    try SegmentLists(decoding: Samples.lists.with(at: 3, entries).encoded.span).entries
  }

  private func body(_ items: [Item]) throws(FormatError) -> SegmentBody {
    try SegmentBody(decoding: Item.array(items).encoded.span, entries: try entries())
  }

  private let first = Item.array([.array([Samples.content]), Samples.place])
  private let second = Item.array([.array([]), Samples.place])

  @Test func theBodyHasAnItemForEachNote() throws {
    let body = try body([first, second])
    #expect(body.items.map(\.records.count) == [1, 0])
    #expect(body.items[0].records[0].mediaType == "text/markdown")
    #expect(
      body.items[1].place == (try Place(path: Array("Lists/a b".utf8), executable: true)))
    #expect(try SegmentBody(items: body.items, entries: entries()) == body)
  }

  @Test func itemsThatDoNotFitTheEntriesAreRefused() throws {
    for items in [[first], [first, second, second]] {
      #expect(
        throws: FormatError.wrongItemCount(
          field: "items", offset: 0, allowed: 2...2, found: UInt64(items.count))
      ) { try body(items) }
    }
    #expect(
      throws: FormatError.wrongItemCount(
        field: "content records", offset: 2, allowed: 1...1, found: 0)
    ) { try body([second, second]) }
    let placeless = Item.array([.array([Samples.content]), .array([])])
    #expect(
      throws: FormatError.wrongItemCount(
        field: "place", offset: 3 + Samples.content.encoded.count, allowed: 2...2, found: 0)
    ) { try body([placeless, second]) }
  }

  @Test func buildingABodyFollowsTheRulesOfReading() throws {
    let items = try body([first, second]).items
    #expect(
      throws: FormatError.wrongItemCount(field: "items", offset: 0, allowed: 2...2, found: 1)
    ) { try SegmentBody(items: [items[0]], entries: entries()) }
    #expect(
      throws: FormatError.wrongItemCount(
        field: "content records", offset: 0, allowed: 0...0, found: 1)
    ) { try SegmentBody(items: [items[0], items[0]], entries: entries()) }
    let placeless = SegmentBody.Item(records: [], place: nil)
    #expect(throws: FormatError.mismatch(field: "place", offset: 0, expected: 2, found: 0)) {
      try SegmentBody(items: [items[0], placeless], entries: entries())
    }
  }

  @Test func aPlaceIsOrderedByPathThenExecutable() throws {
    let places = try [("a", false), ("a", true), ("a/b", false), ("b", false)].map {
      try Place(path: Array($0.0.utf8), executable: $0.1)
    }
    #expect(places.reversed().sorted() == places)
  }
}
