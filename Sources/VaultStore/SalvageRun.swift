internal import Synchronization
internal import VaultCrypto
internal import VaultFormat

/// How a salvage is watched and stopped.
package struct SalvageWatch: Sendable {
  package let workerCount: Int
  /// Asked by all workers, often.
  package let isInterrupted: @Sendable () -> Bool
  /// Told by all workers how many bytes of sealed files more were read; each file is read at least twice.
  package let progress: @Sendable (Int) -> Void

  package init(
    workerCount: Int, isInterrupted: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (Int) -> Void
  ) {
    self.workerCount = workerCount
    self.isInterrupted = isInterrupted
    self.progress = progress
  }
}

/// What the workers share that write what was found.
final class SalvageRun: Sendable {
  let vault: VaultFolder
  let compartments: [SalvageCompartment]
  let target: UnpackTarget
  let watch: SalvageWatch
  let modes = UnpackModes()
  private let number: Atomic<UInt32>
  private let hasStopped = Atomic<Bool>(false)
  private let stop = Mutex<UnpackReport.Stop?>(nil)
  private let failure = Mutex<StoreError?>(nil)
  private let report = Mutex(SalvageReport())
  private let names: Mutex<SalvageNames>

  init(
    _ vault: VaultFolder, _ compartments: [SalvageCompartment],
    into target: consuming UnpackTarget, names: SalvageNames, watch: SalvageWatch
  ) throws(StoreError) {
    do {
      number = Atomic(try Random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) })
    } catch {
      throw .crypto(error)
    }
    self.vault = vault
    self.compartments = compartments
    self.target = target
    self.watch = watch
    self.names = Mutex(names)
  }

  func temporaryName() -> [UInt8] {
    UnpackTemporary.name(number.wrappingAdd(1, ordering: .relaxed).oldValue)
  }

  /// A name for a file that turned out to be damaged only when it was written.
  func damagedName(of item: SalvageItem) -> [UInt8] {
    item.kind == .damaged ? item.path : names.withLock { $0.marked(item, .damaged) }
  }

  /// The name of the file beside a damaged content.
  func payloadName(of path: [UInt8]) -> [UInt8] { names.withLock { $0.payload(of: path) } }

  func shouldStop() -> Bool {
    if hasStopped.load(ordering: .relaxed) { return true }
    guard watch.isInterrupted() else { return false }
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

  func add(_ change: (inout SalvageReport) -> Void) { report.withLock { change(&$0) } }

  /// Adds what kept a file from being written.
  func add(_ path: [UInt8], _ id: NoteID?, _ fault: UnpackFault, noteCount: Int = 1) {
    if case .target(let cause) = fault, cause.endsUnpacking { end(.target(cause)) }
    report.withLock {
      $0.lost += noteCount
      $0.problems.append(SalvageProblem(path: path, noteID: id, reason: .notWritten(fault)))
    }
  }

  /// All that was done, once every worker has ended.
  /// - Throws: what `fail` was told.
  func finish() throws(StoreError) -> SalvageReport {
    if let failure = failure.withLock({ $0 }) { throw failure }
    var report = report.withLock { $0 }
    report.stop = stop.withLock { $0 }
    report.problems.sort { Syscalls.precedes($0.path, $1.path) }
    report.versions.sort { Syscalls.precedes($0.path, $1.path) }
    return report
  }
}
