internal import VaultFormat
internal import VaultSealing

/// What has to be known of a large file before it is sealed.
extension NoteWriterSource {
  /// A file that is open, and what it was then.
  struct Opened: ~Copyable {
    let file: FileDescriptor
    let status: FileStatus

    consuming func intoFile() -> FileDescriptor { file }
  }

  mutating func openLarge(_ item: PackPlanner.Item) throws(NoteWriterFailure) -> Opened {
    do {
      let file = try root.openFile(item.path)
      let status = try file.status()
      return Opened(file: file, status: status)
    } catch {
      throw NoteWriterFailure(reading: error, item.path)
    }
  }

  func status(
    of file: borrowing FileDescriptor, _ path: [UInt8]
  ) throws(NoteWriterFailure) -> FileStatus {
    do { return try file.status() } catch { throw NoteWriterFailure(reading: error, path) }
  }

  /// Whether the front of a large file shows that compressing it is not worth while.
  mutating func isIncompressible(_ item: PackPlanner.Item) throws(NoteWriterFailure) -> Bool {
    guard policy == .automatic else { return false }
    let opened = try openLarge(item)
    return try isFrontWorthwhile(opened.file, opened.status.byteCount, item.path) == false
  }

  /// Decides on compression; nil where the file became shorter meanwhile.
  /// - Parameter policy: `never` for a file that was found not to be worth it.
  mutating func facts(
    of file: borrowing FileDescriptor, _ status: FileStatus, _ path: [UInt8],
    policy: CompressionPolicy, _ watch: PackWatch
  ) throws(NoteWriterFailure) -> NoteWriterFacts? {
    let created: FileTime?
    do { created = try file.birthTime() } catch { throw NoteWriterFailure(reading: error, path) }
    var payloadByteCount = status.byteCount
    var compression = Compression.none
    if policy == .automatic {
      guard let isWorthwhile = try isFrontWorthwhile(file, status.byteCount, path) else {
        return nil
      }
      if isWorthwhile {
        guard let count = try frameByteCount(of: file, status.byteCount, path, watch) else {
          return nil
        }
        let maximum = CompressionChoice.frameByteCountMaximum(
          contentByteCount: Int(clamping: status.byteCount))
        if count <= UInt64(maximum) { (payloadByteCount, compression) = (count, .zstd) }
      }
    }
    return NoteWriterFacts(
      type: .file, status: status, created: created, contentByteCount: status.byteCount,
      payloadByteCount: payloadByteCount, compression: compression)
  }

  private mutating func isFrontWorthwhile(
    _ file: borrowing FileDescriptor, _ byteCount: UInt64, _ path: [UInt8]
  ) throws(NoteWriterFailure) -> Bool? {
    let wanted = Int(min(UInt64(CompressionChoice.probeByteCount), byteCount))
    var front = [UInt8](repeating: 0, count: wanted)
    var room = front.mutableSpan
    do {
      guard try file.read(into: &room, at: 0) == wanted else { return nil }
    } catch {
      throw NoteWriterFailure(reading: error, path)
    }
    do { return try isWorthwhile(front.span) } catch {
      throw .store(.sealing(.zstd(error), path: path))
    }
  }

  /// Compresses everything once, for the byte count alone.
  private mutating func frameByteCount(
    of file: borrowing FileDescriptor, _ byteCount: UInt64, _ path: [UInt8], _ watch: PackWatch
  ) throws(NoteWriterFailure) -> UInt64? {
    var frame = NoteWriterFrame(contentByteCount: byteCount)
    var scratch = [UInt8](repeating: 0, count: NoteWriter.runByteCount)
    var total: UInt64 = 0
    while true {
      guard !watch.isInterrupted() else { throw .store(.interrupted) }
      var room = scratch.mutableSpan
      let filled = try frame.fill(
        &room, from: file, path: path, compressingWith: &compressor)
      guard let filled else { return nil }
      total += UInt64(filled)
      if filled < scratch.count { return total }
    }
  }
}
