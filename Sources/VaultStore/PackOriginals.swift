internal import VaultFormat

/// Deletes originals that are in the vault: each only after its note has been read back and found equal, and while it is
/// still the file that was packed.
struct PackOriginals: Sendable {
  let packing: Packing

  func remove(
    _ packed: [(item: Int, status: FileStatus, note: NoteInfo)], _ outcome: inout PackOutcome
  ) throws(StoreError) {
    let items = packing.scan.items
    let files = packed.filter { items[$0.item].type != .folder }
      .sorted { $0.item < $1.item }
    let folders = packed.filter { items[$0.item].type == .folder }
      .sorted { $0.item > $1.item }  // a folder comes after what is in it
    guard !packed.isEmpty else { return }
    let readers = try NoteReaderFiles(packing.vault.vault)
    let queue = WorkQueue(count: files.count)
    let results = Monitor(Results())
    do throws(SystemError) {
      try Workers.run(count: max(1, min(PackSealing.workerCount, files.count))) { _ in
        do throws(StoreError) {
          var reader = try NoteReader()
          while let position = queue.next() {
            guard !packing.watch.isInterrupted() else { throw .interrupted }
            let (item, status, note) = files[position]
            let path = items[item].path
            let reason = try removeFile(path, status, note, readers, &reader)
            results.change { results in
              if let reason {
                results.problems.append(SourceScanProblem(path: path, reason))
              } else {
                results.count += 1
              }
            }
          }
        } catch {
          queue.cancel()
          results.change { $0.error = $0.error ?? error }
        }
      }
    } catch {
      throw .system(error, path: packing.source.path)
    }
    let found = results.change { $0 }
    if let error = found.error { throw error }
    outcome.problems += found.problems
    outcome.removedOriginals += found.count
    for folder in folders where removeFolder(items[folder.item].path) {
      outcome.removedOriginals += 1
    }
  }

  private struct Results: Sendable {
    var count = 0
    var problems: [SourceScanProblem] = []
    var error: StoreError?
  }

  /// Deletes one file or link.
  /// - Returns: why it stays, or nil.
  /// - Throws: what is wrong with the note.
  private func removeFile(
    _ path: [UInt8], _ status: FileStatus, _ note: NoteInfo, _ files: NoteReaderFiles,
    _ reader: inout NoteReader
  ) throws(StoreError) -> SourceScanProblem.Reason? {
    guard let compartment = packing.vault.compartment(of: note) else { return .notProved }
    let slash = UInt8(ascii: "/")
    let parts = path.split(separator: slash).map(Array.init)
    guard let name = parts.last else { return .notProved }
    do {
      let folder = try packing.source.root.open(components: parts.dropLast())
      guard try folder.status(of: name) == status else { return .changedSincePacked }
      if status.kind == .symlink {
        let target = try folder.readLink(name)
        let content = try reader.content(
          try files.open(note), of: note, in: compartment,
          limit: Int(Limits.linkTargetByteCount.upperBound))
        guard target == content else { return .notProved }
      } else {
        let file = try folder.openFile(name)
        let sourcePath = packing.source.path + [slash] + path
        let isEqual: Bool
        do throws(StoreError) {
          isEqual = try reader.isEqual(
            try files.open(note), of: note, in: compartment, to: file, sourcePath: sourcePath)
        } catch {
          guard case .system(let cause, sourcePath) = error else { throw error }
          return .unreadable(cause)
        }
        guard isEqual else { return .notProved }
        guard try file.status() == status else { return .changedSincePacked }
      }
      guard try folder.status(of: name) == status else { return .changedSincePacked }
      try folder.unlink(name)
      return nil
    } catch let error as SystemError {
      return .unreadable(error)
    } catch let error as StoreError {
      throw error
    } catch {
      return .notProved
    }
  }

  /// Deletes a folder that has become empty; one that has not stays without a word.
  private func removeFolder(_ path: [UInt8]) -> Bool {
    let parts = path.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard let name = parts.last else { return false }
    do {
      try packing.source.root.open(components: parts.dropLast()).removeDirectory(name)
      return true
    } catch {
      return false
    }
  }
}
