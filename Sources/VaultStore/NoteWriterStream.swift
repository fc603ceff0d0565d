package import VaultFormat
package import VaultSealing

/// Files too large to be held: read, compressed, sealed and written in runs of about 1 MiB.
extension NoteWriter {
  /// Plain text that is sealed at a time: whole chunks.
  static let runByteCount = 1 << 20

  /// Seals a file of any size in constant memory.
  ///
  /// A content that is worth compressing is read twice, because its payload's byte count is sealed before its chunks.
  /// - Throws: `source` when the file cannot be read or never keeps still; `store`, with `interrupted`.
  package mutating func writeLarge(
    _ item: PackPlanner.Item, from source: inout NoteWriterSource, as note: NoteID?,
    path: [UInt8], older: ContentRecord?, keys: borrowing CompartmentKeys,
    into folder: borrowing Directory, watch: PackWatch
  ) throws(NoteWriterFailure) -> SealedNote {
    let id: NoteID
    do throws(SealingError) { id = if let note { note } else { try Fresh().id } } catch {
      throw .store(.sealing(error, path: item.path))
    }
    for _ in 0..<NoteWriterSource.attempts {
      let opened = try source.openLarge(item)
      guard let facts = try source.facts(of: opened.file, opened.status, item.path, watch) else {
        continue
      }
      let name = FileNameHex.name(of: id)
      let sealed = try writeRuns(
        opened.file, facts, from: &source, as: id, item.path, path: path, older: older, keys: keys,
        to: try Self.create(name, in: folder), watch: watch)
      source.afterReading(item.path)
      if let sealed, try source.status(of: opened.file, item.path) == opened.status {
        return sealed
      }
      do { try folder.unlink(name) } catch {
        throw .store(.system(error, path: Layout.path(Layout.staging, name)))
      }
    }
    throw .source(.changedWhileRead)
  }

  private static func create(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(NoteWriterFailure) -> FileDescriptor {
    do { return try folder.createFile(name, mode: 0o666) } catch {
      throw .store(.system(error, path: Layout.path(Layout.staging, name)))
    }
  }

  /// Writes everything once; nil where the file turned out to have other bytes than before.
  private mutating func writeRuns(
    _ file: borrowing FileDescriptor, _ facts: NoteWriterFacts,
    from source: inout NoteWriterSource, as id: NoteID, _ sourcePath: [UInt8], path: [UInt8],
    older: ContentRecord?, keys: borrowing CompartmentKeys, to target: consuming FileDescriptor,
    watch: PackWatch
  ) throws(NoteWriterFailure) -> SealedNote? {
    let record: ContentRecord
    let head: SealedHead
    do throws(SealingError) {
      (record, head) = try sealHead(
        facts, as: id, try Fresh(), path: path, older: older, keys: keys)
      try worker.begin(head.stream, keys: keys)
    } catch {
      throw .store(.sealing(error, path: Layout.notePath(id)))
    }
    var digest = try Self.digest(of: head, id)
    try Self.write(head.bytes.span, to: target, at: 0, id)
    let geometry = head.stream.geometry
    var payload = NoteWriterPayload(
      facts.compression, contentByteCount: facts.contentByteCount)
    var left = facts.payloadByteCount
    var pieces = [UInt8](repeating: 0, count: Self.runByteCount)
    let step = Self.runByteCount / geometry.chunkByteCount
    for first in stride(from: 0, to: geometry.chunkCount, by: step) {
      guard !watch.isInterrupted() else { throw .store(.interrupted) }
      let last = min(first + step, geometry.chunkCount) - 1
      let count = geometry.streamRange(ofChunk: last).upperBound - first * geometry.chunkByteCount
      let wanted = Int(min(left, UInt64(count)))
      guard
        try fill(
          &pieces, wanted, paddedTo: count, &payload, from: file, sourcePath, &source.compressor)
      else { return nil }
      left -= UInt64(wanted)
      try sealRun(
        pieces.span.extracting(0..<count),
        ChunkRun(firstChunk: first, endsStream: last == geometry.chunkCount - 1), id, &digest)
      let end = geometry.fileRange(ofChunk: last).upperBound
      let start = geometry.fileRange(ofChunk: first).lowerBound
      try Self.write(sealed.span.extracting(0..<(end - start)), to: target, at: start, id)
      watch.didHandle(wanted)
    }
    guard try payload.isAtEnd(file, sourcePath, &source.compressor) else { return nil }
    do {
      try target.close()
    } catch {
      throw .store(.system(error, path: Layout.notePath(id)))
    }
    do {
      return SealedNote(
        id: id, digest: try digest.finish(), byteCount: UInt64(geometry.fileByteCount),
        record: record, status: facts.status)
    } catch {
      throw .store(.sealing(error, path: Layout.notePath(id)))
    }
  }

  private static func digest(
    of head: SealedHead, _ id: NoteID
  ) throws(NoteWriterFailure) -> NoteDigest {
    do {
      return try NoteDigest(
        head: head.bytes.span, fileByteCount: UInt64(head.stream.geometry.fileByteCount))
    } catch {
      throw .store(.sealing(error, path: Layout.notePath(id)))
    }
  }

  /// Fills the front of `pieces` with payload and zeros; false where there is less payload than there was.
  private func fill(
    _ pieces: inout [UInt8], _ wanted: Int, paddedTo count: Int,
    _ payload: inout NoteWriterPayload, from file: borrowing FileDescriptor, _ path: [UInt8],
    _ compressor: inout ZstdCompressor
  ) throws(NoteWriterFailure) -> Bool {
    var bytes = pieces.mutableSpan
    var room = bytes._mutatingExtracting(0..<wanted)
    let filled = try payload.fill(
      &room, from: file, path: path, compressingWith: &compressor)
    guard filled == wanted else { return false }
    for index in wanted..<count { bytes[index] = 0 }
    return true
  }

  /// Seals a run of chunks into the front of `sealed`.
  private mutating func sealRun(
    _ pieces: Span<UInt8>, _ run: ChunkRun, _ id: NoteID, _ digest: inout NoteDigest
  ) throws(NoteWriterFailure) {
    let chunk = 1 << Int(Limits.usualChunkSizeLog2)
    let count = pieces.count + (pieces.count + chunk - 1) / chunk * Limits.tagByteCount
    var buffer = takeBuffer(count)
    defer { sealed = buffer }
    hashes.removeAll(keepingCapacity: true)
    do throws(SealingError) {
      var bytes = buffer.mutableSpan
      var chunks = bytes._mutatingExtracting(0..<count)
      try worker.chunks.seal(pieces, run, into: &chunks, hashes: &hashes)
      try digest.append(hashes)
    } catch {
      throw .store(.sealing(error, path: Layout.notePath(id)))
    }
  }

  private static func write(
    _ bytes: Span<UInt8>, to target: borrowing FileDescriptor, at offset: Int, _ id: NoteID
  ) throws(NoteWriterFailure) {
    do { try target.write(bytes, at: UInt64(offset)) } catch {
      throw .store(.system(error, path: Layout.notePath(id)))
    }
  }
}
