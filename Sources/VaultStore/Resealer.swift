internal import VaultFormat
internal import VaultSealing

/// Seals notes again for another compartment, chunk by chunk: the payload, its compression and its padding stay; one per
/// worker, its memory is used again.
struct Resealer: ~Copyable {
  private var reader: NoteReader
  private var worker: NoteWorker
  private var sealed: [UInt8] = []
  private var hashes: [Digest] = []

  /// - Throws: `sealing` where the libraries give no memory.
  init() throws(StoreError) {
    let reader = try NoteReader()
    let worker: NoteWorker
    do { worker = try NoteWorker() } catch { throw .sealing(error, path: []) }
    self.reader = reader
    self.worker = worker
  }

  /// Opens a note, compares it with what the index lists, and writes it under another id into a folder.
  /// - Returns: the state of the new file.
  /// - Throws: as `NoteReader` for what is wrong with the note; `system`, `sealing`.
  mutating func reseal(
    _ file: consuming FileDescriptor, of note: NoteInfo, in compartment: UnlockedCompartment,
    as id: NoteID, keys: borrowing CompartmentKeys, into folder: borrowing Directory
  ) throws(StoreError) -> State {
    let path = Layout.notePath(id)
    let opened = try reader.open(file, of: note, in: compartment)
    let head = try head(opened, note, as: id, keys: keys)
    let target = try Self.create(FileNameHex.name(of: id), head, in: folder, path)
    let byteCount = UInt64(head.stream.geometry.fileByteCount)
    var digest = try Self.digest(head, path)
    do { try worker.begin(head.stream, keys: keys) } catch { throw .sealing(error, path: path) }
    try reader.begin(opened, keys: compartment.secret.keys)
    reader.buffer.forget()
    var original = try NoteHasher.begin(opened.sealed)
    for run in 0..<opened.sealed.runCount {
      hashes.removeAll(keepingCapacity: true)
      _ = try reader.openRun(run, of: opened, hashes: &hashes)
      do { try original.append(hashes) } catch { throw .sealing(error, path: opened.path) }
      let offset = try seal(opened.sealed.chunks(ofRun: run), of: head.stream, path)
      do { try digest.append(hashes) } catch { throw .sealing(error, path: path) }
      do { try target.write(sealed.span, at: UInt64(offset)) } catch {
        throw .system(error, path: path)
      }
    }
    try reader.compare(try NoteHasher.finish(original, opened.sealed), with: note, in: compartment)
    do { try target.close() } catch { throw .system(error, path: path) }
    do { return .file(try digest.finish(), byteCount: byteCount) } catch {
      throw .sealing(error, path: path)
    }
  }

  private static func create(
    _ name: [UInt8], _ head: SealedHead, in folder: borrowing Directory, _ path: [UInt8]
  ) throws(StoreError) -> FileDescriptor {
    do {
      let file = try folder.createFile(name, mode: 0o666)
      try file.write(head.bytes.span, at: 0)
      return file
    } catch {
      throw .system(error, path: path)
    }
  }

  private static func digest(_ head: SealedHead, _ path: [UInt8]) throws(StoreError) -> NoteDigest {
    do {
      return try NoteDigest(
        head: head.bytes.span, fileByteCount: UInt64(head.stream.geometry.fileByteCount))
    } catch {
      throw .sealing(error, path: path)
    }
  }

  /// The front of the new file: what the index says now, with chunks of the same size.
  private mutating func head(
    _ opened: borrowing OpenedNote, _ note: NoteInfo, as id: NoteID,
    keys: borrowing CompartmentKeys
  ) throws(StoreError) -> SealedHead {
    let old = opened.stream.head
    do throws(SealingError) {
      let fresh = try Fresh()
      let header: NoteHeader
      do {
        header = try NoteHeader(
          path: note.path, content: note.record, executable: note.isExecutable)
      } catch {
        throw .format(error)
      }
      let terms = SealedHeadTerms(
        noteID: id, salt: fresh.salt, baseNonce: fresh.nonce, headerNonce: fresh.secondNonce,
        chunkSizeLog2: old.chunkSizeLog2, laterKeys: old.laterKeys.carriedOver)
      return try worker.sealHead(header, terms: terms, keys: keys)
    } catch {
      throw .sealing(error, path: Layout.notePath(id))
    }
  }

  /// Seals the pieces that the reader has just opened, padding and all, into `sealed`, and their hashes into `hashes`.
  /// - Returns: where they belong in the file.
  private mutating func seal(
    _ chunks: Range<Int>, of stream: NoteStream, _ path: [UInt8]
  ) throws(StoreError) -> Int {
    let geometry = stream.geometry
    let first = geometry.fileRange(ofChunk: chunks.lowerBound).lowerBound
    let end = geometry.fileRange(ofChunk: chunks.upperBound - 1).upperBound
    let pieceCount =
      geometry.streamRange(ofChunk: chunks.upperBound - 1).upperBound
      - geometry.streamRange(ofChunk: chunks.lowerBound).lowerBound
    // Taken out and put back: the compiler sees no border between two stored properties here.
    var buffer: [UInt8] = []
    swap(&buffer, &sealed)
    if buffer.count != end - first { buffer = [UInt8](repeating: 0, count: end - first) }
    defer { sealed = buffer }
    hashes.removeAll(keepingCapacity: true)
    let run = ChunkRun(
      firstChunk: chunks.lowerBound, endsStream: chunks.upperBound == geometry.chunkCount)
    let pieces = reader.pieces
    var room = buffer.mutableSpan
    do {
      try worker.chunks.seal(
        pieces.span.extracting(0..<pieceCount), run, into: &room, hashes: &hashes)
    } catch {
      throw .sealing(error, path: path)
    }
    return first
  }
}
