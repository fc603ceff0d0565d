internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// Recognises sealed files by their content and opens every chunk that authenticates (spec §12.2). One per
/// worker; reads each place of a file a constant number of times, in constant memory.
struct SalvageReader: ~Copyable, Sendable {
  /// What a file turned out to be.
  enum Recognised: ~Copyable {
    case sealed(SalvageFile)
    /// A sound prefix of a compartment that no secret opened.
    case other(CompartmentID)
    /// Anything else, with what its first bytes are.
    case foreign(FormatError)
  }

  static let windowByteCount = 1 << 20

  private var worker: NoteWorker
  var hasher: ChunkHasher
  /// What is read counted from the front of a file, and from its end: each goes forward by itself.
  var front = RunBuffer()
  private var end = RunBuffer()
  private var piece: [UInt8] = []
  /// Where in the file the last chunk that opened lies.
  private var foundRange = 0..<0
  /// Whether the last chunk was found counted from the end.
  private var isFromEnd = false

  /// - Throws: `sealing` where the libraries give no memory.
  init() throws(StoreError) {
    do throws(SealingError) {
      let worker = try NoteWorker()
      let hasher = try ChunkHasher()
      self.worker = worker
      self.hasher = hasher
    } catch {
      throw .sealing(error, path: [])
    }
  }

  /// Looks at the front of a file.
  /// - Parameters:
  ///   - path: relative to the vault.
  ///   - named: the note id that the file's name says.
  /// - Throws: `system`, `sealing` where a library fails.
  mutating func recognise(
    _ file: consuming FileDescriptor, path: [UInt8], named: NoteID?,
    among compartments: [SalvageCompartment]
  ) throws(StoreError) -> Recognised {
    front.forget()
    end.forget()
    isFromEnd = false
    let byteCount: Int
    do {
      byteCount = Int(clamping: try file.status().byteCount)
      try front.fill(
        from: file, offset: 0, count: min(byteCount, SealedFileHead.maximumChunksOffset))
    } catch {
      throw .system(error, path: path)
    }
    let held = front
    let stored = Self.parse(held.bytes)
    for compartment in compartments {
      do {
        let head = try worker.salvageHead(
          held.bytes, named: named, keys: compartment.secret.keys)
        guard let head else { continue }
        return .sealed(
          SalvageFile(
            file: file, byteCount: byteCount, head: head, compartment: compartment, path: path))
      } catch {
        throw .sealing(error, path: path)
      }
    }
    switch stored {
    case .success(let head): return .other(head.compartment)
    case .failure(let error): return .foreign(error)
    }
  }

  private static func parse(_ bytes: Span<UInt8>) -> Result<SealedFileHead, FormatError> {
    do throws(FormatError) {
      if let damage = Recognition.damage(inFirst: bytes.extracting(first: Recognition.byteCount)) {
        throw damage
      }
      var reader = ByteReader(bytes)
      return .success(try SealedFileHead(parsing: &reader))
    } catch {
      return .failure(error)
    }
  }

  // MARK: - Settling how to read

  /// How the chunks of a file are to be read; nil where not one of them opens and the header does not either.
  mutating func settle(_ file: borrowing SalvageFile) throws(StoreError) -> SalvageReading? {
    let chunksEnd = file.byteCount
    var tags: [Int: [UInt8]] = [:]
    for geometry in file.readings(endTag: { _ in [] }).map(\.geometry) {
      let offset = chunksEnd - (geometry.fileByteCount - geometry.chunksOffset)
      tags[geometry.fileByteCount] = try tag(before: offset, of: file)
    }
    let readings = file.readings { tags[$0.fileByteCount] }
    if file.head.header != nil { return readings.first }
    for reading in readings {
      if try opensFinal(reading, of: file) { return checked(reading) }
    }
    // Without its last chunk a file says nothing about its length: what is listed is likelier then.
    for reading in readings.filter({ !$0.isMeasured }) + readings.filter(\.isMeasured) {
      try begin(reading, of: file)
      for chunk in 0..<reading.geometry.chunkCount {
        if try open(chunk, reading, of: file) != nil { return reading }
      }
    }
    return nil
  }

  private mutating func opensFinal(
    _ reading: SalvageReading, of file: borrowing SalvageFile
  ) throws(StoreError) -> Bool {
    try begin(reading, of: file)
    return try open(reading.geometry.chunkCount - 1, reading, of: file) != nil
  }

  /// A listed record is another version's where what should be padding is none. The last chunk has just been opened.
  private func checked(_ reading: SalvageReading) -> SalvageReading {
    if reading.header != nil || reading.record == nil { return reading }
    let last = reading.geometry.chunkCount - 1
    let payload = reading.payloadRange(ofChunk: last)
    let padding = piece.prefix(reading.geometry.lastChunkByteCount).dropFirst(payload.count)
    return padding.allSatisfy { $0 == 0 } ? reading : reading.withoutRecord
  }

  private mutating func tag(
    before offset: Int, of file: borrowing SalvageFile
  ) throws(StoreError) -> [UInt8]? {
    let start = offset - Limits.tagByteCount
    guard start >= 0, offset <= file.byteCount else { return nil }
    do { try end.fill(from: file.file, offset: start, count: Limits.tagByteCount) } catch {
      throw .system(error, path: file.path)
    }
    let held = end
    return held.count == Limits.tagByteCount ? Array(copying: held.bytes) : nil
  }

  // MARK: - Chunks

  mutating func begin(
    _ reading: SalvageReading, of file: borrowing SalvageFile
  ) throws(StoreError) {
    do {
      try worker.begin(
        file.head.head, headerTag: reading.tag, keys: file.compartment.secret.keys)
    } catch {
      throw .sealing(error, path: file.path)
    }
  }

  /// Passes on the plain text of each chunk in order, nothing for one that is lost: no chunk is empty.
  /// - Throws: `system`, `sealing` where a library fails, and what `body` throws.
  mutating func forEachChunk(
    _ reading: SalvageReading, of file: borrowing SalvageFile,
    _ body: (Int, Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) {
    try begin(reading, of: file)
    for chunk in 0..<reading.geometry.chunkCount {
      let count = try open(chunk, reading, of: file)
      let held = piece
      let demand = try body(chunk, held.span.extracting(0..<(count ?? 0)))
      if demand == .enough { return }
    }
  }

  /// Opens one chunk into `piece`, wherever it can lie.
  /// - Returns: its byte count; nil where it does not authenticate.
  mutating func open(
    _ chunk: Int, _ reading: SalvageReading, of file: borrowing SalvageFile
  ) throws(StoreError) -> Int? {
    let range = reading.geometry.fileRange(ofChunk: chunk)
    let isFinal = reading.geometry.isFinal(chunk)
    let shift = file.byteCount - reading.geometry.fileByteCount
    if reading.isMeasured || shift == 0 {
      if let count = try open(chunk, at: range, isFinal, of: file) { return count }
      // The file may have been cut at the end of a whole chunk.
      let isWhole = range.count == reading.geometry.chunkByteCount + Limits.tagByteCount
      guard reading.isMeasured, isFinal, isWhole else { return nil }
      return try open(chunk, at: range, false, of: file)
    }
    let moved = (range.lowerBound + shift)..<(range.upperBound + shift)
    for fromEnd in [isFromEnd, !isFromEnd] {
      if let count = try open(chunk, at: fromEnd ? moved : range, isFinal, of: file, fromEnd) {
        isFromEnd = fromEnd
        return count
      }
    }
    return nil
  }

  private mutating func open(
    _ chunk: Int, at range: Range<Int>, _ isFinal: Bool, of file: borrowing SalvageFile,
    _ fromEnd: Bool = false
  ) throws(StoreError) -> Int? {
    guard range.lowerBound >= 0, range.upperBound <= file.byteCount else { return nil }
    let held = try fill(range, of: file, fromEnd)
    guard held.count == range.count else { return nil }
    let count = range.count - Limits.tagByteCount
    // Taken out and put back: the compiler sees no border between two stored properties here.
    var piece = self.piece
    self.piece = []
    defer { self.piece = piece }
    if piece.count < count { piece = [UInt8](repeating: 0, count: count) }
    do throws(SealingError) {
      var room = piece.mutableSpan
      var part = room._mutatingExtracting(0..<count)
      try worker.chunks.open(
        held.bytes, ChunkRun(firstChunk: chunk, endsStream: isFinal), into: &part)
      foundRange = range
      return count
    } catch {
      if case .chunkNotAuthentic = error { return nil }
      throw .sealing(error, path: file.path)
    }
  }

  /// The bytes of the chunk that was opened last, with its tag.
  mutating func found(in file: borrowing SalvageFile) throws(StoreError) -> RunBuffer {
    try fill(foundRange, of: file, isFromEnd && end.holds(foundRange))
  }

  /// The bytes of a place; a window around it is read, because the next place follows.
  private mutating func fill(
    _ range: Range<Int>, of file: borrowing SalvageFile, _ fromEnd: Bool
  ) throws(StoreError) -> RunBuffer {
    let window = min(max(range.count, Self.windowByteCount), file.byteCount - range.lowerBound)
    do {
      if fromEnd {
        if !end.holds(range) {
          try end.fill(from: file.file, offset: range.lowerBound, count: window)
        }
        try end.fill(from: file.file, offset: range.lowerBound, count: range.count)
        return end
      }
      if !front.holds(range) {
        try front.fill(from: file.file, offset: range.lowerBound, count: window)
      }
      try front.fill(from: file.file, offset: range.lowerBound, count: range.count)
      return front
    } catch {
      throw .system(error, path: file.path)
    }
  }
}
