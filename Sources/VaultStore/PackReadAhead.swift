internal import Synchronization

/// Reads and compresses sources while the key is still being derived, as far as a bounded memory allows.
package struct PackReadAhead: ~Copyable {
  /// The contents that are waiting to be sealed, by their positions in the scan.
  package final class Contents: Sendable {
    private struct State: Sendable {
      var contents: [Int: NoteWriterContent] = [:]
      var byteCount = 0
      /// Large files that are not worth compressing.
      var incompressible = Set<Int>()
    }

    private let state = Monitor(State())
    private let isStopped = Atomic<Bool>(false)

    /// Keeps a content; false when no more is wanted.
    fileprivate func keep(_ content: NoteWriterContent, at position: Int) -> Bool {
      let isFull = state.change { state in
        state.contents[position] = content
        state.byteCount += content.stream.count + Self.overhead
        return state.byteCount >= PackReadAhead.byteCountMaximum
      }
      return !isFull
    }

    fileprivate func markIncompressible(_ position: Int) {
      state.change { _ = $0.incompressible.insert(position) }
    }

    /// Whether a large file was found not to be worth compressing.
    func isIncompressible(_ position: Int) -> Bool {
      state.change { $0.incompressible.contains(position) }
    }

    fileprivate var goesOn: Bool { !isStopped.load(ordering: .relaxed) }

    fileprivate func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Hands a content over; nil where it was not read.
    func take(_ position: Int) -> NoteWriterContent? {
      state.change { $0.contents.removeValue(forKey: position) }
    }

    /// What a content costs besides its bytes.
    private static let overhead = 256
  }

  /// What may lie read in memory, in bytes.
  static let byteCountMaximum = 24 << 20

  private let contents = Contents()
  private let task: BackgroundTask<Void, StoreError>

  /// Starts to read, on all cores but the one that derives the key.
  /// - Throws: `system` when the system gives no thread.
  package init(
    _ scan: SourceScan, of source: SourceFolder, policy: CompressionPolicy, watch: PackWatch
  ) throws(StoreError) {
    let contents = contents
    do {
      task = try BackgroundTask { () throws(StoreError) in
        try Self.read(scan.items, of: source, policy, watch, into: contents)
      }
    } catch {
      throw .system(error, path: [])
    }
  }

  /// Ends the reading and gives what was read. What could not be read is met again when it is sealed.
  /// - Throws: `system`, `sealing`.
  package consuming func finish() throws(StoreError) -> Contents {
    contents.stop()
    return try complete()
  }

  /// Waits until everything that fits was read.
  consuming func complete() throws(StoreError) -> Contents {
    let contents = contents
    try task.wait()
    return contents
  }

  private static func read(
    _ items: [PackPlanner.Item], of source: SourceFolder, _ policy: CompressionPolicy,
    _ watch: PackWatch, into contents: Contents
  ) throws(StoreError) {
    guard !items.isEmpty else { return }
    let queue = WorkQueue(count: items.count)
    let failure = Monitor<StoreError?>(nil)
    do {
      try Workers.run(count: min(items.count, max(1, PackSealing.workerCount - 1))) { _ in
        do throws(StoreError) {
          var reader = try NoteWriterSource(source, policy: policy)
          while contents.goesOn, let position = queue.next(), !watch.isInterrupted() {
            // Whatever is wrong with a file is said when it is its turn.
            if items[position].isLarge {
              if (try? reader.isIncompressible(items[position])) == true {
                contents.markIncompressible(position)
              }
            } else if let content = try? reader.content(of: items[position]),
              !contents.keep(content, at: position)
            {
              queue.cancel()
            }
          }
        } catch {
          queue.cancel()
          failure.change { $0 = error }
        }
      }
    } catch {
      throw .system(error, path: source.path)
    }
    if let error = failure.change({ $0 }) { throw error }
  }
}
