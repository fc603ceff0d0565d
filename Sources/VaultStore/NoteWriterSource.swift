internal import VaultFormat
internal import VaultSealing

/// Whether contents are compressed where that helps.
package enum CompressionPolicy: Sendable {
  case automatic
  case never
}

/// Reads source files and compresses them; needs no key. One per worker.
package struct NoteWriterSource: ~Copyable, Sendable {
  /// Files of more bytes are never held whole.
  static let wholeByteCount = 1 << 20
  /// How often a file that changes meanwhile is read.
  static let attempts = 4
  /// Measured on notes: higher levels cost more time than they save bytes.
  static let compressionLevel: Int32 = 3

  var root: SourceRoot
  var compressor: ZstdCompressor
  let policy: CompressionPolicy
  /// Called after a file was read and before it is looked at again; tests change the file there.
  let afterReading: @Sendable ([UInt8]) -> Void
  private var frame = [UInt8](repeating: 0, count: CompressionChoice.probeByteCount)

  /// - Throws: `system`, `sealing`.
  package init(
    _ source: SourceFolder, policy: CompressionPolicy,
    afterReading: @escaping @Sendable ([UInt8]) -> Void = { _ in }
  ) throws(StoreError) {
    let compressor: ZstdCompressor
    do { compressor = try ZstdCompressor(level: Self.compressionLevel) } catch {
      throw .sealing(.zstd(error), path: [])
    }
    do { root = try SourceRoot(source.root) } catch { throw .system(error, path: source.path) }
    self.compressor = compressor
    self.policy = policy
    self.afterReading = afterReading
  }

  /// Reads a file, link or folder whole; nil for a file that is too large for that.
  ///
  /// A file that is different after the reading is read again; its status proves that content and times belong together.
  /// - Throws: `source` when it cannot be read or never keeps still.
  package mutating func content(
    of item: PackPlanner.Item
  ) throws(NoteWriterFailure) -> NoteWriterContent? {
    var status = item.status
    for _ in 0..<Self.attempts {
      if item.type == .file, status.byteCount > UInt64(Self.wholeByteCount) { return nil }
      if let content = try read(item, status) { return content }
      status = try currentStatus(of: item)
    }
    throw .source(.changedWhileRead)
  }

  private mutating func currentStatus(
    of item: PackPlanner.Item
  ) throws(NoteWriterFailure) -> FileStatus {
    do {
      if let status = try root.status(of: item.path), status.kind == item.status.kind {
        return status
      }
    } catch {
      throw NoteWriterFailure(reading: error, item.path)
    }
    throw .source(.vanished)
  }

  /// Reads once; nil where the status afterwards is another than `status`.
  private mutating func read(
    _ item: PackPlanner.Item, _ status: FileStatus
  ) throws(NoteWriterFailure) -> NoteWriterContent? {
    do {
      switch item.type {
      case .file:
        return try readFile(item.path, status)
      case .link:
        let target = try root.readLink(item.path)
        afterReading(item.path)
        guard try root.status(of: item.path) == status,
          Limits.linkTargetByteCount.contains(UInt64(target.count))
        else { return nil }
        return Self.plain(.link, status, try root.birthTime(of: item.path), target)
      case .folder:
        return Self.plain(.folder, status, try root.birthTime(of: item.path), [])
      }
    } catch let error as SystemError {
      throw NoteWriterFailure(reading: error, item.path)
    } catch let error as ZstdFailure {
      throw .store(.sealing(.zstd(error), path: item.path))
    } catch {
      throw .source(.vanished)
    }
  }

  private mutating func readFile(
    _ path: [UInt8], _ status: FileStatus
  ) throws -> NoteWriterContent? {
    let count = Int(status.byteCount)
    var content = [UInt8](repeating: 0, count: Self.paddedByteCount(count))
    let file = try root.openFile(path)
    var bytes = content.mutableSpan
    var room = bytes._mutatingExtracting(0..<count)
    let read = try file.read(into: &room, at: 0)
    afterReading(path)
    guard try file.status() == status, read == count else { return nil }
    let created = try file.birthTime()
    if let compressed = try compress(content.span.extracting(0..<count), status, created) {
      return compressed
    }
    let facts = NoteWriterFacts(
      type: .file, status: status, created: created, contentByteCount: status.byteCount,
      payloadByteCount: status.byteCount, compression: .none)
    return NoteWriterContent(facts: facts, stream: content)
  }

  /// The content as a frame, where that is worth it (spec §6.2).
  private mutating func compress(
    _ content: Span<UInt8>, _ status: FileStatus, _ created: FileTime?
  ) throws(ZstdFailure) -> NoteWriterContent? {
    let maximum = CompressionChoice.frameByteCountMaximum(contentByteCount: content.count)
    guard policy == .automatic, maximum > 0 else { return nil }
    if content.count > CompressionChoice.probeByteCount {
      let front = content.extracting(first: CompressionChoice.probeByteCount)
      guard try isWorthwhile(front) else { return nil }
    }
    // Taken out, so that it can be written to while the compressor works.
    var frame = takeFrame(maximum)
    defer { self.frame = frame }
    var frameBytes = frame.mutableSpan
    var room = frameBytes._mutatingExtracting(0..<maximum)
    guard let count = try compressor.compress(content, into: &room) else { return nil }
    let padded = Self.paddedByteCount(count)
    var stream: [UInt8] = []
    stream.reserveCapacity(padded)
    stream.append(contentsOf: frame[0..<count])
    stream.append(contentsOf: repeatElement(0, count: padded - count))
    let facts = NoteWriterFacts(
      type: .file, status: status, created: created, contentByteCount: UInt64(content.count),
      payloadByteCount: UInt64(count), compression: .zstd)
    return NoteWriterContent(facts: facts, stream: stream)
  }

  /// Whether the front of a content compresses well.
  mutating func isWorthwhile(_ front: Span<UInt8>) throws(ZstdFailure) -> Bool {
    var frame = takeFrame(CompressionChoice.probeByteCount)
    defer { self.frame = frame }
    var scratch = frame.mutableSpan
    return try CompressionChoice.isWorthwhile(front, trying: &compressor, scratch: &scratch)
  }

  /// The buffer for frames with at least so many bytes; who takes it puts it back.
  private mutating func takeFrame(_ byteCount: Int) -> [UInt8] {
    var frame: [UInt8] = []
    swap(&frame, &self.frame)
    return frame.count < byteCount ? [UInt8](repeating: 0, count: Self.wholeByteCount) : frame
  }

  private static func plain(
    _ type: ContentType, _ status: FileStatus, _ created: FileTime?, _ content: [UInt8]
  ) -> NoteWriterContent {
    let count = UInt64(content.count)
    let padding = repeatElement(UInt8(0), count: paddedByteCount(content.count) - content.count)
    return NoteWriterContent(
      facts: NoteWriterFacts(
        type: type, status: status, created: created, contentByteCount: count,
        payloadByteCount: count, compression: .none),
      stream: content + padding)
  }

  static func paddedByteCount(_ payloadByteCount: Int) -> Int {
    Int(Padme.padded(max(UInt64(payloadByteCount), Limits.streamFloor)))
  }
}
