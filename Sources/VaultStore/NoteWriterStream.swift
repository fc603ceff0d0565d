package import VaultFormat
package import VaultSealing

/// Files too large to be held: read, compressed, sealed and written in runs of about 1 MiB.
extension NoteWriter {
  /// Plain text that is sealed at a time: whole chunks.
  static let runByteCount = 1 << 20

  /// Seals a file of any size in constant memory.
  ///
  /// A content that is stored as it is can be sealed by all of the team. One that is worth compressing is read twice,
  /// because its payload's byte count is sealed before its chunks.
  /// - Parameter policy: `never` also for a file that was found not to be worth it.
  /// - Throws: `source` when the file cannot be read or never keeps still; `store`, with `interrupted`.
  package mutating func writeLarge(
    _ item: PackPlanner.Item, from source: inout NoteWriterSource, as note: NoteID?,
    path: [UInt8], older: ContentRecord?, keys: borrowing CompartmentKeys,
    into folder: borrowing Directory, policy: CompressionPolicy, team: NoteWriterTeam,
    watch: PackWatch
  ) throws(NoteWriterFailure) -> SealedNote {
    let id: NoteID
    do throws(SealingError) { id = if let note { note } else { try Fresh().id } } catch {
      throw .store(.sealing(error, path: item.path))
    }
    let name = FileNameHex.name(of: id)
    for _ in 0..<NoteWriterSource.attempts {
      let opened = try source.openLarge(item)
      let status = opened.status
      let facts = try source.facts(of: opened.file, status, item.path, policy: policy, watch)
      guard let facts else { continue }
      let (record, head) = try front(facts, as: id, path: path, older: older, keys: keys)
      let target = try Self.create(name, in: folder)
      try Self.write(head.bytes.span, to: target, at: 0, Layout.notePath(id))
      let shared = NoteWriterShared(
        opened.intoFile(), to: target, as: head.stream, sourcePath: item.path,
        notePath: Layout.notePath(id))
      let hashes =
        switch facts.compression {
        case .none: try sealTogether(shared, team, keys: keys, watch: watch)
        case .zstd: try sealCompressed(shared, facts, &source.compressor, keys: keys, watch: watch)
        }
      source.afterReading(item.path)
      if let hashes, try source.status(of: shared.source, item.path) == status {
        return SealedNote(
          id: id, digest: try Self.digest(of: head, hashes, id),
          byteCount: UInt64(head.stream.geometry.fileByteCount), record: record, status: status)
      }
      do { try folder.unlink(name) } catch {
        throw .store(.system(error, path: Layout.path(Layout.staging, name)))
      }
    }
    throw .source(.changedWhileRead)
  }

  private func sealFailure(_ error: SealingError, _ id: NoteID) -> NoteWriterFailure {
    .store(.sealing(error, path: Layout.notePath(id)))
  }

  private mutating func front(
    _ facts: NoteWriterFacts, as id: NoteID, path: [UInt8], older: ContentRecord?,
    keys: borrowing CompartmentKeys
  ) throws(NoteWriterFailure) -> (ContentRecord, SealedHead) {
    do throws(SealingError) {
      return try sealHead(facts, as: id, try Fresh(), path: path, older: older, keys: keys)
    } catch {
      throw sealFailure(error, id)
    }
  }

  private static func create(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(NoteWriterFailure) -> FileDescriptor {
    do { return try folder.createFile(name, mode: 0o666) } catch {
      throw .store(.system(error, path: Layout.path(Layout.staging, name)))
    }
  }

  private static func digest(
    of head: SealedHead, _ hashes: [[Digest]], _ id: NoteID
  ) throws(NoteWriterFailure) -> Digest {
    do throws(SealingError) {
      var digest = try NoteDigest(
        head: head.bytes.span, fileByteCount: UInt64(head.stream.geometry.fileByteCount))
      for run in hashes { try digest.append(run) }
      return try digest.finish()
    } catch {
      throw .store(.sealing(error, path: Layout.notePath(id)))
    }
  }

  // MARK: - Runs

  /// The hashes of all runs; nil where the file turned out to have other bytes than before.
  private mutating func sealTogether(
    _ shared: NoteWriterShared, _ team: NoteWriterTeam, keys: borrowing CompartmentKeys,
    watch: PackWatch
  ) throws(NoteWriterFailure) -> [[Digest]]? {
    team.publish(shared)
    defer { team.retire(shared) }
    work(on: shared, keys: keys, watch: watch)
    return try shared.wait()
  }

  /// The same for a frame, which has an order of its own.
  private mutating func sealCompressed(
    _ shared: NoteWriterShared, _ facts: NoteWriterFacts, _ compressor: inout ZstdCompressor,
    keys: borrowing CompartmentKeys, watch: PackWatch
  ) throws(NoteWriterFailure) -> [[Digest]]? {
    do { try worker.begin(shared.stream, keys: keys) } catch {
      throw .store(.sealing(error, path: shared.notePath))
    }
    var frame = NoteWriterFrame(contentByteCount: facts.contentByteCount)
    let geometry = shared.stream.geometry
    var left = facts.payloadByteCount
    var done: [[Digest]] = []
    for first in stride(from: 0, to: geometry.chunkCount, by: NoteWriterShared.chunksPerRun) {
      guard !watch.isInterrupted() else { throw .store(.interrupted) }
      let last = min(first + NoteWriterShared.chunksPerRun, geometry.chunkCount) - 1
      let count =
        geometry.streamRange(ofChunk: last).upperBound
        - geometry.streamRange(ofChunk: first).lowerBound
      let wanted = Int(min(left, UInt64(count)))
      var pieces = takePieces()
      defer { self.pieces = pieces }
      var bytes = pieces.mutableSpan
      var room = bytes._mutatingExtracting(0..<wanted)
      let filled = try frame.fill(
        &room, from: shared.source, path: shared.sourcePath, compressingWith: &compressor)
      guard filled == wanted else { return nil }
      for index in wanted..<count { bytes[index] = 0 }
      left -= UInt64(wanted)
      let run = ChunkRun(firstChunk: first, endsStream: last == geometry.chunkCount - 1)
      do { try sealRun(pieces.span.extracting(0..<count), run) } catch {
        throw .store(.sealing(error, path: shared.notePath))
      }
      try writeRun(first...last, geometry, to: shared.target, shared.notePath)
      done.append(hashes)
      watch.didHandle(wanted)
    }
    let isAtEnd = try frame.isAtEnd(shared.source, shared.sourcePath, &compressor)
    return isAtEnd ? done : nil
  }

  /// The buffer for the plain text of a run; who takes it puts it back.
  mutating func takePieces() -> [UInt8] {
    var pieces: [UInt8] = []
    swap(&pieces, &self.pieces)
    return pieces.isEmpty ? [UInt8](repeating: 0, count: Self.runByteCount) : pieces
  }

  /// Seals a run of chunks into the front of `sealed`, and its hashes into `hashes`.
  mutating func sealRun(_ pieces: Span<UInt8>, _ run: ChunkRun) throws(SealingError) {
    let chunk = 1 << Int(Limits.usualChunkSizeLog2)
    let count = pieces.count + (pieces.count + chunk - 1) / chunk * Limits.tagByteCount
    var buffer = takeBuffer(count)
    defer { sealed = buffer }
    hashes.removeAll(keepingCapacity: true)
    var bytes = buffer.mutableSpan
    var chunks = bytes._mutatingExtracting(0..<count)
    try worker.chunks.seal(pieces, run, into: &chunks, hashes: &hashes)
  }

  /// Writes the run that was sealed last to its place in the file.
  func writeRun(
    _ chunks: ClosedRange<Int>, _ geometry: ChunkGeometry, to target: borrowing FileDescriptor,
    _ notePath: [UInt8]
  ) throws(NoteWriterFailure) {
    let start = geometry.fileRange(ofChunk: chunks.lowerBound).lowerBound
    let end = geometry.fileRange(ofChunk: chunks.upperBound).upperBound
    try Self.write(sealed.span.extracting(0..<(end - start)), to: target, at: start, notePath)
  }

  private static func write(
    _ bytes: Span<UInt8>, to target: borrowing FileDescriptor, at offset: Int, _ path: [UInt8]
  ) throws(NoteWriterFailure) {
    do { try target.write(bytes, at: UInt64(offset)) } catch {
      throw .store(.system(error, path: path))
    }
  }
}
