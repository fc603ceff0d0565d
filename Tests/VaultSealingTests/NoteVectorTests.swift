import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct NoteVectorTests {
  private func header(of file: Known.SealedFiles.File) throws -> NoteHeader {
    let record = file.contentRecord
    let time = { (pair: [Int64]) in
      try Timestamp(seconds: pair[0], nanoseconds: UInt32(pair[1]))
    }
    return try NoteHeader(
      path: file.path.bytes,
      content: try ContentRecord(
        type: try #require(ContentType(rawValue: record.type)), mediaType: record.mediaType,
        contentByteCount: record.contentByteCount, payloadByteCount: record.payloadByteCount,
        compression: try #require(Compression(rawValue: record.compression)),
        created: try record.created.map(time), modified: try time(record.modified),
        laterKeys: LaterKeys()),
      executable: file.executable)
  }

  @Test func knownFilesAreReproducedByteForByte() throws {
    let keys = try Known.compartment()
    let files = try Known.files().files
    #expect(files.count == 5)
    for file in files {
      let header = try header(of: file)
      #expect(header.encoded() == file.headerPlain.bytes)
      let terms = SealedHeadTerms(
        noteID: try NoteID(copying: file.noteId.bytes.span),
        salt: try Salt(copying: file.salt.bytes.span),
        baseNonce: try Nonce(copying: file.baseNonce.bytes.span),
        headerNonce: try Nonce(copying: file.headerNonce.bytes.span),
        chunkSizeLog2: file.chunkLog2, laterKeys: LaterKeys())
      var worker = try NoteWorker()
      let head = try worker.sealHead(header, terms: terms, keys: keys)
      #expect(head.stream.geometry.streamByteCount == file.streamByteCount)
      #expect(head.stream.geometry.chunkCount == file.chunks.count)

      try worker.begin(head.stream, keys: keys)
      var stream = [UInt8](repeating: 0, count: file.streamByteCount)
      stream.replaceSubrange(..<file.payload.bytes.count, with: file.payload.bytes)
      var chunks = [UInt8](repeating: 0, count: stream.count + 16 * file.chunks.count)
      var output = chunks.mutableSpan
      var hashes: [Digest] = []
      try worker.chunks.seal(
        stream.span, ChunkRun(firstChunk: 0, endsStream: true), into: &output, hashes: &hashes)
      #expect(head.bytes + chunks == file.file.bytes)
      #expect(hashes.map(\.bytes) == file.hashes.dropFirst().map(\.bytes))

      var digest = try NoteDigest(
        head: head.bytes.span, fileByteCount: UInt64(file.file.bytes.count))
      try digest.append(hashes)
      #expect(try digest.finish().bytes == file.digest.bytes)
    }
  }

  @Test func knownFilesOpenToTheKnownContent() throws {
    let keys = try Known.compartment()
    for file in try Known.files().files {
      let noteID = try NoteID(copying: file.noteId.bytes.span)
      let payload = try SealedNote.open(file.file.bytes, keys: keys, noteID: noteID)
      #expect(payload == file.payload.bytes)
      guard file.contentRecord.compression == 1 else { continue }
      let content = try ZstdTests.expand(
        payload, contentByteCount: Int(file.contentRecord.contentByteCount))
      #expect(content == file.content.bytes)
    }
  }

  @Test func keylessHashesAreTheKnownOnes() throws {
    let files = try Known.files().files
    var hasher = try ChunkHasher()
    for file in files {
      let bytes = file.file.bytes
      var reader = ByteReader(bytes.span)
      let head = try SealedFileHead(parsing: &reader)
      var hashes: [Digest] = []
      try hasher.hash(
        bytes.span.extracting(head.chunksOffset...),
        chunkByteCount: head.chunkByteCount + Limits.tagByteCount, into: &hashes)
      #expect(hashes.map(\.bytes) == file.hashes.dropFirst().map(\.bytes))
    }
  }
}
