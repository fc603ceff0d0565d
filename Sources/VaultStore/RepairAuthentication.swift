internal import VaultFormat
internal import VaultSealing

/// Opens sealed files that no index describes, header and every chunk, on all cores.
struct RepairAuthentication: Sendable {
  struct Task: Sendable {
    let note: NoteID
    /// Where the file lies now, relative to the vault.
    let path: [UInt8]
    let state: State
  }

  /// The header of an authentic note with a path that may be used, or what is wrong with it.
  enum Outcome: Sendable {
    case success(NoteHeader)
    case failure(Finding)
  }

  private let vault: VaultFolder
  private let secret: CompartmentSecret
  private let tasks: [Task]
  private let options: VerifyOptions
  private let progress: VerifyProgress

  init(
    _ vault: VaultFolder, _ secret: CompartmentSecret, _ tasks: [Task], _ options: VerifyOptions,
    _ progress: VerifyProgress
  ) {
    self.vault = vault
    self.secret = secret
    self.tasks = tasks
    self.options = options
    self.progress = progress
  }

  /// One outcome for each task, in their order.
  /// - Throws: `interrupted`, `crypto`, `system` where there are no threads.
  func run() throws(StoreError) -> [Outcome] {
    let queue = WorkQueue(count: tasks.count)
    let shared = Monitor(Shared(outcomes: Array(repeating: nil, count: tasks.count)))
    do throws(SystemError) {
      try Workers.run(count: min(options.workerCount, max(1, tasks.count))) { _ in
        do throws(StoreError) {
          var reader = try NoteReader()
          while let number = queue.next() {
            if progress.isCancelled() { throw .interrupted }
            let outcome = try outcome(of: tasks[number], with: &reader)
            shared.change { $0.outcomes[number] = outcome }
          }
        } catch {
          queue.cancel()
          shared.change { $0.error = $0.error ?? error }
        }
      }
    } catch {
      throw .system(error, path: [])
    }
    let (outcomes, error) = shared.change { ($0.outcomes, $0.error) }
    if let error { throw error }
    return outcomes.compactMap { $0 }
  }

  private struct Shared: Sendable {
    var outcomes: [Outcome?]
    var error: StoreError?
  }

  private func outcome(
    of task: Task, with reader: inout NoteReader
  ) throws(StoreError) -> Outcome {
    do throws(StoreError) {
      let file: FileDescriptor
      do {
        let parts = Layout.parts(of: task.path)
        file = try vault.root.open(components: parts.dropLast())
          .openFile(parts[parts.count - 1])
      } catch {
        throw .system(error, path: task.path)
      }
      let (header, state) = try reader.authenticate(file, note: task.note, keys: secret.keys)
      guard state == task.state else { throw .noteNotAsListed(path: task.path, .noteChanged) }
      if let fault = SafePath.fault(in: header.path) {
        return .failure(
          Finding(
            .unsafePath, task.path,
            "the path in the note's header must not be used: it \(fault)"))
      }
      return .success(header)
    } catch {
      guard let code = Finding.Code(error) else { throw error }
      return .failure(
        Finding(code, task.path, "the file does not open with the keys of its compartment"))
    }
  }
}

extension NoteReader {
  /// Opens a whole file, whatever the index says of it.
  /// - Throws: as `NoteReader`.
  fileprivate mutating func authenticate(
    _ file: consuming FileDescriptor, note: NoteID, keys: borrowing CompartmentKeys
  ) throws(StoreError) -> (NoteHeader, State) {
    let opened = try open(file, note: note, keys: keys)
    try begin(opened, keys: keys)
    try beginContent(of: opened)
    var digest = try NoteHasher.begin(opened.sealed)
    var hashes: [Digest] = []
    for run in 0..<opened.sealed.runCount {
      hashes.removeAll(keepingCapacity: true)
      let count = try openRun(run, of: opened, hashes: &hashes)
      do { try digest.append(hashes) } catch { throw .sealing(error, path: opened.path) }
      _ = try pass(payloadCount: count, of: opened) { _ in .more }
    }
    try finishContent(of: opened)
    return (opened.header, try NoteHasher.finish(digest, opened.sealed))
  }
}
