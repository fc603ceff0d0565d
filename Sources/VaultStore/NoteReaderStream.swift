package import VaultFormat
package import VaultSealing

/// A sealed file whose head was opened and found to be the one of its note.
package struct OpenedNote: ~Copyable, Sendable {
  package let sealed: SealedFileReader
  package let header: NoteHeader
  package let stream: NoteStream
  /// For errors, relative to the vault.
  package let path: [UInt8]

  /// Whether a reader holds the whole file after opening it.
  var isSmall: Bool { sealed.geometry.fileByteCount <= SealedFileReader.runByteCount }

  /// The part of opened pieces that is payload, given where they begin in the stream.
  func payloadCount(of piecesByteCount: Int, at offset: Int) -> Int {
    Int(min(UInt64(piecesByteCount), max(stream.payloadByteCount, UInt64(offset)) - UInt64(offset)))
  }
}

// MARK: - Opening

extension NoteReader {
  /// Opens a file's head, whatever the index says about the note.
  /// - Throws: `damaged`, `sealing`, `system`.
  package mutating func open(
    _ file: consuming FileDescriptor, note: NoteID, keys: borrowing CompartmentKeys
  ) throws(StoreError) -> OpenedNote {
    let path = Layout.notePath(note)
    buffer.forget()
    let sealed = try SealedFileReader(file, path: path, scratch: &buffer)
    let front = sealed.front
    let header: NoteHeader
    let stream: NoteStream
    do {
      let head = try worker.openHead(front.span, noteID: note, keys: keys)
      header = head.header
      stream = try head.stream(fileByteCount: sealed.geometry.fileByteCount)
    } catch {
      throw .sealing(error, path: path)
    }
    return OpenedNote(sealed: sealed, header: header, stream: stream, path: path)
  }

  /// Opens a file's head and compares it with what the index lists.
  /// - Throws: see the type.
  package mutating func open(
    _ file: consuming FileDescriptor, of note: NoteInfo, in compartment: UnlockedCompartment
  ) throws(StoreError) -> OpenedNote {
    let opened = try open(file, note: note.id, keys: compartment.secret.keys)
    guard opened.header.content.agrees(with: note.record) else {
      // The header of another version differs too; then that is what is wrong.
      try checkDigest(opened, of: note, in: compartment)
      throw .noteNotAsListed(path: opened.path, .recordDiffers)
    }
    return opened
  }
}

// MARK: - Delivering

extension NoteReader {
  mutating func deliver(
    _ opened: borrowing OpenedNote, of note: NoteInfo, in compartment: UnlockedCompartment,
    checking check: DigestCheck, into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) {
    try begin(opened, keys: compartment.secret.keys)
    if opened.isSmall {
      try deliverSmall(opened, of: note, in: compartment, into: sink)
      return
    }
    if check == .beforehand { try checkDigest(opened, of: note, in: compartment) }
    var digest = try NoteHasher.begin(opened.sealed)
    var hashes: [Digest] = []
    try beginContent(of: opened)
    for run in 0..<opened.sealed.runCount {
      hashes.removeAll(keepingCapacity: true)
      let count = try openRun(run, of: opened, hashes: &hashes)
      do { try digest.append(hashes) } catch { throw .sealing(error, path: opened.path) }
      let demand = try pass(payloadCount: count, of: opened, into: sink)
      if demand == .enough { return }
    }
    try finishContent(of: opened)
    let state = try NoteHasher.finish(digest, opened.sealed)
    try compare(state, with: note, in: compartment)
  }

  /// All of a small file is authenticated and compared before its first byte goes out.
  private mutating func deliverSmall(
    _ opened: borrowing OpenedNote, of note: NoteInfo, in compartment: UnlockedCompartment,
    into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) {
    let geometry = opened.sealed.geometry
    let byteCount = geometry.fileByteCount - geometry.chunksOffset
    try fill(offset: geometry.chunksOffset, count: byteCount, of: opened)
    var hashes: [Digest] = []
    let count = try openHeld(
      ChunkRun(firstChunk: 0, endsStream: true), at: 0, of: opened, hashes: &hashes)
    var digest = try NoteHasher.begin(opened.sealed)
    do { try digest.append(hashes) } catch { throw .sealing(error, path: opened.path) }
    try compare(try NoteHasher.finish(digest, opened.sealed), with: note, in: compartment)
    try beginContent(of: opened)
    let demand = try pass(payloadCount: count, of: opened, into: sink)
    if demand == .more { try finishContent(of: opened) }
  }

  /// Turns the reader to a note's keys.
  mutating func begin(
    _ opened: borrowing OpenedNote, keys: borrowing CompartmentKeys
  ) throws(StoreError) {
    do { try worker.begin(opened.stream, keys: keys) } catch {
      throw .sealing(error, path: opened.path)
    }
  }

  /// Reads and opens one run into `pieces` and appends the hashes of its chunks.
  /// - Returns: how many of the pieces' bytes are payload.
  mutating func openRun(
    _ run: Int, of opened: borrowing OpenedNote, hashes: inout [Digest]
  ) throws(StoreError) -> Int {
    let chunks = opened.sealed.chunks(ofRun: run)
    try opened.sealed.read(run: run, into: &buffer, path: opened.path)
    return try openHeld(
      ChunkRun(
        firstChunk: chunks.lowerBound,
        endsStream: chunks.upperBound == opened.sealed.geometry.chunkCount),
      at: opened.sealed.geometry.streamRange(ofChunk: chunks.lowerBound).lowerBound,
      of: opened, hashes: &hashes)
  }

  private mutating func openHeld(
    _ run: ChunkRun, at offset: Int, of opened: borrowing OpenedNote, hashes: inout [Digest]
  ) throws(StoreError) -> Int {
    let held = buffer
    let byteCount = worker.chunks.openedByteCount(of: held.count)
    // Taken out and put back: the compiler sees no border between two stored properties here.
    var pieces = self.pieces
    self.pieces = []
    defer { self.pieces = pieces }
    if pieces.count < byteCount { pieces = [UInt8](repeating: 0, count: byteCount) }
    do {
      var room = pieces.mutableSpan
      var part = room._mutatingExtracting(0..<byteCount)
      try worker.chunks.open(held.bytes, run, into: &part)
      try opened.stream.checkPadding(in: part.span, at: UInt64(offset))
      try worker.chunks.hash(held.bytes, into: &hashes)
    } catch {
      throw .sealing(error, path: opened.path)
    }
    return opened.payloadCount(of: byteCount, at: offset)
  }

  private mutating func fill(
    offset: Int, count: Int, of opened: borrowing OpenedNote
  ) throws(StoreError) {
    do { try buffer.fill(from: opened.sealed.file, offset: offset, count: count) } catch {
      throw .system(error, path: opened.path)
    }
    guard buffer.count == count else {
      throw .damaged(
        path: opened.path,
        .truncated(field: "chunk", offset: offset, needed: count, available: buffer.count))
    }
  }
}
