import Testing
import VaultFormat

/// A number in a record, with the way to decode a record that has another value there.
struct NumberField: Sendable, CustomTestStringConvertible {
  let field: String
  let allowed: ClosedRange<UInt64>
  /// Gives the number as decoded.
  let decode: @Sendable (UInt64) throws(FormatError) -> UInt64

  var testDescription: String { "\(field) \(allowed)" }

  static let all: [NumberField] = [
    NumberField(field: "iterations", allowed: 600_000...10_000_000) { value throws(FormatError) in
      UInt64(try slot(Samples.slot.with(6, .uint(value))).iterations)
    },
    NumberField(field: "iterations", allowed: 800_000...10_000_000) { value throws(FormatError) in
      UInt64(try slot(Samples.slot.with(5, .uint(2)).with(6, .uint(value))).iterations)
    },
    NumberField(field: "chunk size", allowed: 12...24) { value throws(FormatError) in
      UInt64(try sealedFile(Samples.sealedFile.with(4, .uint(value))).chunkSizeLog2)
    },
    NumberField(field: "header box byte count", allowed: 284...12_060) {
      value throws(FormatError) in
      UInt64(try sealedFile(Samples.sealedFile.with(6, .uint(value))).headerBoxByteCount)
    },
    NumberField(field: "lists byte count", allowed: 5...134_217_728) { value throws(FormatError) in
      UInt64(try segment(Samples.segment.with(6, .uint(value))).listsByteCount)
    },
    NumberField(field: "box byte count", allowed: 220...536_870_912) { value throws(FormatError) in
      UInt64(try segment(Samples.segment.with(7, .uint(value))).boxByteCount)
    },
    NumberField(field: "type", allowed: 1...3) { value throws(FormatError) in
      // One byte of content is allowed to all but folders, which get none.
      let counts = Samples.header.with(4, .uint(value == 2 ? 0 : 1))
      return UInt64(try content(counts.with(2, .uint(value))).type.rawValue)
    },
    NumberField(field: "content byte count", allowed: 0...(1 << 56)) { value throws(FormatError) in
      try content(Samples.header.with(4, .uint(value))).contentByteCount
    },
    NumberField(field: "content byte count", allowed: 0...0) { value throws(FormatError) in
      try content(Samples.header.with(2, .uint(2)).with(4, .uint(value))).contentByteCount
    },
    NumberField(field: "content byte count", allowed: 1...4_096) { value throws(FormatError) in
      try content(Samples.header.with(2, .uint(3)).with(4, .uint(value))).contentByteCount
    },
    NumberField(field: "payload byte count", allowed: 0...(1 << 56)) { value throws(FormatError) in
      try content(Samples.header.with(5, .uint(value))).payloadByteCount
    },
    NumberField(field: "compression", allowed: 0...1) { value throws(FormatError) in
      let equal = Samples.header.with(5, .uint(1_815))
      return UInt64(try content(equal.with(6, .uint(value))).compression.rawValue)
    },
    NumberField(field: "modified", allowed: 0...999_999_999) { value throws(FormatError) in
      let time = Item.array([.uint(0), .uint(value)])
      return UInt64(try content(Samples.header.with(8, time)).modified.nanoseconds)
    },
    NumberField(field: "place version", allowed: 0...(1 << 48)) { value throws(FormatError) in
      try entry(Samples.noteEntry.with(at: 4, .uint(value))).placeVersion
    },
    NumberField(field: "place version", allowed: 0...0) { value throws(FormatError) in
      try entry(Samples.slotEntry.with(at: 4, .uint(value))).placeVersion
    },
    NumberField(field: "place version", allowed: 0...0) { value throws(FormatError) in
      try entry(Samples.companionEntry.with(at: 4, .uint(value))).placeVersion
    },
  ]

  private static func slot(_ map: Item) throws(FormatError) -> KeySlotHead {
    try KeySlot(decoding: map.file(.slot, then: Samples.slotBox).span, bounds: .standard).head
  }

  private static func sealedFile(_ map: Item) throws(FormatError) -> SealedFileHead {
    let bytes = map.file(.sealedFile)
    var reader = ByteReader(bytes.span)
    return try SealedFileHead(parsing: &reader)
  }

  private static func segment(_ map: Item) throws(FormatError) -> SegmentHead {
    let bytes = map.file(.segment)
    var reader = ByteReader(bytes.span)
    return try SegmentHead(parsing: &reader)
  }

  private static func content(_ header: Item) throws(FormatError) -> ContentRecord {
    try NoteHeader(decoding: Samples.padded(header).span).content
  }

  private static func entry(_ entry: Item) throws(FormatError) -> IndexEntry {
    let lists = Samples.lists.with(at: 3, .array([entry]))
    return try SegmentLists(decoding: lists.encoded.span).entries[0]
  }
}

@Suite struct BoundsTests {
  @Test(arguments: NumberField.all)
  func aNumberIsTakenWithinItsBoundsAndRefusedOutside(number: NumberField) {
    let bounds = number.allowed
    let values: [UInt64] = [
      bounds.lowerBound &- 1, bounds.lowerBound, bounds.upperBound, bounds.upperBound + 1, 0,
      1 << 31, (1 << 32) - 1, 1 << 63, UInt64.max,
    ]
    for value in values {
      do throws(FormatError) {
        #expect(try number.decode(value) == value)
        #expect(bounds.contains(value))
      } catch {
        guard
          case .valueOutOfRange(
            field: number.field, offset: let offset, found: value, allowed: bounds) = error
        else {
          Issue.record("\(value): \(error)")
          continue
        }
        #expect(!bounds.contains(value) && offset > 0)
      }
    }
  }

  @Test(arguments: [UInt64(0), 3, 255, 256, 257, 1 << 32, UInt64.max])
  func aSlotOfAnotherPurposeIsTold(purpose: UInt64) {
    #expect(throws: FormatError.unknownPurpose(found: purpose)) {
      let bytes = Samples.slot.with(5, .uint(purpose)).file(.slot, then: Samples.slotBox)
      _ = try KeySlot(decoding: bytes.span, bounds: .standard)
    }
  }

  @Test func cheaperBoundsAreThoseOfTheCaller() throws {
    let bounds = KDFBounds(passphrase: 10...20, phrase: 30...40)
    for (purpose, iterations, isTaken) in [
      (UInt64(1), UInt64(10), true), (1, 20, true), (1, 9, false), (1, 21, false), (2, 30, true),
      (2, 40, true), (2, 29, false), (2, 41, false),
    ] {
      let bytes = Samples.slot.with(5, .uint(purpose)).with(6, .uint(iterations))
        .file(.slot, then: Samples.slotBox)
      let slot = try? KeySlot(decoding: bytes.span, bounds: bounds)  // a refusal is an answer
      #expect((slot != nil) == isTaken)
    }
  }

  @Test(arguments: [UInt64(3), 1 << 32, UInt64.max])
  func anEntryOfAnotherKindIsRefused(kind: UInt64) {
    let lists = Samples.lists.with(at: 3, .array([Samples.noteEntry.with(at: 0, .uint(kind))]))
    let error = #expect(throws: FormatError.self) {
      try SegmentLists(decoding: lists.encoded.span)
    }
    guard case .valueOutOfRange(field: "kind", offset: _, found: kind, allowed: 0...2) = error
    else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
