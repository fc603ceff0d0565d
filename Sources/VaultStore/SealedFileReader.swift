package import VaultFormat

/// Reads a sealed file front to back or by runs of whole chunks, in constant memory (spec §6).
package struct SealedFileReader: ~Copyable, Sendable {
  package let file: FileDescriptor
  package let head: SealedFileHead
  package let geometry: ChunkGeometry
  /// Everything before chunk 0: prefix, commitment and header box.
  package let front: [UInt8]

  /// Chunks are read in runs of about this many bytes.
  static let runByteCount = 1 << 20

  /// Takes over an open file and reads what stands before chunk 0.
  ///
  /// `scratch` receives the front of the file; it keeps all of a small one, so that no second read is needed.
  /// - Throws: `damaged` with what is wrong with the file; `system`.
  package init(
    _ file: consuming FileDescriptor, path: [UInt8], scratch: inout RunBuffer
  ) throws(StoreError) {
    let fileByteCount: Int
    do {
      fileByteCount = Int(clamping: try file.status().byteCount)
      try scratch.fill(from: file, offset: 0, count: min(fileByteCount, Self.runByteCount))
    } catch {
      throw .system(error, path: path)
    }
    let head: SealedFileHead
    let geometry: ChunkGeometry
    do throws(FormatError) {
      if let damage = Recognition.damage(
        inFirst: scratch.bytes.extracting(first: Recognition.byteCount))
      {
        throw damage
      }
      var reader = ByteReader(scratch.bytes)
      head = try SealedFileHead(parsing: &reader)
      geometry = try ChunkGeometry(fileByteCount: fileByteCount, head: head)
    } catch {
      throw .damaged(path: path, error)
    }
    self.head = head
    self.geometry = geometry
    front = Array(copying: scratch.bytes.extracting(first: head.chunksOffset))
    self.file = file
  }

  /// How many chunks one run holds.
  package var chunksPerRun: Int {
    max(1, Self.runByteCount / (geometry.chunkByteCount + Limits.tagByteCount))
  }

  package var runCount: Int { (geometry.chunkCount + chunksPerRun - 1) / chunksPerRun }

  /// The chunks of a run, counted from 0.
  package func chunks(ofRun run: Int) -> Range<Int> {
    let first = run * chunksPerRun
    return first..<min(first + chunksPerRun, geometry.chunkCount)
  }

  /// Reads a run's chunks with their tags; nothing is read again that the buffer holds already.
  /// - Throws: `failed`; `damaged` when the file has become shorter.
  package borrowing func read(
    run: Int, into buffer: inout RunBuffer, path: [UInt8]
  ) throws(StoreError) {
    let chunks = chunks(ofRun: run)
    let start = geometry.fileRange(ofChunk: chunks.lowerBound).lowerBound
    let end = geometry.fileRange(ofChunk: chunks.upperBound - 1).upperBound
    do {
      try buffer.fill(from: file, offset: start, count: end - start)
    } catch {
      throw .system(error, path: path)
    }
    if buffer.count != end - start {
      throw .damaged(
        path: path,
        .truncated(
          field: "chunk", offset: start, needed: end - start, available: buffer.count))
    }
  }
}

/// Bytes of one place in a file, in memory that is used again.
package struct RunBuffer: Sendable {
  private var storage: [UInt8] = []
  private var held: Range<Int> = 0..<0
  private var used: Range<Int> = 0..<0

  package init() {}

  package var count: Int { used.count }

  /// What the last `fill` gave.
  package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      storage.span.extracting(
        (used.lowerBound - held.lowerBound)..<(used.upperBound - held.lowerBound))
    }
  }

  /// Forgets what is held, before another file is read.
  package mutating func forget() {
    held = 0..<0
    used = 0..<0
  }

  /// Whether nothing has to be read for this place.
  func holds(_ place: Range<Int>) -> Bool {
    held.lowerBound <= place.lowerBound && place.upperBound <= held.upperBound
  }

  /// Holds `count` bytes from `offset`; fewer where the file ends before.
  package mutating func fill(
    from file: borrowing FileDescriptor, offset: Int, count: Int
  ) throws(SystemError) {
    let wanted = offset..<(offset + count)
    if holds(wanted) {
      used = wanted
      return
    }
    if storage.count < count { storage = [UInt8](repeating: 0, count: count) }
    var target = storage.mutableSpan
    var part = target._mutatingExtracting(0..<count)
    let read = try file.read(into: &part, at: UInt64(offset))
    held = offset..<(offset + read)
    used = held
  }
}
