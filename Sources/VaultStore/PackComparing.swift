internal import VaultFormat

/// Reads items of a source and the notes they may be, on all cores, and tells which are equal.
struct PackComparing: Sendable {
  enum Outcome: Sendable {
    /// Equal; the source was as in the status all the while.
    case equal(FileStatus)
    case different
    case problem(SourceScanProblem.Reason)
  }

  let source: SourceFolder
  let vault: UnlockedVault
  let items: [PackPlanner.Item]
  let watch: PackWatch

  /// One outcome for each pair, in their order.
  /// - Throws: what is wrong with a note of the vault; `system`, `interrupted`.
  func run(_ pairs: [PackPlan.Pair]) throws(StoreError) -> [Outcome] {
    guard !pairs.isEmpty else { return [] }
    let files = try NoteReaderFiles(vault.vault)
    let queue = WorkQueue(count: pairs.count)
    let results = Monitor(Results(count: pairs.count))
    do throws(SystemError) {
      try Workers.run(count: min(PackSealing.workerCount, pairs.count)) { _ in
        do throws(StoreError) {
          var reader = try NoteReader()
          var root: SourceRoot
          do throws(SystemError) { root = try SourceRoot(source.root) } catch {
            throw .system(error, path: source.path)
          }
          while let position = queue.next() {
            guard !watch.isInterrupted() else { throw .interrupted }
            let outcome = try compare(pairs[position], &root, &reader, files)
            results.change { $0.outcomes[position] = outcome }
          }
        } catch {
          queue.cancel()
          results.change { $0.error = $0.error ?? error }
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

    init(count: Int) { outcomes = [Outcome](repeating: .different, count: count) }
  }

  private func compare(
    _ pair: PackPlan.Pair, _ root: inout SourceRoot, _ reader: inout NoteReader,
    _ files: NoteReaderFiles
  ) throws(StoreError) -> Outcome {
    let item = items[pair.item]
    let note = vault.notes[pair.note]
    guard item.type == note.record.type, item.status.byteCount == note.record.contentByteCount,
      let compartment = vault.compartment(of: note)
    else { return .different }
    if item.type == .link {
      let target: [UInt8]
      do { target = try root.readLink(item.path) } catch { return Self.problem(error, item.path) }
      let limit = Int(Limits.linkTargetByteCount.upperBound)
      let content = try reader.content(
        try files.open(note), of: note, in: compartment, limit: limit)
      return target == content ? .equal(item.status) : .different
    }
    let path = source.path + [UInt8(ascii: "/")] + item.path
    let file: FileDescriptor
    do { file = try root.openFile(item.path) } catch { return Self.problem(error, item.path) }
    do throws(StoreError) {
      let isEqual = try reader.isEqual(
        try files.open(note), of: note, in: compartment, to: file, sourcePath: path)
      guard isEqual else { return .different }
    } catch {
      guard case .system(let cause, path) = error else { throw error }
      return Self.problem(cause, item.path)
    }
    watch.didHandle(Int(clamping: item.status.byteCount))
    do {
      // Another status may mean another content: what is sealed then has been read in one piece.
      return try file.status() == item.status ? .equal(item.status) : .different
    } catch {
      return Self.problem(error, item.path)
    }
  }

  private static func problem(_ error: SystemError, _ path: [UInt8]) -> Outcome {
    switch NoteWriterFailure(reading: error, path) {
    case .source(let reason): .problem(reason)
    case .store: .problem(.unreadable(error))
    }
  }
}

extension UnlockedVault {
  /// The opened compartment that a note belongs to.
  package func compartment(of note: NoteInfo) -> UnlockedCompartment? {
    compartments.first { $0.index.compartment == note.compartment }
  }

  /// Where new notes belong: the first compartment, or what took over from it, if it was opened (spec §4, §7.5).
  var compartmentForNewNotes: UnlockedCompartment {
    compartments.first { $0.index.compartment == snapshot.companionCompartment(of: vault.header) }
      ?? compartments[0]
  }
}
