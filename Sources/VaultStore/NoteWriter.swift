package import VaultFormat
package import VaultSealing

/// Seals notes into the folder of a run; one per worker (spec §6).
package struct NoteWriter: ~Copyable, Sendable {
  var worker: NoteWorker
  var hashes: [Digest] = []
  /// The sealed bytes on their way to the disk; grows to the largest note held whole.
  var sealed: [UInt8] = []
  /// The plain text of a run of a large file.
  var pieces: [UInt8] = []

  /// - Throws: `sealing`.
  package init() throws(StoreError) {
    do { worker = try NoteWorker() } catch { throw .sealing(error, path: []) }
  }

  /// Seals a content that was read whole, as a new file.
  ///
  /// - Parameters:
  ///   - id: of the note that gets a new content; nil for a new note.
  ///   - path: where the note belongs, for its header.
  ///   - older: the record of the note before.
  /// - Throws: `sealing`, `system`.
  package mutating func write(
    _ content: NoteWriterContent, as note: NoteID?, path: [UInt8], older: ContentRecord?,
    keys: borrowing CompartmentKeys, into folder: borrowing Directory
  ) throws(StoreError) -> SealedNote {
    let note = try seal(content, as: note, path: path, older: older, keys: keys)
    do {
      let file = try folder.createFile(FileNameHex.name(of: note.id), mode: 0o666)
      try file.write(sealed.span.extracting(0..<Int(note.byteCount)), at: 0)
      try file.close()
    } catch {
      throw .system(error, path: Layout.notePath(note.id))
    }
    return note
  }

  /// The same without a file: its bytes are the first of `sealed`.
  /// - Parameter laterKeys: for the public map.
  mutating func seal(
    _ content: NoteWriterContent, as note: NoteID?, path: [UInt8], older: ContentRecord?,
    keys: borrowing CompartmentKeys, laterKeys: LaterKeys = LaterKeys()
  ) throws(StoreError) -> SealedNote {
    let fresh: Fresh
    do { fresh = try Fresh() } catch { throw .sealing(error, path: []) }
    let id = note ?? fresh.id
    let notePath = Layout.notePath(id)
    let record: ContentRecord
    let digest: Digest
    let byteCount: Int
    do throws(SealingError) {
      let head: SealedHead
      (record, head) = try sealHead(
        content.facts, as: id, fresh, path: path, older: older, keys: keys, laterKeys: laterKeys)
      byteCount = head.stream.geometry.fileByteCount
      // Taken out, so that it can be written to while the worker works.
      var buffer = takeBuffer(byteCount)
      defer { sealed = buffer }
      var file = buffer.mutableSpan
      for index in head.bytes.indices { file[index] = head.bytes[index] }
      var chunks = file._mutatingExtracting(head.bytes.count..<byteCount)
      hashes.removeAll(keepingCapacity: true)
      try worker.begin(head.stream, keys: keys)
      try worker.chunks.seal(
        content.stream.span, ChunkRun(firstChunk: 0, endsStream: true), into: &chunks,
        hashes: &hashes)
      var noteDigest = try NoteDigest(head: head.bytes.span, fileByteCount: UInt64(byteCount))
      try noteDigest.append(hashes)
      digest = try noteDigest.finish()
    } catch {
      throw .sealing(error, path: notePath)
    }
    return SealedNote(
      id: id, digest: digest, byteCount: UInt64(byteCount), record: record,
      status: content.facts.status)
  }

  /// The buffer for sealed bytes with at least so many; who takes it puts it back.
  mutating func takeBuffer(_ byteCount: Int) -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &sealed)
    return buffer.count < byteCount ? [UInt8](repeating: 0, count: byteCount) : buffer
  }

  /// Makes the front of a sealed file from fresh randomness.
  mutating func sealHead(
    _ facts: NoteWriterFacts, as id: NoteID, _ fresh: Fresh, path: [UInt8], older: ContentRecord?,
    keys: borrowing CompartmentKeys, laterKeys: LaterKeys = LaterKeys()
  ) throws(SealingError) -> (ContentRecord, SealedHead) {
    let record: ContentRecord
    let header: NoteHeader
    do {
      record = try facts.record(path: path, older: older)
      header = try NoteHeader(
        path: path, content: record,
        executable: facts.type == .file && facts.status.isExecutable)
    } catch {
      throw .format(error)
    }
    let terms = SealedHeadTerms(
      noteID: id, salt: fresh.salt, baseNonce: fresh.nonce, headerNonce: fresh.secondNonce,
      chunkSizeLog2: Limits.usualChunkSizeLog2, laterKeys: laterKeys)
    return (record, try worker.sealHead(header, terms: terms, keys: keys))
  }
}
