import VaultCrypto
package import VaultFormat

/// Chunks that follow one another in a file.
package struct ChunkRun: Hashable, Sendable {
  /// The number of the first chunk, counted from 0.
  package let firstChunk: Int
  /// Whether the last chunk is the last of the file.
  package let endsStream: Bool

  package init(firstChunk: Int, endsStream: Bool) {
    self.firstChunk = firstChunk
    self.endsStream = endsStream
  }
}

/// Seals and opens the chunks of one note at a time, any run of them (spec §6.2). Keep one per
/// worker; several may work on different runs of one file. No memory is taken per chunk.
package struct ChunkCipher: ~Copyable, Sendable {
  var aead: AEAD
  private var hasher: ChunkHasher
  private var pieceByteCount = 0
  private var baseNonce = Nonce(high: 0, low: 0)
  /// `L(chunk) ‖ header tag 16`, which every chunk's associated data begins with.
  private var associatedFront = InlineArray<34, UInt8>(repeating: 0)

  /// A cipher without a note.
  ///
  /// - Throws: `crypto`.
  init() throws(SealingError) {
    let aead = try lifting(SealingError.crypto) { () throws(CryptoError) in try AEAD() }
    let hasher = try ChunkHasher()
    self.aead = aead
    self.hasher = hasher
  }

  /// Turns to the note of `stream`, whose content key is in `keys`.
  mutating func begin(
    _ stream: NoteStream, keys: borrowing FileKeys
  ) throws(CryptoError) {
    try begin(stream.head, headerTag: stream.headerTag, keys: keys)
  }

  /// Turns to the note of `head`, whose content key is in `keys` and whose header box has that tag.
  mutating func begin(
    _ head: SealedFileHead, headerTag: [UInt8], keys: borrowing FileKeys
  ) throws(CryptoError) {
    try keys.useContentKey(in: &aead)
    pieceByteCount = head.chunkByteCount
    baseNonce = head.baseNonce
    let front = Label.chunk.followed(by: headerTag)
    associatedFront = InlineArray { front[$0] }
  }

  // MARK: - Sealing

  /// Seals `pieces` of the padded stream into `chunks` and appends the hash of each chunk.
  ///
  /// `pieces` begins at a chunk's start and has whole pieces, but for the last one of the stream;
  /// `chunks` has exactly 16 bytes more for each. Each chunk of a file is sealed once.
  ///
  /// - Throws: `crypto`.
  package mutating func seal(
    _ pieces: Span<UInt8>, _ run: ChunkRun, into chunks: inout MutableSpan<UInt8>,
    hashes: inout [Digest]
  ) throws(SealingError) {
    let count = chunkCount(pieces.count, pieceByteCount, run)
    precondition(
      chunks.count == pieces.count + count * AEAD.tagByteCount, "no exact room for the chunks")
    do throws(CryptoError) {
      for index in 0..<count {
        let start = index * pieceByteCount
        let end = min(start + pieceByteCount, pieces.count)
        let tags = index * AEAD.tagByteCount
        var chunk = chunks._mutatingExtracting((start + tags)..<(end + tags + AEAD.tagByteCount))
        let place = place(of: index, in: run, isLast: index == count - 1)
        try aead.seal(
          nonce: place.nonce.span, authenticating: place.associated.span,
          pieces.extracting(start..<end), into: &chunk)
        hashes.append(try hasher.hash(chunk.span))
      }
    } catch {
      throw .crypto(error)
    }
  }

  // MARK: - Opening

  /// How many bytes `open` gives for a run of chunks of so many bytes.
  package func openedByteCount(of chunksByteCount: Int) -> Int {
    let (whole, rest) = chunksByteCount.quotientAndRemainder(
      dividingBy: pieceByteCount + AEAD.tagByteCount)
    return whole * pieceByteCount + max(0, rest - AEAD.tagByteCount)
  }

  /// Opens `chunks` into `pieces`, which has exactly `openedByteCount` bytes.
  ///
  /// `chunks` begins at a chunk's start and has whole chunks, but for the last one of the stream.
  ///
  /// - Throws: `chunkNotAuthentic` with the number of the first bad chunk: what `pieces` holds
  ///   before it is authentic, and from there on it is zeros; `crypto`.
  package mutating func open(
    _ chunks: Span<UInt8>, _ run: ChunkRun, into pieces: inout MutableSpan<UInt8>
  ) throws(SealingError) {
    let chunkByteCount = pieceByteCount + AEAD.tagByteCount
    let count = chunkCount(chunks.count, chunkByteCount, run)
    precondition(
      pieces.count == openedByteCount(of: chunks.count), "no exact room for the pieces")
    for index in 0..<count {
      let start = index * chunkByteCount
      let end = min(start + chunkByteCount, chunks.count)
      let pieceStart = index * pieceByteCount
      let pieceEnd = pieceStart + max(0, end - start - AEAD.tagByteCount)
      var piece = pieces._mutatingExtracting(pieceStart..<pieceEnd)
      do throws(CryptoError) {
        // An empty piece authenticates, and is still none: it would be a second way to end a file.
        guard !piece.isEmpty else { throw .authenticationFailed }
        let place = place(of: index, in: run, isLast: index == count - 1)
        try aead.open(
          nonce: place.nonce.span, authenticating: place.associated.span,
          chunks.extracting(start..<end), into: &piece)
      } catch {
        for index in pieceStart..<pieces.count { pieces[index] = 0 }
        guard case .authenticationFailed = error else { throw .crypto(error) }
        throw .chunkNotAuthentic(chunk: run.firstChunk + index)
      }
    }
  }

  // MARK: - Hashing

  /// Appends the hash of each chunk; the key plays no part.
  ///
  /// - Throws: `crypto`.
  package mutating func hash(
    _ chunks: Span<UInt8>, into hashes: inout [Digest]
  ) throws(SealingError) {
    try hasher.hash(
      chunks, chunkByteCount: pieceByteCount + AEAD.tagByteCount, into: &hashes)
  }

  // MARK: - Both

  /// How many chunks a run has.
  private func chunkCount(_ byteCount: Int, _ step: Int, _ run: ChunkRun) -> Int {
    precondition(pieceByteCount > 0, "a chunk cipher needs a note before its first chunk")
    precondition(byteCount > 0, "no chunk is empty")
    precondition(
      run.endsStream || byteCount.isMultiple(of: step), "only the last chunk may be shorter")
    return (byteCount + step - 1) / step
  }

  /// Nonce and associated data of a chunk, both without heap memory:
  /// `base nonce XOR (u8 final ‖ 00 00 00 ‖ u64 chunk)` and
  /// `L(chunk) ‖ header tag 16 ‖ u8 final ‖ u64 chunk`.
  func place(of index: Int, in run: ChunkRun, isLast: Bool) -> ChunkPlace {
    let isFinal = isLast && run.endsStream
    let chunk = UInt64(run.firstChunk + index)
    let front = associatedFront
    let nonce = baseNonce.xored(final: isFinal, chunk: chunk)
    return ChunkPlace(
      nonce: nonce.withSpan { nonce in InlineArray { nonce[$0] } },
      associated: InlineArray { place in
        switch place {
        case ..<34: front[place]
        case 34: isFinal ? 1 : 0
        default: UInt8(truncatingIfNeeded: chunk >> UInt64(8 * (42 - place)))
        }
      })
  }

  struct ChunkPlace {
    let nonce: InlineArray<12, UInt8>
    let associated: InlineArray<43, UInt8>
  }
}
