internal import VaultFormat
internal import VaultSealing

/// What is known of a file before anything is written.
struct SalvageExamined: Sendable {
  /// How to read it; nil where nothing of it opens.
  let reading: SalvageReading?
  /// Of a whole file the state as it was sealed; else one that equal bytes share.
  let state: State
  /// Whether header and every chunk are there; damage of the front that could be undone does not count.
  let isWhole: Bool
  /// Whether anything of the content can be brought back, or there is none.
  let hasContent: Bool
}

extension SalvageReader {
  /// Finds out what of a file is authentic. A file that the index lists need not be decrypted for that.
  mutating func examine(_ file: borrowing SalvageFile) throws(StoreError) -> SalvageExamined {
    let reading = try settle(file)
    let state = try state(of: file, reading)
    guard let reading else {
      return SalvageExamined(reading: nil, state: state, isWhole: false, hasContent: false)
    }
    if reading.header != nil, file.byteCount == reading.geometry.fileByteCount,
      file.compartment.isListed(file.head.head.noteID, state)
    {
      return SalvageExamined(reading: reading, state: state, isWhole: true, hasContent: true)
    }
    let sealed = try mendedState(of: file, reading)
    if let sealed = sealed.state, reading.header != nil {
      return SalvageExamined(reading: reading, state: sealed, isWhole: true, hasContent: true)
    }
    return SalvageExamined(
      reading: reading, state: state, isWhole: false,
      hasContent: sealed.opensAny || reading.payloadByteCount == 0)
  }

  /// The state that the file had if all its chunks are there, wherever they lie now.
  private mutating func mendedState(
    of file: borrowing SalvageFile, _ reading: SalvageReading
  ) throws(StoreError) -> (state: State?, opensAny: Bool) {
    try begin(reading, of: file)
    var opensAny = false
    var isWhole = true
    let front = reading.front
    let stored = reading.geometry.chunkByteCount + Limits.tagByteCount
    do {
      var digest = try NoteDigest(
        head: front.span, fileByteCount: UInt64(reading.geometry.fileByteCount))
      var hashes: [Digest] = []
      for chunk in 0..<reading.geometry.chunkCount {
        if try open(chunk, reading, of: file) == nil {
          isWhole = false
        } else {
          opensAny = true
          if isWhole {
            let held = try found(in: file)
            hashes.removeAll(keepingCapacity: true)
            try hasher.hash(held.bytes, chunkByteCount: stored, into: &hashes)
            try digest.append(hashes)
          }
        }
        if !isWhole, opensAny { return (nil, true) }
      }
      guard isWhole else { return (nil, opensAny) }
      let byteCount = UInt64(reading.geometry.fileByteCount)
      return (.file(try digest.finish(), byteCount: byteCount), true)
    } catch let error as SealingError {
      throw .sealing(error, path: file.path)
    } catch {
      throw error as? StoreError ?? .changedMeanwhile
    }
  }

  /// The state of a file as it lies there, but with its front mended as far as it can be.
  private mutating func state(
    of file: borrowing SalvageFile, _ reading: SalvageReading?
  ) throws(StoreError) -> State {
    let stored = file.head.head.chunkByteCount + Limits.tagByteCount
    let windowByteCount = max(1, Self.windowByteCount / stored) * stored
    let start = reading?.front ?? file.head.front
    do {
      var digest = try NoteDigest(head: start.span, fileByteCount: UInt64(file.byteCount))
      var offset = file.head.head.chunksOffset
      var hashes: [Digest] = []
      while offset < file.byteCount {
        let count = min(windowByteCount, file.byteCount - offset)
        try front.fill(from: file.file, offset: offset, count: count)
        let held = front
        guard held.count == count else { throw StoreError.changedMeanwhile }
        hashes.removeAll(keepingCapacity: true)
        try hasher.hash(held.bytes, chunkByteCount: stored, into: &hashes)
        try digest.append(hashes)
        offset += count
      }
      return .file(try digest.finish(), byteCount: UInt64(file.byteCount))
    } catch let error as SystemError {
      throw .system(error, path: file.path)
    } catch let error as SealingError {
      throw .sealing(error, path: file.path)
    } catch {
      throw error as? StoreError ?? .changedMeanwhile
    }
  }
}
