internal import VaultFormat

/// Seals what a `pack` has decided on into the folder of a run, on all cores, and checks the notes it replaces or removes.
struct PackSealing: Sendable {
  /// One note to seal, to check, or both.
  struct Job: Sendable {
    /// The position of the item to seal; nil where a note is only removed.
    let item: Int?
    /// The position of the note that is replaced or removed; nil for a new one.
    let note: Int?
  }

  enum Outcome: Sendable {
    case sealed(SealedNote)
    /// Not sealed, and the note that would have been replaced stays.
    case skipped(SourceScanProblem.Reason)
    /// The note to be removed is as listed.
    case checked
  }

  /// A folder that several workers write to.
  final class Folder: Sendable {
    let directory: Directory
    init(_ directory: consuming Directory) { self.directory = directory }
  }

  /// How many threads work; each may need some MiB of memory, so not more than eight.
  static var workerCount: Int { min(Processors.count, 8) }

  let source: SourceFolder
  let items: [PackPlanner.Item]
  let vault: UnlockedVault
  let compartment: UnlockedCompartment
  let policy: CompressionPolicy
  let ahead: PackReadAhead.Contents?
  let watch: PackWatch
  let afterReading: @Sendable ([UInt8]) -> Void

  /// One outcome for each job, in their order.
  /// - Throws: `noteNotAsListed` for a note to be replaced that is not the listed one; `system`, `sealing`, `interrupted`.
  func run(_ jobs: [Job], into folder: Folder) throws(StoreError) -> [Outcome] {
    guard !jobs.isEmpty else { return [] }
    let order = order(of: jobs)
    let files = try NoteReaderFiles(vault.vault)
    let queue = WorkQueue(count: jobs.count)
    let team = NoteWriterTeam()
    let results = Monitor(Results(count: jobs.count))
    let hasLarge = jobs.contains { job in job.item.map { items[$0].isLarge } ?? false }
    let count = hasLarge ? Self.workerCount : min(Self.workerCount, jobs.count)
    for _ in 0..<count { team.enter() }
    do throws(SystemError) {
      try Workers.run(count: count) { _ in
        var done: [(Int, Outcome)] = []
        do throws(StoreError) {
          var worker: Worker
          do {
            defer { team.leave() }
            worker = try Worker(self, folder, files, team)
            while let next = queue.next() {
              guard !watch.isInterrupted() else { throw .interrupted }
              done.append((order[next], try worker.handle(jobs[order[next]])))
            }
          }
          worker.helpOthers()
        } catch {
          queue.cancel()
          results.change { $0.error = $0.error ?? error }
        }
        let finished = done
        results.change { results in
          for (position, outcome) in finished { results.outcomes[position] = outcome }
        }
      }
    } catch {
      throw .system(error, path: [])
    }
    let found = results.change { $0 }
    if let error = found.error { throw error }
    return found.outcomes
  }

  private struct Results: Sendable {
    var outcomes: [Outcome]
    var error: StoreError?

    init(count: Int) { outcomes = [Outcome](repeating: .checked, count: count) }
  }

  /// Large files first, largest before, so that none is left for one worker at the end; the rest as it was walked.
  private func order(of jobs: [Job]) -> [Int] {
    func byteCount(_ position: Int) -> UInt64 {
      jobs[position].item.map { items[$0].status.byteCount } ?? 0
    }
    func isLarge(_ position: Int) -> Bool {
      jobs[position].item.map { items[$0].isLarge } ?? false
    }
    let large = jobs.indices.filter(isLarge).sorted { byteCount($0) > byteCount($1) }
    return large.isEmpty ? Array(jobs.indices) : large + jobs.indices.filter { !isLarge($0) }
  }
}

extension PackSealing {
  /// What one thread works with.
  private struct Worker: ~Copyable {
    let plan: PackSealing
    let folder: Folder
    let files: NoteReaderFiles
    let team: NoteWriterTeam
    var source: NoteWriterSource
    var writer: NoteWriter
    var hasher: NoteHasher

    init(_ plan: PackSealing, _ folder: Folder, _ files: NoteReaderFiles, _ team: NoteWriterTeam)
      throws(StoreError)
    {
      let source = try NoteWriterSource(
        plan.source, policy: plan.policy, afterReading: plan.afterReading)
      let writer = try NoteWriter()
      let hasher = try NoteHasher()
      self.source = source
      self.writer = writer
      self.hasher = hasher
      self.plan = plan
      self.folder = folder
      self.files = files
      self.team = team
    }

    /// Takes part in sealing large files that other workers have begun.
    mutating func helpOthers() {
      while let shared = team.next() {
        writer.work(on: shared, keys: plan.compartment.secret.keys, watch: plan.watch)
      }
    }

    mutating func handle(_ job: Job) throws(StoreError) -> Outcome {
      if let note = job.note { try check(plan.vault.notes[note]) }
      guard let position = job.item else { return .checked }
      let item = plan.items[position]
      let older = job.note.map { plan.vault.notes[$0] }
      do {
        let sealed = try seal(item, position, replacing: older)
        return .sealed(sealed)
      } catch {
        switch error {
        case .source(let reason): return .skipped(reason)
        case .store(let error): throw error
        }
      }
    }

    private mutating func seal(
      _ item: PackPlanner.Item, _ position: Int, replacing older: NoteInfo?
    ) throws(NoteWriterFailure) -> SealedNote {
      let path = older?.path ?? item.path
      let secret = plan.compartment.secret
      var content = plan.ahead?.take(position)
      if content == nil { content = try source.content(of: item) }
      guard let content else {
        let isIncompressible = plan.ahead?.isIncompressible(position) ?? false
        return try writer.writeLarge(
          item, from: &source, as: older?.id, path: path, older: older?.record, keys: secret.keys,
          into: folder.directory, policy: isIncompressible ? .never : plan.policy, team: team,
          watch: plan.watch)
      }
      do {
        let sealed = try writer.write(
          content, as: older?.id, path: path, older: older?.record, keys: secret.keys,
          into: folder.directory)
        plan.watch.didHandle(Int(clamping: sealed.record.contentByteCount))
        return sealed
      } catch {
        throw .store(error)
      }
    }

    /// What is replaced or removed must be what the index lists: else somebody else's change would be lost.
    private mutating func check(_ note: NoteInfo) throws(StoreError) {
      let path = Layout.notePath(note.id)
      let state = try hasher.state(of: try files.open(note), note: note.id, path: path)
      guard state != .file(note.digest, byteCount: note.sealedByteCount) else { return }
      let register = plan.vault.compartment(of: note)?.index.notes[note.id]
      let isSuperseded = register?.isSuperseded(state.prefix) ?? false
      throw .noteNotAsListed(path: path, isSuperseded ? .noteSuperseded : .noteChanged)
    }
  }
}

extension PackPlanner.Item {
  /// Whether it is a file that is never held whole.
  var isLarge: Bool {
    type == .file && status.byteCount > UInt64(NoteWriterSource.wholeByteCount)
  }
}
