internal import Synchronization
internal import VaultFormat
internal import VaultSealing

/// A sealed file that all workers hash together: each takes pieces of it, and the hashes are put in order as they come.
final class LargeFile: Sendable {
  /// Runs of chunks in one piece: 16 MiB, so that opening the file for each costs nothing.
  private static let runsPerPiece = 16

  let id: NoteID
  let place: VerifySweep.Place
  let byteCount: Int
  let pieceCount: Int
  private let progress = Mutex(InOrder())

  private struct InOrder: ~Copyable {
    var digest: NoteDigest?
    var nextPiece = 0
    var waiting: [Int: [Digest]] = [:]
    var hasFailed = false
  }

  init(id: NoteID, place: VerifySweep.Place, _ reader: borrowing SealedFileReader) {
    self.id = id
    self.place = place
    byteCount = reader.geometry.fileByteCount
    pieceCount = (reader.runCount + Self.runsPerPiece - 1) / Self.runsPerPiece
  }

  /// Hashes one piece; whoever brings the last one writes down the state.
  func hash(
    piece: Int, with hasher: inout NoteHasher, in sweep: VerifySweep,
    into outcome: inout VerifySweep.Outcome
  ) {
    do {
      let reader = try open(with: &hasher, in: sweep)
      guard reader.geometry.fileByteCount == byteCount else { return fail(nil, sweep, &outcome) }
      let first = piece * Self.runsPerPiece
      var hashes: [Digest] = []
      for run in first..<min(first + Self.runsPerPiece, reader.runCount) {
        hashes += try hasher.hashes(ofRun: run, of: reader, path: [])
      }
      sweep.progress.advance(min(byteCount, Self.runsPerPiece * SealedFileReader.runByteCount))
      guard let state = try add(hashes, ofPiece: piece, reader) else { return }
      var files = SealedFilesOnDisk()
      files.files[id] = SealedOnDisk(state: state, compartment: reader.head.compartment)
      write(files, into: &outcome)
    } catch {
      fail(error, sweep, &outcome)
    }
  }

  private func open(
    with hasher: inout NoteHasher, in sweep: VerifySweep
  ) throws(StoreError) -> SealedFileReader {
    let file: FileDescriptor
    do {
      file = try sweep.root.open(place).openFile(FileNameHex.name(of: id))
    } catch {
      throw .system(error, path: [])
    }
    return try hasher.open(file, note: id, path: [])
  }

  /// Puts hashes in their order; gives the state when all are there.
  private func add(
    _ hashes: [Digest], ofPiece piece: Int, _ reader: borrowing SealedFileReader
  ) throws(StoreError) -> State? {
    let start = try NoteHasher.begin(reader)
    var spare: NoteDigest? = start
    let end = try progress.withLock { order throws(StoreError) -> NoteDigest? in
      if order.digest == nil { order.digest = spare.take() }
      order.waiting[piece] = hashes
      while let next = order.waiting.removeValue(forKey: order.nextPiece) {
        do throws(SealingError) { try order.digest?.append(next) } catch {
          throw StoreError.sealing(error, path: [])
        }
        order.nextPiece += 1
      }
      return order.nextPiece == pieceCount ? order.digest.take() : nil
    }
    guard let end else { return nil }
    return try NoteHasher.finish(end, reader)
  }

  /// Says once what is wrong; nil when the file changed while it was read.
  private func fail(
    _ error: StoreError?, _ sweep: VerifySweep, _ outcome: inout VerifySweep.Outcome
  ) {
    let isFirst = progress.withLock { order in
      defer { order.hasFailed = true }
      return !order.hasFailed
    }
    guard isFirst else { return }
    var files = SealedFilesOnDisk()
    files.explained.insert(id)
    write(files, into: &outcome)
    guard let error else {
      outcome.hasVanished = true
      return
    }
    sweep.explain(error, of: id, in: place, &outcome)
  }

  private func write(_ files: SealedFilesOnDisk, into outcome: inout VerifySweep.Outcome) {
    switch place {
    case .notes: outcome.notes.merge(files)
    case .staged(let name): outcome.staged[name, default: SealedFilesOnDisk()].merge(files)
    }
  }
}
