package import VaultFormat
package import VaultSealing

/// Opens sealed files that no index describes, header and every chunk, on all cores.
struct NoteAuthentication: Sendable {
  struct Task: Sendable {
    let note: NoteID
    /// Where the file lies now, relative to the vault.
    let path: [UInt8]
    let state: State
  }

  /// An authentic note with a path that may be used, or what is wrong with it.
  enum Outcome: Sendable {
    case success(AuthenticNote)
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
      let note = try reader.authenticate(file, note: task.note, keys: secret.keys)
      guard note.state == task.state else { throw .noteNotAsListed(path: task.path, .noteChanged) }
      if let fault = SafePath.fault(in: note.header.path) {
        return .failure(
          Finding(
            .unsafePath, task.path,
            "the path in the note's header must not be used: it \(fault)"))
      }
      return .success(note)
    } catch {
      guard let code = Finding.Code(error) else { throw error }
      return .failure(
        Finding(code, task.path, "the file does not open with the keys of its compartment"))
    }
  }
}

/// A sealed file that opens whole with the keys of its compartment, whatever an index says of it.
package struct AuthenticNote: Sendable {
  package let header: NoteHeader
  package let state: State
  /// What it was merged from, if a merge driver sealed it (spec §7.6).
  package let mergedFrom: MergedFrom?
}

extension NoteReader {
  /// Opens a whole file, whatever the index says of it, and delivers its content in order.
  ///
  /// What is delivered is authentic piece by piece; that nothing is missing is known only when this returns.
  /// - Throws: as `NoteReader`, and what `sink` throws.
  package mutating func authenticate(
    _ file: consuming FileDescriptor, note: NoteID, keys: borrowing CompartmentKeys,
    into sink: (Span<UInt8>) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> AuthenticNote {
    let opened = try open(file, note: note, keys: keys)
    try begin(opened, keys: keys)
    try beginContent(of: opened)
    var digest = try NoteHasher.begin(opened.sealed)
    var hashes: [Digest] = []
    for run in 0..<opened.sealed.runCount {
      hashes.removeAll(keepingCapacity: true)
      let count = try openRun(run, of: opened, hashes: &hashes)
      do { try digest.append(hashes) } catch { throw .sealing(error, path: opened.path) }
      _ = try pass(payloadCount: count, of: opened) { (piece) throws(StoreError) in
        try sink(piece)
        return .more
      }
    }
    try finishContent(of: opened)
    return AuthenticNote(
      header: opened.header, state: try NoteHasher.finish(digest, opened.sealed),
      mergedFrom: MergedFrom(in: opened.stream.head.laterKeys))
  }
}
