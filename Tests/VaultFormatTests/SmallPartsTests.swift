import Testing
import VaultFormat

@Suite struct SmallListTests {
  @Test(arguments: [[], [7], [7, 8], [7, 8, 9]])
  func aListIsWhatItWasMadeOf(elements: [Int]) {
    let made = SmallList<Int>(elements)
    var grown = SmallList<Int>()
    for element in elements { grown.append(element) }
    #expect(Array(made) == elements && Array(grown) == elements)
    #expect(made == grown && made.hashValue == grown.hashValue)
    #expect(made.count == elements.count && made.first == elements.first)
    #expect(made != SmallList<Int>(elements + [1]))
  }

  @Test func onlyEachAboveTheOneBeforeIsStrictlyAscending() {
    for (elements, isAscending) in [
      ([], true), ([1], true), ([1, 2, 9], true), ([1, 1], false), ([2, 1], false),
      ([1, 3, 2], false), ([1, 2, 2], false),
    ] as [([Int], Bool)] {
      #expect(SmallList<Int>(elements).isStrictlyAscending == isAscending)
    }
  }
}

@Suite struct ByteReaderTests {
  @Test func fieldsAreReadBigEndianFromFrontToBack() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    var reader = ByteReader(bytes.span, baseOffset: 100)
    let first = try reader.integer(UInt16.self, as: "a")
    #expect(first == 0x0102)
    let two = [UInt8](copying: try reader.bytes(2, as: "b"))
    #expect(two == [3, 4])
    let four = try reader.integer(UInt32.self, as: "c")
    #expect(four == 0x0506_0708)
    let (offset, remaining) = (reader.offset, reader.remaining)
    #expect(offset == 108 && remaining == 1)
    #expect(throws: FormatError.trailingBytes(offset: 108)) { try end(of: bytes, after: 8) }
  }

  @Test(arguments: [3, Int.max, -1, Int.min])
  func moreThanRemainsIsTruncated(count: Int) {
    let bytes: [UInt8] = [1, 2]
    #expect(
      throws: FormatError.truncated(field: "a", offset: 0, needed: count, available: 2)
    ) {
      var reader = ByteReader(bytes.span)
      _ = try reader.bytes(count, as: "a")
    }
  }

  private func end(of bytes: [UInt8], after count: Int) throws {
    var reader = ByteReader(bytes.span, baseOffset: 100)
    _ = try reader.bytes(count, as: "a")
    try reader.finish()
  }

  @Test func whatIsWrittenIsBigEndian() {
    var writer = ByteWriter()
    writer.append(UInt8(1))
    writer.append(UInt16(0x0203))
    writer.append(UInt32(0x0405_0607))
    writer.append(UInt64(0x0809_0A0B_0C0D_0E0F))
    writer.append([0x10])
    writer.appendZeros(2)
    #expect(writer.bytes == Array(0x01...0x10) + [0, 0])
  }
}

@Suite struct CommitPlanTests {
  private func item(_ byte: UInt8, _ before: Item, _ after: Item) -> Item {
    .array([.id(byte), before, after])
  }

  @Test func notesAreStrictlyAscending() {
    for second in [UInt8(4), 5] {
      let plan = Item.array([item(5, .wide(1), .bytes([])), item(second, .wide(1), .bytes([]))])
      #expect(throws: FormatError.notAscending(field: "plan", offset: 1 + 1 + 17 + 34 + 1)) {
        try CommitPlan(decoding: plan.encoded.span)
      }
    }
    let item = CommitPlan.Item(noteID: NoteID(high: 0, low: 1), before: nil, after: nil)
    #expect(throws: FormatError.notAscending(field: "plan", offset: 0)) {
      try CommitPlan(items: [item, item])
    }
  }

  @Test(arguments: [1, 16, 31])
  func aDigestIsWholeOrAbsent(count: Int) {
    let plan = Item.array([item(5, .bytes([UInt8](repeating: 0, count: count)), .wide(1))])
    #expect(
      throws: FormatError.wrongByteCount(
        field: "before", offset: 19, allowed: 32...32, found: UInt64(count))
    ) { try CommitPlan(decoding: plan.encoded.span) }
  }

  @Test func noBytesAreNoPlan() {
    #expect(
      throws: FormatError.wrongByteCount(
        field: "plan", offset: 0, allowed: 1...134_217_728, found: 0)
    ) {
      let none: [UInt8] = []
      _ = try CommitPlan(decoding: none.span)
    }
  }
}
