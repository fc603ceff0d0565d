internal import Synchronization
internal import VaultFormat
internal import VaultSealing

/// One large file that is stored as it is, sealed by several workers at once: each takes runs of chunks, and the digest is
/// put together when all are done (spec §6.3).
final class NoteWriterShared: Sendable {
  /// What ended the work early.
  enum Stop: Sendable {
    /// The file became shorter.
    case changed
    case failed(NoteWriterFailure)
  }

  private struct State: Sendable {
    var hashes: [[Digest]]
    var left: Int
    var stop: Stop?
  }

  let source: FileDescriptor
  let target: FileDescriptor
  let stream: NoteStream
  /// For errors: of the source, and of the note.
  let sourcePath: [UInt8]
  let notePath: [UInt8]
  private let taken = Atomic<Int>(0)
  private let state: Monitor<State>

  init(
    _ source: consuming FileDescriptor, to target: consuming FileDescriptor, as stream: NoteStream,
    sourcePath: [UInt8], notePath: [UInt8]
  ) {
    self.source = source
    self.target = target
    self.stream = stream
    self.sourcePath = sourcePath
    self.notePath = notePath
    let runCount = (stream.geometry.chunkCount + Self.chunksPerRun - 1) / Self.chunksPerRun
    self.runCount = runCount
    state = Monitor(State(hashes: Array(repeating: [], count: runCount), left: runCount))
  }

  static let chunksPerRun = NoteWriter.runByteCount >> Int(Limits.usualChunkSizeLog2)
  let runCount: Int

  var hasRunsLeft: Bool { taken.load(ordering: .relaxed) < runCount }

  /// The next run that nobody has, or nil.
  func take() -> Int? {
    let run = taken.add(1, ordering: .relaxed).oldValue
    return run < runCount ? run : nil
  }

  func finish(_ run: Int, _ hashes: [Digest]) {
    state.change { state in
      state.hashes[run] = hashes
      state.left -= 1
    }
  }

  func stop(_ reason: Stop) {
    taken.store(runCount, ordering: .relaxed)
    state.change { $0.stop = $0.stop ?? reason }
  }

  /// Waits for the runs that others took; nil where the file changed.
  func wait() throws(NoteWriterFailure) -> [[Digest]]? {
    let end = state.wait { state -> (stop: Stop?, hashes: [[Digest]])? in
      if let stop = state.stop { return (stop, []) }
      return state.left == 0 ? (nil, state.hashes) : nil
    }
    switch end.stop {
    case nil: return end.hashes
    case .changed: return nil
    case .failed(let failure): throw failure
    }
  }
}

/// Lets workers that have nothing left to do help those that seal large files.
package final class NoteWriterTeam: Sendable {
  private struct State: Sendable {
    var shared: [NoteWriterShared] = []
    var busyCount = 0
  }

  private let state = Monitor(State())

  package init() {}

  /// Every worker says when it begins, and leaves when it has no job of its own any more.
  func enter() { state.change { $0.busyCount += 1 } }
  func leave() { state.change { $0.busyCount -= 1 } }

  func publish(_ shared: NoteWriterShared) { state.change { $0.shared.append(shared) } }
  func retire(_ shared: NoteWriterShared) {
    state.change { state in state.shared.removeAll { $0 === shared } }
  }

  /// A file to help with; nil when nobody can need help any more.
  func next() -> NoteWriterShared? {
    state.wait { state -> NoteWriterShared?? in
      if let shared = state.shared.first(where: \.hasRunsLeft) { return .some(shared) }
      return state.busyCount == 0 ? .some(nil) : nil
    }
  }
}

extension NoteWriter {
  /// Seals runs of a file until none is left.
  mutating func work(
    on shared: NoteWriterShared, keys: borrowing CompartmentKeys, watch: PackWatch
  ) {
    do throws(NoteWriterFailure) {
      do { try worker.begin(shared.stream, keys: keys) } catch {
        throw .store(.sealing(error, path: shared.notePath))
      }
      while let run = shared.take() {
        guard !watch.isInterrupted() else { throw .store(.interrupted) }
        guard let count = try seal(run, of: shared) else { return shared.stop(.changed) }
        shared.finish(run, hashes)
        watch.didHandle(count)
      }
    } catch {
      shared.stop(.failed(error))
    }
  }

  /// Reads, seals and writes one run; the byte count of its content, or nil where the file is shorter than it was.
  private mutating func seal(
    _ run: Int, of shared: NoteWriterShared
  ) throws(NoteWriterFailure) -> Int? {
    let geometry = shared.stream.geometry
    let first = run * NoteWriterShared.chunksPerRun
    let last = min(first + NoteWriterShared.chunksPerRun, geometry.chunkCount) - 1
    let offset = geometry.streamRange(ofChunk: first).lowerBound
    let count = geometry.streamRange(ofChunk: last).upperBound - offset
    let content = Int(clamping: shared.stream.payloadByteCount)
    let wanted = min(count, max(0, content - offset))
    var pieces = takePieces()
    defer { self.pieces = pieces }
    var bytes = pieces.mutableSpan
    var room = bytes._mutatingExtracting(0..<wanted)
    do {
      guard try shared.source.read(into: &room, at: UInt64(offset)) == wanted else { return nil }
    } catch {
      throw NoteWriterFailure(reading: error, shared.sourcePath)
    }
    for index in wanted..<count { bytes[index] = 0 }
    let chunkRun = ChunkRun(firstChunk: first, endsStream: last == geometry.chunkCount - 1)
    do { try sealRun(pieces.span.extracting(0..<count), chunkRun) } catch {
      throw .store(.sealing(error, path: shared.notePath))
    }
    try writeRun(first...last, geometry, to: shared.target, shared.notePath)
    return wanted
  }
}
