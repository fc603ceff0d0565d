internal import VaultFormat
internal import VaultSealing

/// The zstd frame over a large file, from front to back (spec §6.2).
struct NoteWriterFrame: ~Copyable {
  private let contentByteCount: UInt64
  /// Where the next byte of the content is read.
  private var offset: UInt64 = 0
  private var input: [UInt8] = []
  private var inputCount = 0
  private var consumed = 0
  private var isComplete = false

  init(contentByteCount: UInt64) { self.contentByteCount = contentByteCount }

  /// Fills `output` as far as the frame goes.
  /// - Returns: how many bytes; nil where the file turned out to be shorter than it was.
  mutating func fill(
    _ output: inout MutableSpan<UInt8>, from file: borrowing FileDescriptor, path: [UInt8],
    compressingWith compressor: inout ZstdCompressor
  ) throws(NoteWriterFailure) -> Int? {
    do throws(ZstdFailure) {
      if offset == 0, input.isEmpty { try compressor.begin(contentByteCount: contentByteCount) }
    } catch {
      throw .store(.sealing(.zstd(error), path: path))
    }
    var written = 0
    while written < output.count, !isComplete {
      if consumed == inputCount, offset < contentByteCount {
        guard try refill(from: file, path) else { return nil }
      }
      var room = output._mutatingExtracting(written..<output.count)
      do throws(ZstdFailure) {
        if consumed < inputCount {
          var position = consumed
          written += try compressor.compress(
            input.span.extracting(0..<inputCount), from: &position, into: &room)
          consumed = position
        } else {
          let (count, isLast) = try compressor.finish(into: &room)
          written += count
          isComplete = isLast
        }
      } catch {
        throw .store(.sealing(.zstd(error), path: path))
      }
    }
    return written
  }

  /// Whether everything was given: a frame over other bytes than before may be longer.
  mutating func isAtEnd(
    _ file: borrowing FileDescriptor, _ path: [UInt8], _ compressor: inout ZstdCompressor
  ) throws(NoteWriterFailure) -> Bool {
    var scratch: [UInt8] = [0]
    var room = scratch.mutableSpan
    return try fill(&room, from: file, path: path, compressingWith: &compressor) == 0
  }

  /// Reads on; false where the file ended early.
  private mutating func refill(
    from file: borrowing FileDescriptor, _ path: [UInt8]
  ) throws(NoteWriterFailure) -> Bool {
    if input.isEmpty { input = [UInt8](repeating: 0, count: NoteWriter.runByteCount) }
    let wanted = Int(min(UInt64(input.count), contentByteCount - offset))
    let start = offset
    var bytes = input.mutableSpan
    var room = bytes._mutatingExtracting(0..<wanted)
    do {
      guard try file.read(into: &room, at: start) == wanted else { return false }
    } catch {
      throw NoteWriterFailure(reading: error, path)
    }
    offset += UInt64(wanted)
    inputCount = wanted
    consumed = 0
    return true
  }
}
