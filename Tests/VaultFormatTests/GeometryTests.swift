import Testing
import VaultFormat
import VaultTestSupport

@Suite struct GeometryTests {
  private func head(log2: UInt64) throws -> SealedFileHead {
    let bytes = Samples.sealedFile.with(4, .uint(log2)).file(.sealedFile)
    var reader = ByteReader(bytes.span)
    return try SealedFileHead(parsing: &reader)
  }

  static let padme: [(UInt64, UInt64)] = [
    (0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (8, 8), (9, 10), (10, 10), (16, 16), (17, 18),
    (100, 104), (192, 192), (193, 208), (512, 512), (513, 544), (1_000, 1_024), (4_097, 4_352),
    (1_000_000, 1_015_808), (1 << 56, 1 << 56), ((1 << 56) - 1, 1 << 56),
  ]

  @Test(arguments: padme)
  func padmeIsThatOfTheSpec(byteCount: UInt64, padded: UInt64) {
    #expect(Padme.padded(byteCount) == padded)
  }

  @Test func padmeAgreesWithTheFixture() throws {
    struct Vectors: Decodable {
      struct Value: Decodable {
        let x: UInt64
        let padme: UInt64
      }
      let values: [Value]
    }
    let values = try Fixtures.json("vectors/vault/padme.json", as: Vectors.self).values
    #expect(values.count == 28)
    for value in values { #expect(Padme.padded(value.x) == value.padme) }
  }

  @Test func paddingIsStableAndAddsLittle() {
    var last: UInt64 = 0
    for byteCount in (2...5_000).map(UInt64.init) {
      let padded = Padme.padded(byteCount)
      #expect(padded >= byteCount && padded >= last && Padme.padded(padded) == padded)
      #expect((padded - byteCount) * 100 < byteCount * 12)
      last = padded
    }
  }

  @Test func thePartsOfASealedFileLieOneAfterTheOther() throws {
    let head = try head(log2: 16)
    #expect(head.prefix.count == 16 + 92)
    #expect(head.commitmentRange == 108..<140)
    #expect(head.headerBoxRange == 140..<424)
    #expect(head.chunksOffset == 424)
    #expect(head.chunkByteCount == 65_536)
    #expect(SealedFileHead.maximumChunksOffset == 16 + 4_096 + 32 + 12_060)
  }

  @Test(arguments: [
    (UInt64(0), 1, 512), (1, 1, 512), (512, 1, 512), (513, 1, 544), (4_095, 1, 4_096),
    (4_096, 1, 4_096), (4_097, 2, 256), (5_000, 2, 1_024), (8_193, 3, 512), (10_000, 3, 2_048),
  ])
  func aPayloadHasItsChunks(payload: UInt64, chunks: Int, last: Int) throws {
    let head = try head(log2: 12)
    let geometry = try ChunkGeometry(payloadByteCount: payload, head: head)
    #expect(geometry.chunkCount == chunks && geometry.lastChunkByteCount == last)
    #expect(geometry.streamByteCount == Int(Padme.padded(max(payload, 512))))
    #expect(geometry.fileByteCount == 424 + geometry.streamByteCount + 16 * chunks)
    #expect(try ChunkGeometry(fileByteCount: geometry.fileByteCount, head: head) == geometry)
    try geometry.check(payloadByteCount: payload, head: head)
    var end = head.chunksOffset
    var streamEnd = 0
    for chunk in 0..<chunks {
      #expect(geometry.fileRange(ofChunk: chunk).lowerBound == end)
      #expect(geometry.streamRange(ofChunk: chunk).lowerBound == streamEnd)
      #expect(geometry.isFinal(chunk) == (chunk == chunks - 1))
      end = geometry.fileRange(ofChunk: chunk).upperBound
      streamEnd = geometry.streamRange(ofChunk: chunk).upperBound
    }
    #expect(end == geometry.fileByteCount && streamEnd == geometry.streamByteCount)
  }

  @Test(arguments: [Int.min, -1, 0, 423, 424])
  func aFileWithoutAChunkIsTruncated(byteCount: Int) throws {
    let head = try head(log2: 12)
    #expect(
      throws: FormatError.truncated(field: "chunk", offset: 424, needed: 17, available: 0)
    ) { try ChunkGeometry(fileByteCount: byteCount, head: head) }
  }

  @Test func theLastChunkHoldsAtLeastOneByte() throws {
    let head = try head(log2: 12)
    for (before, chunks) in [(424, 1), (424 + 4_112, 2)] {
      for last in 1...16 {
        #expect(
          throws: FormatError.wrongByteCount(
            field: "last chunk", offset: before, allowed: 17...4_112, found: UInt64(last))
        ) { try ChunkGeometry(fileByteCount: before + last, head: head) }
      }
      let least = try ChunkGeometry(fileByteCount: before + 17, head: head)
      #expect(least.chunkCount == chunks && least.lastChunkByteCount == 1)
      let most = try ChunkGeometry(fileByteCount: before + 4_112, head: head)
      #expect(most.chunkCount == chunks && most.lastChunkByteCount == 4_096)
    }
  }

  @Test func theMaximaOfPayloadAndChunksHold() throws {
    let large = try head(log2: 24)
    let most = try ChunkGeometry(payloadByteCount: 1 << 56, head: large)
    #expect(most.chunkCount == 1 << 32 && most.lastChunkByteCount == 1 << 24)
    #expect(try ChunkGeometry(fileByteCount: most.fileByteCount, head: large) == most)
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "payload byte count", offset: 0, found: (1 << 56) + 1, allowed: 0...(1 << 56))
    ) { try ChunkGeometry(payloadByteCount: (1 << 56) + 1, head: large) }
    let small = try head(log2: 12)
    #expect(try ChunkGeometry(payloadByteCount: 1 << 44, head: small).chunkCount == 1 << 32)
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "chunk count", offset: 0, found: 1 << 44, allowed: 1...(1 << 32))
    ) { try ChunkGeometry(payloadByteCount: 1 << 56, head: small) }
    let error = #expect(throws: FormatError.self) {
      try ChunkGeometry(fileByteCount: Int.max, head: small)
    }
    guard case .valueOutOfRange(field: "chunk count", offset: 0, found: _, allowed: _) = error
    else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func aStreamPaddedToAnotherByteCountIsRefused() throws {
    let head = try head(log2: 12)
    let geometry = try ChunkGeometry(payloadByteCount: 600, head: head)
    #expect(geometry.streamByteCount == 608)
    #expect(
      throws: FormatError.mismatch(
        field: "stream byte count", offset: 424, expected: 640, found: 608)
    ) { try geometry.check(payloadByteCount: 609, head: head) }
  }
}
