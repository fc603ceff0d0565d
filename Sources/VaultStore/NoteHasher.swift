package import VaultFormat
internal import VaultSealing

/// Computes digests of sealed files without a key (spec §6.3); one per worker.
package struct NoteHasher: ~Copyable, Sendable {
  private var hasher: ChunkHasher
  private var buffer = RunBuffer()

  /// - Throws: `crypto`.
  package init() throws(StoreError) {
    do { hasher = try ChunkHasher() } catch { throw .sealing(error, path: []) }
  }

  /// The state of a sealed file.
  /// - Parameter path: for errors, relative to the vault.
  /// - Throws: `damaged`, `system`; `noteNotAsListed` with `misnamed` when the file is another note than its name says.
  package mutating func state(
    of file: consuming FileDescriptor, note: NoteID, path: [UInt8]
  ) throws(StoreError) -> State {
    let reader = try open(file, note: note, path: path)
    var digest = try Self.begin(reader)
    for run in 0..<reader.runCount {
      let hashes = try hashes(ofRun: run, of: reader, path: path)
      do { try digest.append(hashes) } catch { throw .sealing(error, path: path) }
    }
    return try Self.finish(digest, reader)
  }

  /// Opens a file for `hashes(ofRun:)`.
  package mutating func open(
    _ file: consuming FileDescriptor, note: NoteID, path: [UInt8]
  ) throws(StoreError) -> SealedFileReader {
    buffer.forget()
    let reader = try SealedFileReader(file, path: path, scratch: &buffer)
    guard reader.head.noteID == note else { throw .noteNotAsListed(path: path, .misnamed) }
    return reader
  }

  /// The hashes of one run of chunks; several workers may each take some runs of one file.
  package mutating func hashes(
    ofRun run: Int, of reader: borrowing SealedFileReader, path: [UInt8]
  ) throws(StoreError) -> [Digest] {
    try reader.read(run: run, into: &buffer, path: path)
    var hashes: [Digest] = []
    do {
      // Borrowed as a whole, since the compiler sees no border between two stored properties here.
      let chunks = buffer
      try hasher.hash(
        chunks.bytes, chunkByteCount: reader.geometry.chunkByteCount + Limits.tagByteCount,
        into: &hashes)
    } catch {
      throw .sealing(error, path: path)
    }
    return hashes
  }

  static func begin(_ reader: borrowing SealedFileReader) throws(StoreError) -> NoteDigest {
    do {
      return try NoteDigest(
        head: reader.front.span, fileByteCount: UInt64(reader.geometry.fileByteCount))
    } catch {
      throw .sealing(error, path: [])
    }
  }

  static func finish(
    _ digest: consuming NoteDigest, _ reader: borrowing SealedFileReader
  ) throws(StoreError) -> State {
    do {
      return .file(try digest.finish(), byteCount: UInt64(reader.geometry.fileByteCount))
    } catch {
      throw .sealing(error, path: [])
    }
  }
}
