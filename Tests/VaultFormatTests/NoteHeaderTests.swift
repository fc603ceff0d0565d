import Testing
import VaultFormat

@Suite struct NoteHeaderTests {
  private func decode(_ bytes: [UInt8]) throws(FormatError) -> NoteHeader {
    try NoteHeader(decoding: bytes.span)
  }

  /// A header whose map has exactly `byteCount` bytes.
  private func header(mapByteCount byteCount: Int) -> Item {
    let shortest = Samples.header.with(1, .bytes([UInt8](repeating: 0x61, count: 256)))
    let path = 256 + byteCount - shortest.encoded.count
    return Samples.header.with(1, .bytes([UInt8](repeating: 0x61, count: path)))
  }

  @Test func theHeaderSaysWhatItWasMadeOf() throws {
    let header = try decode(Samples.padded(Samples.header))
    #expect(header.path == Array("Journal/1.md".utf8))
    #expect(header.executable)
    let content = header.content
    #expect(content.type == .file && content.compression == .zstd)
    #expect(content.mediaType == "text/markdown")
    #expect(content.contentByteCount == 1_815 && content.payloadByteCount == 168)
    #expect(content.created == (try Timestamp(seconds: 1_704_100_500, nanoseconds: 0)))
    #expect(content.modified == (try Timestamp(seconds: -1, nanoseconds: 999_999_999)))
  }

  @Test func theHeaderIsPaddedToTheNextMultipleOf256() throws {
    for (mapByteCount, padded) in [(511, 512), (512, 512), (513, 768), (1_024, 1_024)] {
      let map = header(mapByteCount: mapByteCount)
      #expect(map.encoded.count == mapByteCount)
      let bytes = Samples.padded(map)
      #expect(bytes.count == padded)
      #expect(try decode(bytes).encoded() == bytes)
    }
  }

  @Test func morePaddingThanNeededIsRefused() {
    let short = Samples.padded(Samples.header) + [UInt8](repeating: 0, count: 256)
    #expect(throws: FormatError.trailingBytes(offset: Samples.header.encoded.count)) {
      try decode(short)
    }
    let exact = header(mapByteCount: 512).encoded + [UInt8](repeating: 0, count: 256)
    #expect(throws: FormatError.trailingBytes(offset: 512)) { try decode(exact) }
  }

  @Test func paddingThatIsNotZeroIsRefused() {
    let map = Samples.header.encoded
    for index in map.count..<256 {
      var bytes = Samples.padded(Samples.header)
      bytes[index] = 0x80
      #expect(throws: FormatError.nonZeroPadding(field: "header padding", offset: index)) {
        try decode(bytes)
      }
    }
  }

  @Test(arguments: [0, 1, 255, 257, 511, 12_031, 12_033, 12_288])
  func aHeaderOfAnotherByteCountIsRefused(count: Int) {
    let bytes = Samples.padded(Samples.header) + [UInt8](repeating: 0, count: 12_032)
    #expect(
      throws: FormatError.wrongByteCount(
        field: "header", offset: 0, allowed: 256...12_032, found: UInt64(count))
    ) { try decode(Array(bytes.prefix(count))) }
  }

  @Test func laterKeysMayFillTheHeaderAndNoMore() throws {
    let path = [UInt8](repeating: 0x61, count: 8_192)
    let long = Samples.header.with(1, .bytes(path))
    let room = 12_032 - long.encoded.count - 5
    for (count, fits) in [(room, true), (room + 1, false)] {
      let value = Item.bytes([UInt8](repeating: 0, count: count)).encoded
      let keys = try LaterKeys([(128, value)])
      let content = try decode(Samples.padded(long)).content
      let record = try ContentRecord(
        type: content.type, mediaType: content.mediaType,
        contentByteCount: content.contentByteCount, payloadByteCount: content.payloadByteCount,
        compression: content.compression, created: content.created, modified: content.modified,
        laterKeys: keys)
      if fits {
        let header = try NoteHeader(path: path, content: record, executable: true)
        #expect(header.encoded().count == 12_032)
        #expect(try decode(header.encoded()) == header)
      } else {
        #expect(
          throws: FormatError.wrongByteCount(
            field: "header", offset: 0, allowed: 256...12_032, found: 12_288)
        ) { try NoteHeader(path: path, content: record, executable: true) }
      }
    }
  }

  @Test func withoutCompressionPayloadAndContentAreEqual() {
    let map = Samples.header.with(6, .uint(0))
    let error = #expect(throws: FormatError.self) { try decode(Samples.padded(map)) }
    guard
      case .mismatch(field: "payload byte count", offset: _, expected: 1_815, found: 168) = error
    else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [Int64.min, -1, 0, Int64.max])
  func everySecondIsATime(seconds: Int64) throws {
    let value: Item =
      seconds < 0 ? .negative(UInt64(-1 - seconds)) : .uint(UInt64(seconds))
    let map = Samples.header.with(7, .array([value, .uint(1)])).with(8, .array([value, .uint(2)]))
    let content = try decode(Samples.padded(map)).content
    #expect(content.created == (try Timestamp(seconds: seconds, nanoseconds: 1)))
    #expect(content.modified == (try Timestamp(seconds: seconds, nanoseconds: 2)))
  }

  @Test(arguments: [UInt64(0), 0o600, 0o777])
  func permissionsComeAfterTheExecutableBit(bits: UInt64) throws {
    let map = Samples.header.with(10, .uint(bits))
    let header = try decode(Samples.padded(map))
    #expect(header.content.permissions == UInt16(bits))
    #expect(header.encoded() == Samples.padded(map))
    #expect(try decode(Samples.padded(Samples.header)).content.permissions == nil)
  }

  @Test(arguments: [UInt64(0o1000), 0o4755, 1 << 16, 1 << 32])
  func permissionsHaveNineBits(bits: UInt64) {
    let map = Samples.header.with(10, .uint(bits))
    let error = #expect(throws: FormatError.self) { try decode(Samples.padded(map)) }
    guard
      case .valueOutOfRange(field: "permissions", offset: _, found: bits, allowed: 0...0o777) =
        error
    else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func buildingFollowsTheRulesOfReading() throws {
    func record(
      _ type: ContentType, _ mediaType: String? = nil, content: UInt64, payload: UInt64,
      _ compression: Compression = .zstd
    ) throws(FormatError) -> ContentRecord {
      try ContentRecord(
        type: type, mediaType: mediaType, contentByteCount: content, payloadByteCount: payload,
        compression: compression, created: nil, modified: Timestamp(seconds: 0, nanoseconds: 0),
        laterKeys: LaterKeys())
    }
    func outOfRange(_ field: String, _ found: UInt64, _ allowed: ClosedRange<UInt64>)
      -> FormatError
    { .valueOutOfRange(field: field, offset: 0, found: found, allowed: allowed) }
    #expect(throws: outOfRange("content byte count", 1, 0...0)) {
      try record(.folder, content: 1, payload: 1)
    }
    for count in [UInt64(0), 4_097] {
      #expect(throws: outOfRange("content byte count", count, 1...4_096)) {
        try record(.link, content: count, payload: count)
      }
    }
    let above: UInt64 = (1 << 56) + 1
    #expect(throws: outOfRange("payload byte count", above, 0...(1 << 56))) {
      try record(.file, content: 0, payload: above)
    }
    #expect(
      throws: FormatError.mismatch(field: "payload byte count", offset: 0, expected: 2, found: 1)
    ) { try record(.file, content: 2, payload: 1, .none) }
    for text in ["", String(repeating: "m", count: 256)] {
      #expect(
        throws: FormatError.wrongByteCount(
          field: "media type", offset: 0, allowed: 1...255, found: UInt64(text.utf8.count))
      ) { try record(.file, text, content: 0, payload: 0) }
    }
    #expect(throws: outOfRange("nanoseconds", 1_000_000_000, 0...999_999_999)) {
      try Timestamp(seconds: 0, nanoseconds: 1_000_000_000)
    }
    let folder = try record(.folder, content: 0, payload: 0)
    for path in [[], [UInt8](repeating: 0x61, count: 8_193)] {
      #expect(
        throws: FormatError.wrongByteCount(
          field: "path", offset: 0, allowed: 1...8_192, found: UInt64(path.count))
      ) { try NoteHeader(path: path, content: folder, executable: false) }
    }
  }
}
