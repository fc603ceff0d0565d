internal import VaultFormat
internal import VaultSealing

/// A sealed file that was found, and all that naming it needs.
struct SalvageCandidate: Sendable {
  /// Relative to the vault.
  let path: [UInt8]
  /// Its place among the opened compartments.
  let compartment: Int
  let noteID: NoteID
  /// Fresh at each sealing: two files that share it are copies of one sealing.
  let salt: Salt
  let state: State
  let isWhole: Bool
  let hasContent: Bool
  let record: ContentRecord?
  /// From an authentic header.
  let headerPath: [UInt8]?
  let isExecutable: Bool

  init(_ examined: SalvageExamined, of file: borrowing SalvageFile, compartment: Int) {
    path = file.path
    self.compartment = compartment
    noteID = file.head.head.noteID
    salt = file.head.head.salt
    state = examined.state
    isWhole = examined.isWhole
    hasContent = examined.hasContent
    record = examined.reading?.record
    headerPath = examined.reading?.header?.path
    isExecutable = examined.reading?.header?.executable ?? false
  }
}

/// Looks at every regular file of `notes/` and `staging/`, whatever it is called, with several workers (spec §12.2).
struct SalvageScan: Sendable {
  /// A file that may have been a sealed file and is not recognised.
  struct Stranger: Sendable {
    let path: [UInt8]
    let named: NoteID?
    let reason: SalvageProblem.Reason
  }

  struct Outcome: Sendable {
    var candidates: [SalvageCandidate] = []
    var strangers: [Stranger] = []
    /// Files of compartments that no secret opened.
    var lockedFileCount = 0

    mutating func join(_ other: Outcome) {
      candidates += other.candidates
      strangers += other.strangers
      lockedFileCount += other.lockedFileCount
    }
  }

  let vault: VaultFolder
  let compartments: [SalvageCompartment]
  let locked: Set<CompartmentID>
  let watch: SalvageWatch

  /// - Throws: `interrupted`, `sealing`, `system` where the means to work are not to be had.
  func run() throws(StoreError) -> Outcome {
    let walked = walk()
    let total = Monitor(Outcome(strangers: walked.strangers))
    let failure = Monitor<StoreError?>(nil)
    let queue = WorkQueue(count: walked.files.count)
    let files = walked.files
    do {
      try Workers.run(count: max(1, min(watch.workerCount, files.count))) { _ in
        do throws(StoreError) {
          var worker = try Worker(scan: self)
          while let number = queue.next() {
            try worker.take(files[number])
            if watch.isInterrupted() { throw .interrupted }
          }
          let outcome = worker.finish()
          total.change { $0.join(outcome) }
        } catch {
          queue.cancel()
          failure.change { $0 = $0 ?? error }
        }
      }
    } catch {
      throw .system(error, path: [])
    }
    if let error = failure.change({ $0 }) { throw error }
    var outcome = total.change { $0 }
    outcome.candidates.sort { Syscalls.precedes($0.path, $1.path) }
    outcome.strangers.sort { Syscalls.precedes($0.path, $1.path) }
    return outcome
  }

  /// All files below `notes/` and `staging/`; links are not followed.
  private func walk() -> (files: [[UInt8]], strangers: [Stranger]) {
    var files: [[UInt8]] = []
    var strangers: [Stranger] = []
    var folders = [Layout.staging, Layout.notes]
    while let path = folders.popLast() {
      do throws(SystemError) {
        if path == Layout.notes || path == Layout.staging {
          guard try vault.root.status(of: path) != nil else { continue }
        }
        var cursor = try UnpackCursor(vault.root)
        try cursor.enter(path)
        for entry in try cursor.folder.entries() {
          let kind = try cursor.folder.status(of: entry.name)?.kind
          let entryPath = Layout.path(path, entry.name)
          switch kind {
          case .regular?: files.append(entryPath)
          case .folder?: folders.append(entryPath)
          case let kind?:
            guard let named = FileNameHex.noteID(entry.name) else { continue }
            strangers.append(
              Stranger(path: entryPath, named: named, reason: .unreadable(.notRegular(kind))))
          case nil: break
          }
        }
      } catch {
        strangers.append(Stranger(path: path, named: nil, reason: .unreadable(error)))
      }
    }
    return (files, strangers)
  }
}

extension SalvageScan {
  /// Looks at files, one after the other.
  private struct Worker: ~Copyable {
    let scan: SalvageScan
    var reader: SalvageReader
    var cursor: UnpackCursor
    var outcome = Outcome()

    init(scan: SalvageScan) throws(StoreError) {
      let reader = try SalvageReader()
      let cursor: UnpackCursor
      do { cursor = try UnpackCursor(scan.vault.root) } catch { throw .system(error, path: []) }
      self.scan = scan
      self.reader = reader
      self.cursor = cursor
    }

    consuming func finish() -> Outcome { outcome }

    mutating func take(_ path: [UInt8]) throws(StoreError) {
      let place = UnpackPlace(path)
      let named = FileNameHex.noteID(place.name)
      do throws(StoreError) {
        let file: FileDescriptor
        do throws(SystemError) {
          try cursor.enter(place.folder)
          file = try cursor.folder.openFile(place.name)
        } catch {
          throw .system(error, path: path)
        }
        let recognised = try reader.recognise(
          file, path: path, named: named, among: scan.compartments)
        switch consume recognised {
        case .sealed(let file):
          scan.watch.progress(file.byteCount)
          let examined = try reader.examine(file)
          let compartment = scan.compartments.firstIndex { $0.id == file.compartment.id }
          outcome.candidates.append(
            SalvageCandidate(examined, of: file, compartment: compartment ?? 0))
        case .other(let id):
          if scan.locked.contains(id) {
            outcome.lockedFileCount += 1
          } else {
            add(path, named, .otherCompartment(id))
          }
        case .foreign(let error):
          // What neither is called nor begins like a sealed file never was one.
          guard named != nil || error != .wrongMagic else { return }
          add(path, named, .unrecognised(error))
        }
      } catch {
        guard case .system(let cause, _) = error else { throw error }
        add(path, named, .unreadable(cause))
      }
    }

    private mutating func add(
      _ path: [UInt8], _ named: NoteID?, _ reason: SalvageProblem.Reason
    ) {
      outcome.strangers.append(Stranger(path: path, named: named, reason: reason))
    }
  }
}
