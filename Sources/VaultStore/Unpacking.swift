internal import VaultFormat

/// Writes notes as plain files into a folder (spec §8).
///
/// Nothing is written outside the folder, through a link, or over something that is there, unless that was asked for.
/// A note that cannot be written does not keep others from it. Each file appears whole, with its mode and times; links
/// come after the files, and the times of folders at the end.
package struct Unpacking: ~Copyable {
  /// Small notes are handed to workers in groups of one folder, at most so many at a time.
  private static let groupCount = 64

  private let run: UnpackRun
  private var folders: UnpackFolders
  private let notes: [NoteInfo]

  /// Opens the target, or makes it; its parent has to be there.
  /// - Parameters:
  ///   - notes: in the order of their shown paths, as `PathSelection` gives them.
  ///   - isInterrupted: asked by all workers, often.
  ///   - progress: told by all workers how many bytes of content more are written.
  /// - Throws: `targetInVault`, `system`.
  package init(
    _ notes: [NoteInfo], of vault: UnlockedVault, into path: [UInt8], existing: ExistingFiles,
    workerCount: Int, isInterrupted: @escaping @Sendable () -> Bool,
    progress: @escaping @Sendable (Int) -> Void, faults: FaultPlan? = nil
  ) throws(StoreError) {
    let run = try UnpackRun(
      vault, into: try UnpackTarget(path: path, vault: vault.vault, faults: faults),
      existing: existing,
      twins: Self.twins(among: notes), workerCount: workerCount, isInterrupted: isInterrupted,
      progress: progress)
    do { folders = try UnpackFolders(run.target, vault: vault.vault, existing: existing) } catch {
      throw .system(error, path: path)
    }
    self.run = run
    self.notes = notes
  }

  /// Does all of it.
  /// - Throws: `sealing`, `system` where the means to work are not to be had; what is wrong with single notes is in the
  ///   report.
  package consuming func unpack() throws(StoreError) -> UnpackReport {
    var report = UnpackReport()
    let folderNotes = makeFolders()
    removeLeftovers()
    var files: [NoteInfo] = []
    var large: [NoteInfo] = []
    var links: [NoteInfo] = []
    var twins: [NoteInfo] = []
    for note in notes where note.record.type != .folder {
      guard folders.admits(UnpackPlace(note.shownPath).folder) else { continue }
      if run.twins[note.shownPath] != nil {
        twins.append(note)
      } else if note.record.type == .link {
        links.append(note)
      } else if run.isShared(note) {
        large.append(note)
      } else {
        files.append(note)
      }
    }
    try work(on: groups(of: files))
    // Each large file keeps all workers busy; what may collide with another note comes when that one is there.
    try work(on: groups(of: large), workerCount: 1)
    try work(on: groups(of: links))
    try work(on: groups(of: twins.filter { $0.record.type == .file }), workerCount: 1)
    try work(on: groups(of: twins.filter { $0.record.type == .link }), workerCount: 1)
    try finish(folderNotes, &report)
    folders.report(into: &report)
    run.add(report)
    var all = try run.finish()
    if all.stop != nil {
      // Folder notes with one path are one folder.
      let folderPaths = Set(notes.lazy.filter { $0.record.type == .folder }.map(\.shownPath))
      let count = notes.count { $0.record.type != .folder } + folderPaths.count
      all.untried = max(0, count - all.written - all.skipped - all.failed)
    }
    return all
  }
}

// MARK: - Steps

extension Unpacking {
  /// Notes of one folder for one worker.
  private struct Group: Sendable {
    let notes: [NoteInfo]
    let isNewFolder: Bool
  }

  /// Makes every folder that is needed.
  /// - Returns: the notes of those that are there now, parents first.
  private mutating func makeFolders() -> [NoteInfo] {
    var folderNotes: [NoteInfo] = []
    do {
      for note in notes {
        guard note.record.type == .folder else {
          try folders.require(UnpackPlace(note.shownPath).folder)
          continue
        }
        // Of several notes for one folder the first gives its time (spec §8.1).
        if folderNotes.last?.shownPath == note.shownPath { continue }
        try folders.require(note.shownPath)
        guard folders.admits(note.shownPath) else { continue }
        folderNotes.append(note)
      }
    } catch {
      run.end(.target(error))
    }
    return folderNotes
  }

  /// Removes what runs that were killed left in the folders that were there.
  private func removeLeftovers() {
    guard run.target.isAlone, !run.shouldStop() else { return }
    let names = Set(
      notes.lazy.map { UnpackPlace($0.shownPath).name }.filter(UnpackTemporary.isTemporary))
    for (path, state) in folders.states where state == .found {
      // A leftover that cannot be removed harms nobody.
      guard var cursor = try? UnpackCursor(run.target.root), (try? cursor.enter(path)) != nil,
        let entries = try? cursor.folder.entries()
      else { continue }
      for entry in entries
      where UnpackTemporary.isTemporary(entry.name) && !names.contains(entry.name) {
        try? cursor.folder.unlink(entry.name)
      }
    }
  }

  private func groups(of notes: [NoteInfo]) -> [Group] {
    var byFolder: [[UInt8]: [NoteInfo]] = [:]
    for note in notes { byFolder[UnpackPlace(note.shownPath).folder, default: []].append(note) }
    var groups: [Group] = []
    for (folder, notes) in byFolder.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let isNew = folders.states[folder] == .made
      for start in stride(from: 0, to: notes.count, by: Self.groupCount) {
        let part = Array(notes[start..<min(start + Self.groupCount, notes.count)])
        groups.append(
          Group(notes: part, isNewFolder: isNew && run.twins[part[0].shownPath] == nil))
      }
    }
    return groups
  }

  private func work(on groups: [Group], workerCount: Int? = nil) throws(StoreError) {
    guard !groups.isEmpty, !run.shouldStop() else { return }
    let queue = WorkQueue(count: groups.count)
    let run = run
    do {
      try Workers.run(count: min(workerCount ?? run.workerCount, groups.count)) { _ in
        do throws(StoreError) {
          var worker = try UnpackWorker(run)
          while let number = queue.next(), !run.shouldStop() {
            worker.unpack(groups[number].notes, isNew: groups[number].isNewFolder)
          }
          worker.finish()
        } catch {
          run.fail(error)
        }
      }
    } catch {
      throw .system(error, path: [])
    }
  }

  /// Sets the permissions and times of folders when nothing is written into them any more, the deepest first.
  /// - Throws: `sealing` where the means to read are not to be had.
  private func finish(
    _ folderNotes: [NoteInfo], _ report: inout UnpackReport
  ) throws(StoreError) {
    var reader = try NoteReader()
    for note in folderNotes.reversed() {
      do throws(UnpackFault) {
        let isMade = folders.states[note.shownPath] == .made
        // A folder that was there is a person's own, unless an earlier run is being continued.
        if !run.shouldStop(), isMade || run.existing != .refused { try setMetadata(of: note) }
        if !run.shouldStop() { try check(note, with: &reader) }
        if run.shouldStop() { continue }
        if isMade {
          report.written += 1
        } else {
          report.skipped += 1
        }
      } catch {
        report.add(note.shownPath, error)
      }
    }
  }

  /// What a folder is made of stands in the index; that its sealed file is there and authentic is said all the same.
  private func check(
    _ note: NoteInfo, with reader: inout NoteReader
  ) throws(UnpackFault) {
    do throws(StoreError) {
      _ = try reader.content(
        try run.files.open(note), of: note, in: try run.compartment(of: note), limit: 0)
    } catch {
      throw .vault(error)
    }
  }

  private func setMetadata(of note: NoteInfo) throws(UnpackFault) {
    let place = UnpackPlace(note.shownPath)
    try inTarget { () throws(SystemError) in
      var cursor = try UnpackCursor(run.target.root)
      try cursor.enter(place.folder)
      if let permissions = note.record.permissions {
        try cursor.folder.setMode(place.name, UInt32(permissions))
      }
      try cursor.folder.setTimes(place.name, modified: FileTime(note.record.modified))
    }
  }

  /// The notes that look like an earlier one to file systems that ignore letter case or normal form.
  private static func twins(among notes: [NoteInfo]) -> [[UInt8]: [[UInt8]]] {
    var seen: [FoldedPath: [[UInt8]]] = [:]
    var twins: [[UInt8]: [[UInt8]]] = [:]
    for type in [ContentType.file, .link] {
      for note in notes where note.record.type == type {
        let key = FoldedPath(note.shownPath)
        if let earlier = seen[key] { twins[note.shownPath] = earlier }
        seen[key, default: []].append(note.shownPath)
      }
    }
    return twins
  }
}
