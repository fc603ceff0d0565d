internal import Synchronization
internal import VaultCrypto
internal import VaultFormat

/// What the workers of one `unpack` share.
final class UnpackRun: Sendable {
  /// A content of more bytes than this is opened by all workers together.
  private static let sharedByteCount: UInt64 = 8 << 20

  let vault: UnlockedVault
  let target: UnpackTarget
  let files: NoteReaderFiles
  let existing: ExistingFiles
  private let modes = UnpackModes()
  /// For a note that looks like another of the run to some file systems: the others, lesser by their paths.
  let twins: [[UInt8]: [[UInt8]]]
  let workerCount: Int
  private let isInterrupted: @Sendable () -> Bool
  private let progress: @Sendable (Int) -> Void
  private let number: Atomic<UInt32>
  private let stop = Mutex<UnpackReport.Stop?>(nil)
  private let hasStopped = Atomic<Bool>(false)
  private let failure = Mutex<StoreError?>(nil)
  private let report = Mutex(UnpackReport())

  init(
    _ vault: UnlockedVault, into target: consuming UnpackTarget, existing: ExistingFiles,
    twins: [[UInt8]: [[UInt8]]], workerCount: Int,
    isInterrupted: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (Int) -> Void
  ) throws(StoreError) {
    files = try NoteReaderFiles(vault.vault)
    self.vault = vault
    self.target = target
    self.workerCount = workerCount
    self.existing = existing
    self.twins = twins
    self.isInterrupted = isInterrupted
    self.progress = progress
    do {
      number = Atomic(try Random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) })
    } catch {
      throw .crypto(error)
    }
  }

  /// The permission bits of a finished file.
  func mode(of note: NoteInfo) -> UInt32 {
    modes.mode(note.record.permissions, isExecutable: note.isExecutable)
  }

  /// A name that no other file of the run has.
  func temporaryName() -> [UInt8] {
    UnpackTemporary.name(number.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  /// Whether the run shall end; asked between notes and between the pieces of large ones.
  func shouldStop() -> Bool {
    if hasStopped.load(ordering: .relaxed) { return true }
    guard isInterrupted() else { return false }
    end(.interrupted)
    return true
  }

  /// Ends the run; the first reason counts.
  func end(_ reason: UnpackReport.Stop) {
    stop.withLock { $0 = $0 ?? reason }
    hasStopped.store(true, ordering: .relaxed)
  }

  /// Ends the run because a worker has not the means to work.
  func fail(_ error: StoreError) {
    failure.withLock { $0 = $0 ?? error }
    hasStopped.store(true, ordering: .relaxed)
  }

  func advance(by byteCount: Int) { progress(byteCount) }

  /// Whether a note is so large that all workers open it together.
  func isShared(_ note: NoteInfo) -> Bool {
    workerCount > 1 && note.record.compression == .none
      && note.record.contentByteCount > Self.sharedByteCount
  }

  /// The compartment of a note, which the secret opened.
  func compartment(of note: NoteInfo) throws(StoreError) -> UnlockedCompartment {
    guard let compartment = vault.compartment(of: note) else {
      throw .noSuchNote(path: note.shownPath, near: nil)
    }
    return compartment
  }

  /// Adds what one worker did.
  func add(_ part: UnpackReport) { report.withLock { $0.join(part) } }

  /// All that was done, once every worker has ended.
  /// - Throws: what `fail` was told.
  func finish() throws(StoreError) -> UnpackReport {
    if let failure = failure.withLock({ $0 }) { throw failure }
    var report = report.withLock { $0 }
    report.stop = stop.withLock { $0 }
    report.problems.sort { $0.path.lexicographicallyPrecedes($1.path) }
    report.vaultChanged = !report.problems.allSatisfy { $0.code == nil } && hasVaultChanged
    return report
  }

  /// Whether the index is another than the one that was read.
  private var hasVaultChanged: Bool {
    // An index that cannot be listed any more has changed.
    guard let index = try? vault.vault.subfolder(Layout.index) else { return true }
    let names = try? index.entries().map(\.name)
    return names != vault.snapshot.indexNames
  }
}
