import Testing
import VaultSealing
import VaultTestSupport

@Suite struct ZstdHostileTests {
  static let good = ZstdFrame(windowLog2: 17).raw([1, 2, 3, 4], last: true).bytes

  /// Expected by whole payload and by stream alike.
  private func expectRefusal(
    _ payload: [UInt8], contentByteCount: Int, _ failure: ZstdFailure,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: failure, sourceLocation: sourceLocation) {
      try ZstdTests.expand(payload, contentByteCount: contentByteCount)
    }
    #expect(throws: failure, sourceLocation: sourceLocation) {
      try ZstdTests.stream(
        payload, contentByteCount: contentByteCount, pieceByteCount: 1_000, roomByteCount: 3)
    }
  }

  @Test func handMadeFrameExpands() throws {
    #expect(try ZstdTests.expand(Self.good, contentByteCount: 4) == [1, 2, 3, 4])
  }

  @Test func everyTruncationIsRefused() {
    for count in 0..<Self.good.count {
      #expect(throws: ZstdFailure.truncated) {
        try ZstdTests.expand(Array(Self.good[..<count]), contentByteCount: 4)
      }
    }
  }

  @Test func secondFrameSkippableFrameAndAnyByteBehindAreRefused() {
    let end = UInt64(Self.good.count)
    for tail in [Self.good, [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], [0]] {
      expectRefusal(Self.good + tail, contentByteCount: 4, .trailingBytes(offset: end))
    }
    expectRefusal(Self.good + Self.good, contentByteCount: 8, .trailingBytes(offset: end))
  }

  @Test func onlyFramesAreTaken() {
    let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0]
    expectRefusal(skippable + Self.good, contentByteCount: 4, .notAFrame)
    expectRefusal([0x27, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0], contentByteCount: 4, .notAFrame)
    expectRefusal([1, 2, 3, 4], contentByteCount: 4, .notAFrame)
  }

  @Test func dictionariesAreRefusedByNumber() {
    for (flag, field, id) in [
      (1, [9], 9), (2, [1, 2], 0x201), (3, [1, 2, 3, 4], 0x0403_0201),
    ] as [(UInt8, [UInt8], UInt32)] {
      let frame = ZstdFrame(descriptor: flag, fields: [0x38] + field).raw([1], last: true)
      expectRefusal(frame.bytes, contentByteCount: 1, .dictionary(id: id))
    }
  }

  @Test func windowsAboveEightMebibytesAreRefused() throws {
    let widest = ZstdFrame(windowLog2: 23).raw([1], last: true)
    #expect(try ZstdTests.expand(widest.bytes, contentByteCount: 1) == [1])
    let wider = ZstdFrame(descriptor: 0, fields: [13 << 3 | 1]).raw([1], last: true)
    expectRefusal(wider.bytes, contentByteCount: 1, .windowTooLarge(byteCount: 9 << 20))
    let large = ZstdFrame(windowLog2: 41).raw([1], last: true)
    expectRefusal(large.bytes, contentByteCount: 1, .windowTooLarge(byteCount: 1 << 41))
  }

  @Test func singleSegmentAboveEightMebibytesIsRefused() {
    let stated = (8 << 20) + 1
    let fields = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: stated >> $0) }
    let frame = ZstdFrame(descriptor: 0b1010_0000, fields: fields).raw([1], last: true)
    #expect(throws: ZstdFailure.windowTooLarge(byteCount: UInt64(stated))) {
      try ZstdTests.expand(frame.bytes, contentByteCount: 1)
    }
  }

  @Test func reservedBitIsRefused() {
    let frame = ZstdFrame(descriptor: 0b1000, fields: [0x38]).raw([1], last: true)
    expectRefusal(frame.bytes, contentByteCount: 1, .reservedBit)
  }

  @Test func checksumThatDoesNotHoldIsRefused() {
    let frame = ZstdFrame(descriptor: 0b100, fields: [0x38]).raw([1], last: true)
    expectRefusal(frame.bytes + [1, 2, 3, 4], contentByteCount: 1, .library(code: 22))
  }

  @Test func statedContentMustBeTheRecordedOne() {
    let frame = ZstdFrame(descriptor: 0b10_0000, fields: [4]).raw([1, 2, 3, 4], last: true)
    expectRefusal(
      frame.bytes, contentByteCount: 5, .statedContentDiffers(stated: 4, recorded: 5))
  }

  @Test func contentMustBeExactlyTheRecordedOne() {
    expectRefusal(Self.good, contentByteCount: 3, .contentTooLong(recorded: 3))
    expectRefusal(Self.good, contentByteCount: 0, .contentTooLong(recorded: 0))
    expectRefusal(Self.good, contentByteCount: 5, .contentTooShort(found: 4, recorded: 5))
  }

  @Test func bombStopsAtTheRecordedCount() {
    var bomb = ZstdFrame(windowLog2: 17)
    for _ in 0..<20_000 { bomb = bomb.repeated(0, count: 131_072, last: false) }
    bomb = bomb.repeated(0, count: 131_072, last: true)
    #expect(throws: ZstdFailure.contentTooLong(recorded: 100)) {
      try ZstdTests.expand(bomb.bytes, contentByteCount: 100)
    }
    #expect(throws: ZstdFailure.contentTooLong(recorded: 70_000)) {
      try ZstdTests.stream(
        bomb.bytes, contentByteCount: 70_000, pieceByteCount: 4_096, roomByteCount: 65_536)
    }
  }

  @Test func unknownBlockTypeIsTheLibrarysRefusal() {
    let frame = ZstdFrame(windowLog2: 17).bytes + [0b111, 0, 0]
    expectRefusal(frame, contentByteCount: 1, .library(code: 20))
  }

  @Test(arguments: [
    ("block-128k", 131_068), ("empty-block", 0), ("rle-first-block", 1_048_576),
  ])
  func goldenFramesExpand(name: String, count: Int) throws {
    let frame = try Fixtures.bytes("vectors/zstd/golden-decompression/\(name).zst")
    #expect(try ZstdTests.expand(frame, contentByteCount: count).count == count)
  }

  @Test func goldenFrameThatOldLibrariesRefuse() throws {
    let frame = try Fixtures.bytes("vectors/zstd/golden-decompression/zeroSeq_2B.zst")
    if ZstdLibrary.versionNumber >= 10_507 {
      #expect(try ZstdTests.expand(frame, contentByteCount: 13).count == 13)
    } else {
      #expect(throws: ZstdFailure.library(code: 72)) {
        try ZstdTests.expand(frame, contentByteCount: 13)
      }
    }
  }

  @Test(arguments: [
    ("off0.bin", 18), ("truncated_huff_state", 7), ("zeroSeq_extraneous", 13),
  ])
  func goldenErrorsAreRefusedByNewLibrariesAndBoundedInOld(name: String, count: Int) throws {
    let frame = try Fixtures.bytes("vectors/zstd/golden-decompression-errors/\(name).zst")
    if ZstdLibrary.versionNumber >= 10_507 {
      #expect(throws: ZstdFailure.self) { try ZstdTests.expand(frame, contentByteCount: count) }
    } else {
      #expect(try ZstdTests.expand(frame, contentByteCount: count).count == count)
    }
    #expect(throws: ZstdFailure.self) {
      try ZstdTests.expand(frame, contentByteCount: count - 1)
    }
  }
}
