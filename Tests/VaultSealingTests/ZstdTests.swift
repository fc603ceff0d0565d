import Testing
import VaultSealing
import VaultTestSupport

@Suite struct ZstdTests {
  // MARK: - Helpers

  static func compress(_ content: [UInt8], level: Int32 = 3) throws -> [UInt8] {
    var compressor = try ZstdCompressor(level: level)
    var frame = [UInt8](repeating: 0, count: content.count + 1_024)
    var output = frame.mutableSpan
    let count = try #require(try compressor.compress(content.span, into: &output))
    return Array(frame[..<count])
  }

  static func expand(_ payload: [UInt8], contentByteCount: Int) throws -> [UInt8] {
    var decompressor = try ZstdDecompressor()
    var content = [UInt8](repeating: 0xEE, count: contentByteCount)
    var output = content.mutableSpan
    try decompressor.expand(payload.span, filling: &output)
    return content
  }

  /// Expands piece by piece into a small buffer, as the store does.
  static func stream(
    _ payload: [UInt8], contentByteCount: Int, pieceByteCount: Int, roomByteCount: Int
  ) throws -> [UInt8] {
    var decompressor = try ZstdDecompressor()
    try decompressor.begin(
      payloadByteCount: UInt64(payload.count), contentByteCount: UInt64(contentByteCount))
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: roomByteCount)
    for start in stride(from: 0, to: payload.count, by: pieceByteCount) {
      let piece = Array(payload[start..<min(start + pieceByteCount, payload.count)])
      var consumed = 0
      var written = buffer.count
      while consumed < piece.count || written == buffer.count {
        var output = buffer.mutableSpan
        written = try decompressor.expand(piece.span, from: &consumed, into: &output)
        content += buffer[..<written]
      }
    }
    try decompressor.finish()
    return content
  }

  static let text = Array(String(repeating: "The quick brown fox. ", count: 400).utf8)

  // MARK: - Round trips

  @Test(arguments: [0, 1, 2, 255, 256, 511, 512, 65_535, 65_536, 131_073])
  func everyByteCountComesBack(count: Int) throws {
    var seeded = SeededBytes(seed: UInt64(count))
    let half = seeded.bytes(count / 2)
    let content = half + [UInt8](repeating: 7, count: count - half.count)
    let frame = try Self.compress(content)
    #expect(try Self.expand(frame, contentByteCount: count) == content)
  }

  @Test(arguments: [1, 3, 19] as [Int32])
  func goldenInputsComeBack(level: Int32) throws {
    for name in [
      "http", "huffman-compressed-larger", "large-literal-and-match-lengths",
      "PR-3517-block-splitter-corruption-test",
    ] {
      let content = try Fixtures.bytes("vectors/zstd/golden-compression/\(name)")
      let frame = try Self.compress(content, level: level)
      #expect(try Self.expand(frame, contentByteCount: content.count) == content)
    }
  }

  @Test func streamedAndWholeFramesAgree() throws {
    let content = Self.text
    var compressor = try ZstdCompressor(level: 3)
    try compressor.begin(contentByteCount: UInt64(content.count))
    var frame: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64)
    for start in stride(from: 0, to: content.count, by: 1_000) {
      let piece = Array(content[start..<min(start + 1_000, content.count)])
      var consumed = 0
      while consumed < piece.count {
        var output = buffer.mutableSpan
        let written = try compressor.compress(piece.span, from: &consumed, into: &output)
        frame += buffer[..<written]
      }
    }
    var isComplete = false
    while !isComplete {
      var output = buffer.mutableSpan
      let written: Int
      (written, isComplete) = try compressor.finish(into: &output)
      frame += buffer[..<written]
    }
    #expect(try Self.expand(frame, contentByteCount: content.count) == content)
    for (piece, room) in [(18, 1), (31, 100), (4_096, 65_536)] {
      let streamed = try Self.stream(
        frame, contentByteCount: content.count, pieceByteCount: piece, roomByteCount: room)
      #expect(streamed == content)
    }
  }

  @Test func oneObjectServesManyContentsAndRecoversFromRefusals() throws {
    var compressor = try ZstdCompressor(level: 3)
    var decompressor = try ZstdDecompressor()
    for content in [Self.text, [], [1, 2, 3]] {
      var tooSmall = [UInt8](repeating: 0, count: 4)
      var little = tooSmall.mutableSpan
      #expect(try compressor.compress(content.span, into: &little) == nil)
      var frame = [UInt8](repeating: 0, count: 1_000)
      var output = frame.mutableSpan
      let count = try #require(try compressor.compress(content.span, into: &output))
      #expect(throws: ZstdFailure.truncated) {
        var lost = [UInt8](repeating: 0, count: content.count)
        var room = lost.mutableSpan
        try decompressor.expand(frame.span.extracting(..<(count - 1)), filling: &room)
      }
      var back = [UInt8](repeating: 0, count: content.count)
      var room = back.mutableSpan
      try decompressor.expand(frame.span.extracting(..<count), filling: &room)
      #expect(back == content)
    }
  }

  // MARK: - What the compressor writes

  @Test func headerStatesTheContentAndNoChecksum() throws {
    let frame = try Self.compress(Self.text)
    #expect(frame.starts(with: ZstdFrame.magic))
    #expect(frame[4] == 0b0110_0000)  // two bytes of content count, single segment, nothing else
    #expect(Int(frame[5]) + Int(frame[6]) << 8 + 256 == Self.text.count)
  }

  @Test func windowStaysWithinEightMebibytesAtEveryLevel() throws {
    for level in [17, 20, 22] as [Int32] {
      var compressor = try ZstdCompressor(level: level)
      try compressor.begin(contentByteCount: 9 << 20)
      var consumed = 0
      var frame = [UInt8](repeating: 0, count: 300_000)
      var output = frame.mutableSpan
      let piece = [UInt8](repeating: 1, count: 300_000)
      _ = try compressor.compress(piece.span, from: &consumed, into: &output)
      #expect(frame[4] == 0b1000_0000)
      #expect(frame[5] >> 3 <= 23 - 10)
    }
  }

  @Test func brokenPledgeIsRefused() throws {
    var compressor = try ZstdCompressor(level: 1)
    var buffer = [UInt8](repeating: 0, count: 1_000)
    for count in [99, 101] {
      try compressor.begin(contentByteCount: 100)
      #expect(throws: ZstdFailure.pledgeBroken) {
        var consumed = 0
        var output = buffer.mutableSpan
        let piece = [UInt8](repeating: 1, count: count)
        _ = try compressor.compress(piece.span, from: &consumed, into: &output)
        _ = try compressor.finish(into: &output)
      }
    }
  }

  @Test func choiceIsTriedAndNeedsThreePercent() throws {
    var compressor = try ZstdCompressor(level: 3)
    var scratch = [UInt8](repeating: 0, count: CompressionChoice.probeByteCount)
    var seeded = SeededBytes(seed: 1)
    let noise = seeded.bytes(10_000)
    let cases: [([UInt8], Bool)] = [
      (Self.text, true), (noise, false), (noise + [UInt8](repeating: 0, count: 200), false),
      (noise + [UInt8](repeating: 0, count: 400), true), (Array(Self.text[..<512]), false),
      (Array(Self.text[..<513]), true), ([], false),
    ]
    for (content, expected) in cases {
      var room = scratch.mutableSpan
      let choice = try CompressionChoice.isWorthwhile(
        content.span, trying: &compressor, scratch: &room)
      #expect(choice == expected)
    }
    #expect(CompressionChoice.frameByteCountMaximum(contentByteCount: 1_000) == 970)
  }
}
