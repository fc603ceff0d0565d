internal import Synchronization
internal import VaultFormat
internal import VaultSealing

/// One large note whose runs several workers open at the same time; the digest is put together in the order of the
/// runs (spec §6.3). For uncompressed content only: a zstd frame has no order but its own.
package final class SharedNote: Sendable {
  /// The hashes that came too early wait; workers keep pace, so few do.
  private struct Assembly: ~Copyable, Sendable {
    var digest: NoteDigest?
    var nextRun = 0
    var early: [Int: [Digest]] = [:]
  }

  let opened: OpenedNote
  private let note: NoteInfo
  private let compartment: UnlockedCompartment
  private let queue: WorkQueue
  private let assembly: Mutex<Assembly>

  /// - Parameter opened: by `NoteReader.open`, without compression.
  package init(
    _ opened: consuming OpenedNote, of note: NoteInfo, in compartment: UnlockedCompartment
  ) throws(StoreError) {
    precondition(note.record.compression == .none, "an expanded note is read front to back")
    let digest = try NoteHasher.begin(opened.sealed)
    queue = WorkQueue(count: opened.sealed.runCount)
    assembly = Mutex(Assembly(digest: digest))
    self.opened = opened
    self.note = note
    self.compartment = compartment
  }

  /// How many workers can be of use.
  package var runCount: Int { opened.sealed.runCount }

  /// Opens runs until none is left, and passes each piece on with its offset in the content.
  /// - Throws: see `NoteReader`, and what `sink` throws; then the other workers end too.
  package func work(
    with reader: inout NoteReader,
    into sink: (Span<UInt8>, UInt64) throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try reader.begin(opened, keys: compartment.secret.keys)
      reader.buffer.forget()
      var hashes: [Digest] = []
      while let run = queue.next() {
        hashes.removeAll(keepingCapacity: true)
        let count = try reader.openRun(run, of: opened, hashes: &hashes)
        let chunk = opened.sealed.chunks(ofRun: run).lowerBound
        if count > 0 {
          let offset = opened.sealed.geometry.streamRange(ofChunk: chunk).lowerBound
          let pieces = reader.pieces
          try sink(pieces.span.extracting(0..<count), UInt64(offset))
        }
        try add(hashes, ofRun: run)
      }
    } catch {
      queue.cancel()
      throw error
    }
  }

  /// Compares the digest, after every worker has returned from `work`.
  /// - Throws: `noteNotAsListed`.
  package func finish(_ reader: borrowing NoteReader) throws(StoreError) {
    let state = try assembly.withLock { (assembly) throws(StoreError) -> State in
      precondition(assembly.nextRun == opened.sealed.runCount, "every run was opened")
      guard let digest = assembly.digest.take() else { preconditionFailure("finished once") }
      return try NoteHasher.finish(digest, opened.sealed)
    }
    try reader.compare(state, with: note, in: compartment)
  }

  private func add(_ hashes: [Digest], ofRun run: Int) throws(StoreError) {
    do {
      try assembly.withLock { (assembly) throws(SealingError) in
        assembly.early[run] = hashes
        while let next = assembly.early.removeValue(forKey: assembly.nextRun) {
          try assembly.digest?.append(next)
          assembly.nextRun += 1
        }
      }
    } catch {
      throw .sealing(error, path: opened.path)
    }
  }
}
