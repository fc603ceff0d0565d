import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

/// Boxes that a holder of the key could have sealed and signed, and that are wrong inside.
@Suite struct SegmentBoxTests {
  /// A signed segment with one note entry and this plain text.
  @discardableResult
  private func open(plaintext: [UInt8], entryCount: Int = 1) throws -> SegmentBody {
    let keys = try Known.compartment()
    let lists = try TestSegment.notes(entryCount).lists.encoded()
    let bytes = try TestSegment.craft(lists: lists, plaintext: plaintext, keys: keys)
    return try TestSegment.open(bytes, keys: keys)
  }

  /// The plain text around a body, with the byte counts that belong to it.
  private func frame(
    _ body: [UInt8], expanded: Int? = nil, compression: Compression = .none, entryCount: Int = 1
  ) throws -> [UInt8] {
    try SegmentBoxFrame(
      compression: compression, bodyByteCount: body.count,
      expandedByteCount: expanded ?? body.count, entryCount: entryCount
    ).encoded(body: body)
  }

  private func body(_ count: Int, path: @escaping (Int) -> String = { "note \($0)" }) throws
    -> [UInt8]
  {
    let (lists, items) = try TestSegment.notes(count, path: path)
    return try SegmentBody(items: items, entries: lists.entries).encoded()
  }

  @Test func craftedBoxOpensWhenItIsRight() throws {
    #expect(try open(plaintext: frame(try body(1))).items.count == 1)
  }

  @Test func itemCountThatDiffersFromTheEntriesIsRefused() throws {
    for count in [0, 2] {
      #expect(
        throws: SealingError.format(
          .wrongItemCount(field: "items", offset: 0, allowed: 1...1, found: UInt64(count)))
      ) {
        try open(plaintext: frame(try body(count)))
      }
    }
  }

  @Test func contentRecordsThatDifferFromTheStatesAreRefused() throws {
    // [[ [], place ]] where the entry has one file state.
    let plaintext = try frame([0x81, 0x82, 0x80, 0x82, 0x41, 0x61, 0xF4])
    #expect(
      throws: SealingError.format(
        .wrongItemCount(field: "content records", offset: 2, allowed: 1...1, found: 0))
    ) {
      try open(plaintext: plaintext)
    }
  }

  @Test func unsafePathIsGivenToTheReaderWhoJudgesIt() throws {
    for path in ["../outside", "/absolute", "a//b", "a/./b", "ends/"] {
      let plaintext = try frame(try body(1) { _ in path })
      let opened = try open(plaintext: plaintext)
      #expect(opened.items[0].place?.path == Array(path.utf8))
      #expect(SafePath.fault(in: Array(path.utf8)) != nil)
    }
  }

  @Test func unsafePathIsNeverSealed() throws {
    let keys = try Known.compartment()
    let (lists, items) = try TestSegment.notes(1) { _ in ".." }
    #expect {
      try TestSegment.seal(lists, items, keys: keys)
    } throws: { error in
      guard case .format(.unsafePath) = error as? SealingError else { return false }
      return true
    }
  }

  @Test func paddingThatIsNotZeroOrTooLongIsRefused() throws {
    var plaintext = try frame(try body(1))
    plaintext[plaintext.count - 1] = 1
    #expect(
      throws: SealingError.format(
        .nonZeroPadding(field: "box padding", offset: plaintext.count - 1))
    ) {
      try open(plaintext: plaintext)
    }
    let longer = try frame(try body(1)) + [0]
    #expect(
      throws: SealingError.format(
        .mismatch(field: "box byte count", offset: 0, expected: 192, found: 193))
    ) {
      try open(plaintext: longer)
    }
  }

  @Test func compressedBodyMustBeExactlyTheFrame() throws {
    let expanded = try body(20)
    let good = try ZstdTests.compress(expanded)
    let right = try frame(
      good, expanded: expanded.count, compression: .zstd, entryCount: 20)
    #expect(try open(plaintext: right, entryCount: 20).items.count == 20)
    let wrong: [([UInt8], Int, ZstdFailure)] = [
      (
        good, expanded.count + 1,
        .statedContentDiffers(
          stated: UInt64(expanded.count), recorded: UInt64(expanded.count + 1))
      ),
      (good + [0], expanded.count, .trailingBytes(offset: UInt64(good.count))),
      (good + good, expanded.count, .trailingBytes(offset: UInt64(good.count))),
      (Array(good.dropLast()), expanded.count, .truncated),
      (expanded, expanded.count, .notAFrame),
    ]
    for (stored, count, failure) in wrong {
      let plaintext = try frame(
        stored, expanded: count, compression: .zstd, entryCount: 20)
      #expect(throws: SealingError.zstd(failure)) {
        try open(plaintext: plaintext, entryCount: 20)
      }
    }
  }

  @Test func bombIsStoppedByTheBoundPerEntry() throws {
    let keys = try Known.compartment()
    let lists = try TestSegment.notes(1).lists.encoded()
    let most = Limits.expandedBodyByteCount(entryCount: 1)
    let bomb = try ZstdTests.compress([UInt8](repeating: 0, count: most + 1))
    // The frame's own check refuses the count, so it is written by hand.
    var plaintext: [UInt8] = [1]
    for count in [bomb.count, most + 1] {
      plaintext += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }
    plaintext += bomb + [UInt8](repeating: 0, count: 192 - 9 - bomb.count)
    let bytes = try TestSegment.craft(lists: lists, plaintext: plaintext, keys: keys)
    #expect(
      throws: SealingError.format(
        .valueOutOfRange(
          field: "expanded byte count", offset: 5, found: UInt64(most + 1),
          allowed: 1...UInt64(most)))
    ) {
      try TestSegment.open(bytes, keys: keys)
    }
  }

  @Test func commitmentIsComparedBeforeTheBoxIsOpened() throws {
    let keys = try Known.compartment()
    let lists = try TestSegment.notes(1).lists.encoded()
    let bytes = try TestSegment.craft(
      lists: lists, plaintext: try frame(try body(1)), keys: keys,
      commitment: Commitment(1, 2, 3, 4))
    #expect(throws: SealingError.commitmentMismatch) {
      try TestSegment.open(bytes, keys: keys)
    }
  }

  @Test func boxThatDoesNotAuthenticateIsRefused() throws {
    let keys = try Known.compartment()
    let (lists, items) = try TestSegment.notes(1)
    let sealed = try TestSegment.seal(lists, items, keys: keys)
    var signed = Array(sealed.bytes[sealed.segment.file.signedRange])
    signed[sealed.segment.file.boxRange.lowerBound + 20] ^= 1
    let bytes = try TestSegment.sign(signed, keys: keys)
    #expect(throws: SealingError.boxNotAuthentic) { try TestSegment.open(bytes, keys: keys) }
  }

  @Test func boxOfAnotherCompartmentIsNotTried() throws {
    let keys = try Known.compartment()
    let masterKey = try SecretBytes(count: 32)
    let other = try CompartmentKeys(masterKey: masterKey, vaultID: keys.vaultID)
    let (lists, items) = try TestSegment.notes(1)
    let bytes = try TestSegment.seal(lists, items, keys: keys).bytes
    #expect(
      throws: SealingError.otherCompartment(
        expected: other.compartmentID, found: keys.compartmentID)
    ) {
      try TestSegment.open(bytes, keys: other)
    }
  }
}
