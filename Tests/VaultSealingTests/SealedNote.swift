import Testing
import VaultCrypto
import VaultFormat

@testable import VaultSealing

/// A whole sealed file in memory, made and opened with the building blocks as the store does.
struct SealedNote {
  var bytes: [UInt8]
  let stream: NoteStream
  let hashes: [Digest]

  static let noteID = NoteID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

  static func record(
    payload: Int, content: Int? = nil, compression: Compression = .none
  ) throws -> ContentRecord {
    try ContentRecord(
      type: .file, mediaType: nil, contentByteCount: UInt64(content ?? payload),
      payloadByteCount: UInt64(payload), compression: compression, created: nil,
      modified: try Timestamp(seconds: 1, nanoseconds: 2), laterKeys: LaterKeys())
  }

  static func header(payload: Int) throws -> NoteHeader {
    try NoteHeader(
      path: Array("a/b.md".utf8), content: try record(payload: payload), executable: false)
  }

  static func terms(
    noteID: NoteID = noteID, salt: UInt64 = 1, log2: UInt8 = 12
  ) -> SealedHeadTerms {
    SealedHeadTerms(
      noteID: noteID, salt: Salt(salt, 2, 3, 4), baseNonce: Nonce(high: 5, low: 6),
      headerNonce: Nonce(high: 7, low: 8), chunkSizeLog2: log2, laterKeys: LaterKeys())
  }

  /// Seals `payload` in runs of `chunksPerRun` chunks, each run by another worker.
  init(
    _ payload: [UInt8], keys: borrowing CompartmentKeys, terms: SealedHeadTerms = Self.terms(),
    header: NoteHeader? = nil, padding: [UInt8]? = nil, chunksPerRun: Int = 2
  ) throws {
    let header = try header ?? Self.header(payload: payload.count)
    var worker = try NoteWorker()
    let head = try worker.sealHead(header, terms: terms, keys: keys)
    let geometry = head.stream.geometry
    var stream = payload + (padding ?? [])
    stream += [UInt8](repeating: 0, count: geometry.streamByteCount - stream.count)
    bytes = head.bytes
    var hashes: [Digest] = []
    for first in stride(from: 0, to: geometry.chunkCount, by: chunksPerRun) {
      let last = min(first + chunksPerRun, geometry.chunkCount) - 1
      let range =
        geometry.streamRange(ofChunk: first)
        .lowerBound..<geometry.streamRange(ofChunk: last)
        .upperBound
      var other = try NoteWorker()
      try other.begin(head.stream, keys: keys)
      let run = ChunkRun(firstChunk: first, endsStream: geometry.isFinal(last))
      bytes += try Self.seal(Array(stream[range]), run, with: &other, hashes: &hashes)
    }
    self.stream = head.stream
    self.hashes = hashes
  }

  static func seal(
    _ pieces: [UInt8], _ run: ChunkRun, with worker: inout NoteWorker, hashes: inout [Digest]
  ) throws -> [UInt8] {
    let pieceByteCount = 4_096  // every test but the vectors seals chunks of this size
    let count = (pieces.count + pieceByteCount - 1) / pieceByteCount
    var chunks = [UInt8](repeating: 0, count: pieces.count + 16 * count)
    var output = chunks.mutableSpan
    try worker.chunks.seal(pieces.span, run, into: &output, hashes: &hashes)
    return chunks
  }

  /// Opens a whole file as a reader does: head, byte count, every chunk in one run, padding.
  static func open(
    _ bytes: [UInt8], keys: borrowing CompartmentKeys, noteID: NoteID = noteID
  ) throws(SealingError) -> [UInt8] {
    var worker = try NoteWorker()
    let opened = try worker.openHead(bytes.span, noteID: noteID, keys: keys)
    let stream = try opened.stream(fileByteCount: bytes.count)
    try worker.begin(stream, keys: keys)
    var pieces = [UInt8](repeating: 0xEE, count: stream.geometry.streamByteCount)
    var output = pieces.mutableSpan
    try worker.chunks.open(
      bytes.span.extracting(stream.geometry.chunksOffset...),
      ChunkRun(firstChunk: 0, endsStream: true), into: &output)
    try stream.checkPadding(in: pieces.span, at: 0)
    return Array(pieces.prefix(Int(stream.payloadByteCount)))
  }

  /// The digest of the file (spec §6.3).
  func digest() throws -> Digest {
    var digest = try NoteDigest(
      head: bytes.span.extracting(..<stream.geometry.chunksOffset),
      fileByteCount: UInt64(bytes.count))
    try digest.append(hashes)
    return try digest.finish()
  }
}
