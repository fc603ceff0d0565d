import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct NoteHostileTests {
  private static let chunk = 4_096
  private static let stored = chunk + 16

  /// Four chunks, the last one shorter.
  private func fourChunks(_ keys: borrowing CompartmentKeys, salt: UInt64 = 1) throws -> SealedNote
  {
    var seeded = SeededBytes(seed: salt)
    return try SealedNote(
      seeded.bytes(3 * Self.chunk + 1_000), keys: keys, terms: SealedNote.terms(salt: salt))
  }

  private func expect(
    _ error: SealingError, opening bytes: [UInt8], keys: borrowing CompartmentKeys,
    noteID: NoteID = SealedNote.noteID, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    do throws(SealingError) {
      _ = try SealedNote.open(bytes, keys: keys, noteID: noteID)
      Issue.record("opened", sourceLocation: sourceLocation)
    } catch let found {
      #expect(found == error, sourceLocation: sourceLocation)
    }
  }

  // MARK: - Chunks

  @Test func everySwapOfChunksIsRefused() throws {
    let keys = try Known.compartment()
    let note = try fourChunks(keys)
    let start = note.stream.geometry.chunksOffset
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
      var bytes = note.bytes
      for index in 0..<Self.stored {
        bytes.swapAt(start + one * Self.stored + index, start + other * Self.stored + index)
      }
      expect(.chunkNotAuthentic(chunk: one), opening: bytes, keys: keys)
    }
  }

  @Test func everyDuplicatedChunkIsRefused() throws {
    let keys = try Known.compartment()
    let note = try fourChunks(keys)
    let start = note.stream.geometry.chunksOffset
    var bytes = note.bytes
    let first = bytes[start..<(start + Self.stored)]
    bytes.replaceSubrange((start + Self.stored)..<(start + 2 * Self.stored), with: first)
    expect(.chunkNotAuthentic(chunk: 1), opening: bytes, keys: keys)
  }

  @Test func chunkOfAnotherSealingIsRefused() throws {
    let keys = try Known.compartment()
    let note = try fourChunks(keys)
    let other = try fourChunks(keys, salt: 2)
    let start = note.stream.geometry.chunksOffset
    for chunk in 0..<4 {
      let range = note.stream.geometry.fileRange(ofChunk: chunk)
      var bytes = note.bytes
      bytes.replaceSubrange(range, with: other.bytes[range])
      expect(.chunkNotAuthentic(chunk: chunk), opening: bytes, keys: keys)
    }
    var spliced = note.bytes
    spliced.replaceSubrange(start..., with: other.bytes[start...])
    expect(.chunkNotAuthentic(chunk: 0), opening: spliced, keys: keys)
  }

  @Test func everyCutAndEveryByteBehindIsRefusedByTheByteCount() throws {
    let keys = try Known.compartment()
    let note = try fourChunks(keys)
    let whole = note.bytes.count
    let start = note.stream.geometry.chunksOffset
    for count in [start, start + 16, start + Self.stored, start + 3 * Self.stored, whole - 1] {
      expect(
        .wrongFileByteCount(expected: whole, found: count),
        opening: Array(note.bytes[..<count]), keys: keys)
    }
    expect(
      .wrongFileByteCount(expected: whole, found: whole + 1), opening: note.bytes + [0],
      keys: keys)
  }

  @Test func finalFlagOnAnInnerChunkAndItsLackOnTheLastAreRefused() throws {
    let keys = try Known.compartment()
    let note = try SealedNote([UInt8](repeating: 1, count: 2 * Self.chunk), keys: keys)
    #expect(note.stream.geometry.chunkCount == 2)
    var worker = try NoteWorker()
    try worker.begin(note.stream, keys: keys)
    for (chunk, endsStream) in [(0, true), (1, false)] {
      var piece = [UInt8](repeating: 0, count: Self.chunk)
      var room = piece.mutableSpan
      let stored = note.bytes.span.extracting(note.stream.geometry.fileRange(ofChunk: chunk))
      #expect(throws: SealingError.chunkNotAuthentic(chunk: chunk)) {
        try worker.chunks.open(
          stored, ChunkRun(firstChunk: chunk, endsStream: endsStream), into: &room)
      }
      try worker.chunks.open(
        stored, ChunkRun(firstChunk: chunk, endsStream: !endsStream), into: &room)
    }
  }

  @Test func failedChunkLeavesZerosFromThereOnAndAuthenticPiecesBefore() throws {
    let keys = try Known.compartment()
    let note = try fourChunks(keys)
    let start = note.stream.geometry.chunksOffset
    var bytes = note.bytes
    bytes[start + Self.stored] ^= 1
    var worker = try NoteWorker()
    try worker.begin(note.stream, keys: keys)
    var pieces = [UInt8](repeating: 0xEE, count: note.stream.geometry.streamByteCount)
    var output = pieces.mutableSpan
    #expect(throws: SealingError.chunkNotAuthentic(chunk: 1)) {
      try worker.chunks.open(
        bytes.span.extracting(start...), ChunkRun(firstChunk: 0, endsStream: true),
        into: &output)
    }
    var seeded = SeededBytes(seed: 1)
    #expect(Array(pieces[..<Self.chunk]) == seeded.bytes(Self.chunk))
    #expect(pieces[Self.chunk...].allSatisfy { $0 == 0 })
    // The chunks behind it are still good: salvage opens them one by one.
    var piece = [UInt8](repeating: 0, count: Self.chunk)
    var room = piece.mutableSpan
    try worker.chunks.open(
      bytes.span.extracting(note.stream.geometry.fileRange(ofChunk: 2)),
      ChunkRun(firstChunk: 2, endsStream: false), into: &room)
    #expect(piece != [UInt8](repeating: 0, count: Self.chunk))
  }

  /// FR-156: a full chunk that is not final, and an empty final one behind it.
  @Test func emptyLastChunkIsRefused() throws {
    let keys = try Known.compartment()
    let payload = [UInt8](repeating: 9, count: Self.chunk)
    let note = try SealedNote(payload, keys: keys)
    var worker = try NoteWorker()
    try worker.begin(note.stream, keys: keys)
    var hashes: [Digest] = []
    let full = try SealedNote.seal(
      payload, ChunkRun(firstChunk: 0, endsStream: false), with: &worker, hashes: &hashes)
    var empty = [UInt8](repeating: 0, count: 16)
    var tag = empty.mutableSpan
    let place = worker.chunks.place(
      of: 1, in: ChunkRun(firstChunk: 0, endsStream: true), isLast: true)
    try worker.chunks.aead.seal(
      nonce: place.nonce.span, authenticating: place.associated.span, Span(), into: &tag)
    let head = note.bytes[..<note.stream.geometry.chunksOffset]
    let bytes = head + full + empty
    expect(
      .wrongFileByteCount(expected: note.bytes.count, found: bytes.count),
      opening: Array(bytes), keys: keys)
    // Even where nobody compares byte counts, an empty piece is none.
    var pieces = [UInt8](repeating: 1, count: Self.chunk)
    var output = pieces.mutableSpan
    #expect(worker.chunks.openedByteCount(of: full.count + 16) == Self.chunk)
    #expect(throws: SealingError.chunkNotAuthentic(chunk: 1)) {
      try worker.chunks.open(
        (full + empty).span, ChunkRun(firstChunk: 0, endsStream: true), into: &output)
    }
  }

  @Test func paddingThatIsNotZeroIsRefusedEvenWhenAuthentic() throws {
    let keys = try Known.compartment()
    for (padding, offset) in [([1], 100), ([0, 0, 7], 102)] as [([UInt8], UInt64)] {
      let note = try SealedNote(
        [UInt8](repeating: 1, count: 100), keys: keys, padding: padding)
      expect(.paddingNotZero(streamOffset: offset), opening: note.bytes, keys: keys)
    }
  }

  @Test func paddingIsCheckedInEveryRunOfPieces() throws {
    let keys = try Known.compartment()
    let stream = try SealedNote([UInt8](repeating: 1, count: 8_300), keys: keys).stream
    let zeros = [UInt8](repeating: 0, count: 100)
    let ones = [UInt8](repeating: 1, count: 100)
    try stream.checkPadding(in: ones.span, at: 8_200)
    try stream.checkPadding(in: zeros.span, at: 8_300)
    #expect(throws: SealingError.paddingNotZero(streamOffset: 8_300)) {
      try stream.checkPadding(in: ones.span, at: 8_201)
    }
    #expect(throws: SealingError.paddingNotZero(streamOffset: 9_000)) {
      try stream.checkPadding(in: ones.span, at: 9_000)
    }
  }

  // MARK: - Heads

  @Test func everyFlippedByteBeforeTheChunksIsRefused() throws {
    let keys = try Known.compartment()
    let note = try SealedNote([1, 2, 3], keys: keys)
    let head = note.stream.head
    for index in 0..<note.stream.geometry.chunksOffset {
      var bytes = note.bytes
      bytes[index] ^= 0x10
      do throws(SealingError) {
        _ = try SealedNote.open(bytes, keys: keys)
        Issue.record("opened with byte \(index) flipped")
      } catch {
        switch error {
        case .format, .otherCompartment, .otherNote:
          #expect(head.prefix.indices.contains(index))
        case .commitmentMismatch: #expect(index < head.commitmentRange.upperBound)
        case .headerNotAuthentic: #expect(head.headerBoxRange.contains(index))
        default: Issue.record("\(error) for byte \(index)")
        }
      }
    }
  }

  @Test func everyTruncationOfTheHeadIsRefused() throws {
    let keys = try Known.compartment()
    let note = try SealedNote([1, 2, 3], keys: keys)
    var worker = try NoteWorker()
    for count in 0..<note.stream.geometry.chunksOffset {
      do throws(SealingError) {
        let cut = Array(note.bytes[..<count])
        _ = try worker.openHead(cut.span, noteID: SealedNote.noteID, keys: keys)
        Issue.record("opened \(count) bytes")
      } catch {
        guard case .format = error else {
          Issue.record("\(error) for \(count) bytes")
          continue
        }
      }
    }
  }

  @Test func headerOfAnotherNoteIsRefused() throws {
    let keys = try Known.compartment()
    let note = try SealedNote([1, 2, 3], keys: keys)
    let otherID = NoteID(high: 9, low: 9)
    let other = try SealedNote(
      [1, 2, 3], keys: keys, terms: SealedNote.terms(noteID: otherID))
    expect(
      .otherNote(expected: SealedNote.noteID, found: otherID), opening: other.bytes, keys: keys)
    // Its box alone, behind this note's prefix and commitment.
    var spliced = note.bytes
    let box = note.stream.head.headerBoxRange
    spliced.replaceSubrange(box, with: other.bytes[box])
    expect(.headerNotAuthentic, opening: spliced, keys: keys)
    // With its commitment too.
    let commitment = note.stream.head.commitmentRange
    spliced.replaceSubrange(commitment, with: other.bytes[commitment])
    expect(.commitmentMismatch, opening: spliced, keys: keys)
  }

  @Test func otherKeysAreToldFromDamage() throws {
    let keys = try Known.compartment()
    let note = try SealedNote([1, 2, 3], keys: keys)
    let masterKey = try SecretBytes(count: 32)
    let other = try CompartmentKeys(masterKey: masterKey, vaultID: keys.vaultID)
    expect(
      .otherCompartment(expected: other.compartmentID, found: keys.compartmentID),
      opening: note.bytes, keys: other)
    // A file that claims to be of the other compartment, and was sealed with these keys.
    var claim = note.bytes
    let place = try #require(claim.firstRange(of: keys.compartmentID.bytes))
    claim.replaceSubrange(place, with: other.compartmentID.bytes)
    expect(.commitmentMismatch, opening: claim, keys: other)
  }

  @Test func headerWhosePayloadDoesNotFitTheFileIsRefused() throws {
    let keys = try Known.compartment()
    let note = try SealedNote(
      [UInt8](repeating: 1, count: 100), keys: keys, header: try SealedNote.header(payload: 512))
    #expect(try SealedNote.open(note.bytes, keys: keys).count == 512)
    let short = try SealedNote([1], keys: keys)
    let lying = try SealedNote(
      [1], keys: keys, header: try SealedNote.header(payload: 5_000))
    let bytes =
      lying.bytes[..<lying.stream.geometry.chunksOffset]
      + short.bytes[short.stream.geometry.chunksOffset...]
    expect(
      .wrongFileByteCount(expected: lying.bytes.count, found: bytes.count),
      opening: Array(bytes), keys: keys)
  }
}
