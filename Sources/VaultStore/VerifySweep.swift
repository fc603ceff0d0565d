internal import VaultFormat

/// What a sealed file on disk is.
struct SealedOnDisk: Sendable {
  let state: State
  let compartment: CompartmentID
}

/// The sealed files of one folder of `staging/` or of all of `notes/`.
struct SealedFilesOnDisk: Sendable {
  var files: [NoteID: SealedOnDisk] = [:]
  /// Notes whose file is there and cannot be compared, or whose absence has been explained; a finding says why.
  var explained: Set<NoteID> = []

  mutating func merge(_ other: SealedFilesOnDisk) {
    files.merge(other.files) { first, _ in first }
    explained.formUnion(other.explained)
  }
}

/// Lists the folders of sealed files and computes every digest, on all cores and in constant memory (spec §6.3).
///
/// Each worker takes whole folders; files above a threshold are kept for later and are cut into pieces that all workers
/// share.
struct VerifySweep: Sendable {
  /// A folder of sealed files.
  enum Place: Sendable {
    /// `notes/<2 hex>`.
    case notes([UInt8])
    /// The folder of a committed run in `staging/`.
    case staged([UInt8])

    var path: [UInt8] {
      switch self {
      case .notes(let name): Layout.path(Layout.notes, name)
      case .staged(let name): Layout.path(Layout.staging, name)
      }
    }
  }

  struct Outcome: Sendable {
    var notes = SealedFilesOnDisk()
    /// By the name of the run's folder.
    var staged: [[UInt8]: SealedFilesOnDisk] = [:]
    var findings: [Finding] = []
    /// Folders of `notes/` that could not be listed, by their byte.
    var unlisted: Set<UInt8> = []
    var fileCount = 0
    var noteCount = 0
    var byteCount: UInt64 = 0
    /// A file was gone before it could be opened: somebody writes to the vault.
    var hasVanished = false
    var failure: StoreError?

    mutating func merge(_ other: Outcome) {
      notes.merge(other.notes)
      staged.merge(other.staged) { first, second in
        var both = first
        both.merge(second)
        return both
      }
      findings += other.findings
      unlisted.formUnion(other.unlisted)
      fileCount += other.fileCount
      noteCount += other.noteCount
      byteCount += other.byteCount
      hasVanished = hasVanished || other.hasVanished
      failure = failure ?? other.failure
    }
  }

  let root: SharedFolder
  let options: VerifyOptions
  let progress: VerifyProgress
  /// What the index says a note's file has, where it says one thing only; for naming a cut file.
  let expectedByteCount: @Sendable (NoteID) -> UInt64?

  /// Reads all files of all places.
  /// - Throws: `system` when there are no threads, `crypto`, `interrupted`.
  func run(_ places: [Place]) throws(StoreError) -> Outcome {
    let total = Monitor(Outcome())
    let large = Monitor([LargeFile]())
    let queue = WorkQueue(count: places.count)
    try work { () throws(StoreError) in
      var worker = try SweepWorker(sweep: self)
      while let number = queue.next(), worker.outcome.failure == nil {
        worker.take(places[number])
        if progress.isCancelled() { worker.outcome.failure = .interrupted }
      }
      if worker.outcome.failure != nil { queue.cancel() }
      let found = worker.finish()
      large.change { $0 += found.large }
      total.change { $0.merge(found.outcome) }
    }
    let files = large.change { $0.sorted { $0.byteCount > $1.byteCount } }
    let pieces = PieceQueue(pieceCounts: files.map(\.pieceCount))
    if !files.isEmpty {
      try work { () throws(StoreError) in
        var hasher = try NoteHasher()
        var outcome = Outcome()
        while let (file, piece) = pieces.next() {
          files[file].hash(piece: piece, with: &hasher, in: self, into: &outcome)
          if progress.isCancelled() { outcome.failure = .interrupted }
          if outcome.failure != nil { pieces.cancel() }
        }
        let found = outcome
        total.change { $0.merge(found) }
      }
    }
    let outcome = total.change { $0 }
    if let failure = outcome.failure { throw failure }
    return outcome
  }

  /// Runs a body on all workers and gives the first failure.
  private func work(_ body: @escaping @Sendable () throws(StoreError) -> Void) throws(StoreError) {
    let failure = Monitor<StoreError?>(nil)
    do throws(SystemError) {
      try Workers.run(count: options.workerCount) { _ in
        do throws(StoreError) { try body() } catch { failure.change { $0 = $0 ?? error } }
      }
    } catch {
      throw .system(error, path: [])
    }
    if let error = failure.change({ $0 }) { throw error }
  }
}

/// Hands out the pieces of several files, file after file, to any number of threads.
final class PieceQueue: Sendable {
  private let queue: WorkQueue
  /// For each file the number of its first piece, and the number of all pieces at the end.
  private let starts: [Int]

  init(pieceCounts: [Int]) {
    starts = pieceCounts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1) }
    queue = WorkQueue(count: starts.last ?? 0)
  }

  func next() -> (file: Int, piece: Int)? {
    guard let number = queue.next() else { return nil }
    var low = 0
    var high = starts.count - 1
    while low + 1 < high {
      let middle = (low + high) / 2
      if starts[middle] <= number { low = middle } else { high = middle }
    }
    return (low, number - starts[low])
  }

  func cancel() { queue.cancel() }
}
