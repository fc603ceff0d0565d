import Testing
import VaultFormat

@Suite struct SegmentListsTests {
  private func decode(_ lists: Item) throws(FormatError) -> SegmentLists {
    try SegmentLists(decoding: lists.encoded.span)
  }

  private func decode(entry: Item) throws(FormatError) -> IndexEntry {
    try decode(Samples.lists.with(at: 3, .array([entry]))).entries[0]
  }

  /// Where the first entry lies in `decode(entry:)`.
  private var entryOffset: Int { Samples.lists.with(at: 3, .array([])).encoded.count }

  @Test func theSampleSaysWhatItWasMadeOf() throws {
    let lists = try decode(Samples.lists)
    #expect(lists.parents.map(\.firstByte) == [0xA1, 0xA2])
    #expect(lists.replaces.map(\.firstByte) == [0xB1])
    #expect(lists.excuses.map(\.firstByte) == [0xC1, 0xC2])
    #expect(lists.entries.map(\.id.kind) == [0, 0, 1, 2])
    let note = lists.entries[0]
    let grave = Grave(high: 0xDDDD_DDDD_DDDD_DDDD, low: 0xDDDD_DDDD_DDDD_DDDD)
    let five: UInt64 = 0x5555_5555_5555_5555
    let digest = Digest(five, five, five, five)
    #expect(Array(note.states) == [.grave(grave), .file(digest, byteCount: 952)])
    #expect(note.states.map(\.prefix.bytes) == [grave.bytes, Array(digest.bytes.prefix(16))])
    #expect(note.over.map(\.firstByte) == [0x0A, 0x0B])
    #expect(note.placeVersion == 3)
    #expect(lists.entries[2].laterKeys.pairs.map(\.key) == [128])
    #expect(lists.entries[3].id == .companion(Array("kit/reader.py".utf8)))
  }

  @Test(arguments: [(0, "parents"), (1, "replaces"), (2, "excuses")])
  func segmentIDsAreStrictlyAscending(index: Int, field: String) throws {
    for second in [UInt8(0x10), 0x0F] {
      let ids = Item.array([.id(0x10), .id(second)])
      let lists = Samples.lists.with(at: index, ids)
      let before = (0..<index).reduce(1) { offset, earlier in
        guard case .array(let items) = Samples.lists else { return offset }
        return offset + items[earlier].encoded.count
      }
      #expect(throws: FormatError.notAscending(field: field, offset: before + 1 + 17)) {
        try decode(lists)
      }
    }
  }

  @Test func entriesAreStrictlyAscendingByKindThenID() {
    let pairs = [
      (Samples.noteEntry, Samples.noteEntry), (Samples.renameEntry, Samples.noteEntry),
      (Samples.slotEntry, Samples.noteEntry), (Samples.companionEntry, Samples.slotEntry),
      (Samples.companionEntry, Samples.companionEntry),
    ]
    for (first, second) in pairs {
      #expect(
        throws: FormatError.notAscending(
          field: "entries", offset: entryOffset + first.encoded.count)
      ) { try decode(Samples.lists.with(at: 3, .array([first, second]))) }
    }
  }

  @Test func statesAreStrictlyAscendingWithGravesFirst() throws {
    let low = Item.array([.wide(0x55), .uint(951)])
    for states in [
      [Samples.file, .id(0xDD)], [Samples.file, Samples.file], [Samples.file, low],
      [.id(0xDD), .id(0xDC)],
    ] {
      #expect(throws: FormatError.notAscending(field: "states", offset: entryOffset)) {
        try decode(entry: Samples.noteEntry.with(at: 2, .array(states)))
      }
    }
    // One digest with two byte counts: the encodings differ, so both may stand there.
    let both = try decode(entry: Samples.noteEntry.with(at: 2, .array([low, Samples.file])))
    #expect(both.states.count == 2)
  }

  /// The order of states is the order of their encodings.
  @Test func theOrderOfStatesIsThatOfTheirEncodings() throws {
    var items = [Item.id(0), .id(1), .id(0xFF)]
    for byte in [UInt8(0), 1, 0xFF] {
      for count in [UInt64(0), 23, 24, 255, 256, 65_535, 65_536, 1 << 32, UInt64.max] {
        items.append(.array([.wide(byte), .uint(count)]))
      }
    }
    for left in items {
      for right in items {
        let states = try [left, right].map {
          try decode(entry: Samples.noteEntry.with(at: 2, .array([$0]))).states[0]
        }
        let isLess = left.encoded.lexicographicallyPrecedes(right.encoded)
        #expect((states[0] < states[1]) == isLess)
      }
    }
  }

  @Test func overIsStrictlyAscending() {
    for over in [[Item.id(1), .id(1)], [.id(2), .id(1)]] {
      #expect(throws: FormatError.notAscending(field: "over", offset: entryOffset)) {
        try decode(entry: Samples.noteEntry.with(at: 3, .array(over)))
      }
    }
  }

  @Test func anEntrySaysSomething() {
    #expect(throws: FormatError.emptyEntry(offset: entryOffset)) {
      try decode(entry: Samples.renameEntry.with(at: 4, .uint(0)))
    }
    #expect(throws: FormatError.emptyEntry(offset: entryOffset)) {
      try decode(entry: Samples.slotEntry.with(at: 2, .array([])))
    }
  }

  @Test func theMapOfAnEntryIsNotEmptyAndHasOnlyLaterKeys() {
    let offset = entryOffset + Samples.slotEntry.encoded.count - 4
    #expect(throws: FormatError.emptyMap(field: "entry map", offset: offset)) {
      try decode(entry: Samples.slotEntry.with(at: 5, .map([])))
    }
    #expect(throws: FormatError.unknownKey(field: "entry map", offset: offset + 1, key: 127)) {
      try decode(entry: Samples.slotEntry.with(at: 5, .map([(127, .uint(0))])))
    }
  }

  @Test(arguments: [
    "README.md", ".gitattributes", ".gitignore", "kit/reader.py", "kit/...", "kit/README.md",
  ])
  func theCompanionsOfTheSpecAreTaken(path: String) throws {
    let entry = Samples.companionEntry.with(at: 1, .bytes(Array(path.utf8)))
    #expect(try decode(entry: entry).id == .companion(Array(path.utf8)))
  }

  @Test(arguments: [
    "VAULT", "readme.md", "README.md/", "./README.md", "kit", "kit/", "kit/a/b", "kit/.", "kit/..",
    "kit//a", "kit/../VAULT", "/kit/a", "notes/aa", "kit/a\0", "../README.md", ".gitmodules",
  ])
  func anyOtherPathIsNoCompanion(path: String) {
    let entry = Samples.companionEntry.with(at: 1, .bytes(Array(path.utf8)))
    #expect(throws: FormatError.notACompanion(offset: entryOffset + 2)) {
      try decode(entry: entry)
    }
    #expect(throws: FormatError.notACompanion(offset: 0)) {
      try IndexEntry(
        id: .companion(Array(path.utf8)), states: [.grave(Grave(high: 0, low: 0))], over: [],
        placeVersion: 0, laterKeys: LaterKeys())
    }
  }

  @Test func buildingFollowsTheRulesOfReading() throws {
    let id = EntryID.note(NoteID(high: 0, low: 1))
    func entry(
      states: SmallList<State> = [], over: SmallList<StatePrefix> = [], place: UInt64 = 0
    ) throws(FormatError) -> IndexEntry {
      try IndexEntry(
        id: id, states: states, over: over, placeVersion: place, laterKeys: LaterKeys())
    }
    let grave = State.grave(Grave(high: 1, low: 1))
    #expect(throws: FormatError.emptyEntry(offset: 0)) { try entry() }
    #expect(throws: FormatError.notAscending(field: "states", offset: 0)) {
      try entry(states: [grave, grave])
    }
    #expect(throws: FormatError.notAscending(field: "over", offset: 0)) {
      try entry(over: [grave.prefix, grave.prefix])
    }
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "place version", offset: 0, found: (1 << 48) + 1, allowed: 0...(1 << 48))
    ) { try entry(place: (1 << 48) + 1) }
    let rename = try entry(place: 1)
    #expect(throws: FormatError.notAscending(field: "entries", offset: 0)) {
      try SegmentLists(parents: [], replaces: [], excuses: [], entries: [rename, rename])
    }
    let one = SegmentID(high: 0, low: 1)
    #expect(throws: FormatError.notAscending(field: "excuses", offset: 0)) {
      try SegmentLists(parents: [], replaces: [], excuses: [one, one], entries: [])
    }
  }

  /// 100,000 notes must not take more than a few dozen megabytes.
  @Test func anEntryIsSmallAndNeedsNoHeapForOneState() {
    #expect(MemoryLayout<IndexEntry>.stride <= 128)
    #expect(MemoryLayout<SegmentBody.Item>.stride <= 128)
  }
}
