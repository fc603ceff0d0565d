import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct NoteRoundTripTests {
  private static let chunk = 4_096

  /// Around the chunk size, the floor of the padding, and steps of Padmé (spec §6.2).
  static let payloadByteCounts = [
    0, 1, 511, 512, 513, 544, 545, chunk - 1, chunk, chunk + 1, chunk + 256, chunk + 257,
    2 * chunk - 1, 2 * chunk, 2 * chunk + 1, 5 * chunk, 5 * chunk + 1,
  ]

  @Test(arguments: payloadByteCounts)
  func everyByteCountComesBackFromEveryCutIntoRuns(count: Int) throws {
    let keys = try Known.compartment()
    var seeded = SeededBytes(seed: UInt64(count))
    let payload = seeded.bytes(count)
    let note = try SealedNote(payload, keys: keys, chunksPerRun: 1)
    #expect(note.bytes.count == note.stream.geometry.fileByteCount)
    #expect(try SealedNote.open(note.bytes, keys: keys) == payload)
    for chunksPerRun in [2, 3, 100] {
      let again = try SealedNote(payload, keys: keys, chunksPerRun: chunksPerRun)
      #expect(again.bytes == note.bytes)
      #expect(again.hashes == note.hashes)
    }
  }

  @Test func payloadsOfOnePaddingClassGiveFilesOfOneByteCount() throws {
    let keys = try Known.compartment()
    let counts = try [1, 512, 513, 544].map {
      try SealedNote([UInt8](repeating: 1, count: $0), keys: keys).bytes.count
    }
    #expect(counts[0] == counts[1])
    #expect(counts[2] == counts[3])
    #expect(counts[2] == counts[1] + 32)
  }

  @Test func oneWorkerServesManyNotes() throws {
    let keys = try Known.compartment()
    var worker = try NoteWorker()
    for salt in 1...3 as ClosedRange<UInt64> {
      let payload = [UInt8](repeating: UInt8(salt), count: 5_000)
      let header = try SealedNote.header(payload: payload.count)
      let terms = SealedNote.terms(salt: salt)
      let head = try worker.sealHead(header, terms: terms, keys: keys)
      try worker.begin(head.stream, keys: keys)
      var hashes: [Digest] = []
      let padding = [UInt8](
        repeating: 0, count: head.stream.geometry.streamByteCount - payload.count)
      let chunks = try SealedNote.seal(
        payload + padding, ChunkRun(firstChunk: 0, endsStream: true), with: &worker,
        hashes: &hashes)
      let expected = try SealedNote(payload, keys: keys, terms: terms)
      #expect(head.bytes + chunks == expected.bytes)
    }
  }

  @Test func freshSaltChangesEveryByteRangeBehindThePrefix() throws {
    let keys = try Known.compartment()
    let one = try SealedNote([1, 2, 3], keys: keys, terms: SealedNote.terms(salt: 1))
    let two = try SealedNote([1, 2, 3], keys: keys, terms: SealedNote.terms(salt: 2))
    let head = one.stream.head
    #expect(one.bytes[head.commitmentRange] != two.bytes[head.commitmentRange])
    let box = head.headerBoxRange.dropFirst(Limits.nonceByteCount)
    #expect(one.bytes[box] != two.bytes[box])
    #expect(one.bytes[head.chunksOffset...] != two.bytes[head.chunksOffset...])
  }

  @Test func digestCoversEveryByteAndTheByteCount() throws {
    let keys = try Known.compartment()
    let note = try SealedNote([UInt8](repeating: 3, count: 600), keys: keys)
    let digest = try note.digest()
    var hasher = try ChunkHasher()
    for index in [0, 20, note.stream.geometry.chunksOffset - 1] {
      var changed = note
      changed.bytes[index] ^= 1
      #expect(try changed.digest() != digest)
    }
    var chunk = Array(note.bytes[note.stream.geometry.chunksOffset...])
    chunk[17] ^= 1
    var hashes: [Digest] = []
    try hasher.hash(chunk.span, chunkByteCount: 4_112, into: &hashes)
    #expect(hashes != note.hashes)
    var longer = try NoteDigest(
      head: note.bytes.span.extracting(..<note.stream.geometry.chunksOffset),
      fileByteCount: UInt64(note.bytes.count + 1))
    try longer.append(note.hashes)
    #expect(try longer.finish() != digest)
  }
}
