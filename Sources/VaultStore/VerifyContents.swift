internal import VaultFormat
internal import VaultSealing

/// Decrypts every note of the opened compartments and compares it with the index (spec §12). Nothing is hashed again.
struct VerifyContents: Sendable {
  struct Outcome: Sendable {
    var findings: [Finding] = []
    var locked: [CompartmentID] = []
    /// A file was gone before it could be opened: somebody writes to the vault.
    var hasVanished = false
    var failure: StoreError?

    mutating func merge(_ other: Outcome) {
      findings += other.findings
      locked += other.locked
      hasVanished = hasVanished || other.hasVanished
      failure = failure ?? other.failure
    }
  }

  /// One note and where its current file lies.
  struct Task: Sendable {
    let note: NoteInfo
    let place: VerifySweep.Place
    let secret: CompartmentSecret
    /// In how many pieces it is opened, by as many workers.
    let pieceCount: Int
  }

  /// Uncompressed files are opened in pieces of about this many bytes; a compressed one has to be expanded in order.
  private static let pieceByteCount: UInt64 = 16 << 20

  private let root: SharedFolder
  private let options: VerifyOptions
  private let progress: VerifyProgress
  private let unlocked: UnlockedVault
  private let tasks: [Task]

  init(
    _ unlocked: UnlockedVault, _ pass: VerifyPass, _ options: VerifyOptions,
    _ progress: VerifyProgress
  ) {
    root = pass.base.root
    self.options = options
    self.progress = progress
    self.unlocked = unlocked
    tasks = unlocked.notes.compactMap { note in
      guard options.covers(note.id), let secret = unlocked.secret(of: note),
        let place = Self.place(of: note, pass.outcome)
      else { return nil }
      let isSplit = note.record.compression == .none
      return Task(
        note: note, place: place, secret: secret,
        pieceCount: isSplit ? Int(note.sealedByteCount / Self.pieceByteCount) + 1 : 1)
    }.sorted(by: Self.precedes)
  }

  /// The file whose digest was found to be current; what is not current is a finding already.
  private static func place(
    of note: NoteInfo, _ outcome: VerifySweep.Outcome
  ) -> VerifySweep.Place? {
    if outcome.notes.files[note.id]?.state.digest == note.digest {
      return .notes(FileNameHex.folder(of: note.id))
    }
    for (name, files) in outcome.staged where files.files[note.id]?.state.digest == note.digest {
      return .staged(name)
    }
    return nil
  }

  /// Large files first, so that the last worker is not left alone with one; the others folder by folder.
  private static func precedes(_ first: Task, _ second: Task) -> Bool {
    let least = UInt64(SweepWorker.sharedFromByteCount)
    let sizes = (max(first.note.sealedByteCount, least), max(second.note.sealedByteCount, least))
    return sizes.0 == sizes.1 ? first.note.id < second.note.id : sizes.0 > sizes.1
  }

  /// - Throws: `interrupted`, `crypto`, `system` when there are no threads.
  func run() throws(StoreError) -> Outcome {
    progress.begin(tasks.reduce(0) { $0 + $1.note.sealedByteCount })
    let total = Monitor(indexFindings())
    let pieces = PieceQueue(pieceCounts: tasks.map(\.pieceCount))
    do throws(SystemError) {
      try Workers.run(count: options.workerCount) { _ in
        var outcome = Outcome()
        do throws(StoreError) {
          var worker = try ContentsWorker(root)
          while let (task, piece) = pieces.next() {
            worker.check(tasks[task], piece: piece, &outcome)
            progress.advance(Int(tasks[task].note.sealedByteCount) / tasks[task].pieceCount)
            if progress.isCancelled() { outcome.failure = .interrupted }
            if outcome.failure != nil { pieces.cancel() }
          }
        } catch {
          outcome.failure = error
          pieces.cancel()
        }
        let found = outcome
        total.change { $0.merge(found) }
      }
    } catch {
      throw .system(error, path: [])
    }
    let outcome = total.change { $0 }
    if let failure = outcome.failure { throw failure }
    return outcome
  }

  /// What the index alone says.
  private func indexFindings() -> Outcome {
    var outcome = Outcome()
    outcome.findings = unlocked.findings
    outcome.locked = unlocked.lockedCompartments
    for compartment in unlocked.lockedCompartments {
      let count = unlocked.snapshot.compartments[compartment]?.aliveCount ?? 0
      outcome.findings.append(
        Finding(
          .lockedCompartment, [],
          "the secret does not open this compartment; it holds \(count) \(count == 1 ? "note" : "notes")",
          found: "compartment \(compartment.hex)"))
    }
    for note in unlocked.notes where note.shownPath != note.path {
      outcome.findings.append(
        Finding(
          .nameConflict, note.path, "two notes want this path; both are kept",
          found: "\(note.id.hex) is shown under another name"))
    }
    return outcome
  }
}
