package import VaultFormat

/// The folders that runs left in `staging/` (spec §9).
package enum StagedRuns {
  package struct Run: Equatable, Sendable {
    /// The folder's name: a segment's id in hex, or a run's with `.part`.
    package let name: [UInt8]
    /// Whether its segment is in the index, or replaced by one that is.
    package let isCommitted: Bool

    /// The segment that its folder is named by; nil before it is.
    var segment: SegmentID? { SegmentID(hex: name.span) }
  }

  /// All folders of runs, in the order of their names. Anything else in `staging/` is not listed.
  /// - Throws: `system`.
  package static func list(
    in vault: VaultFolder, _ snapshot: Snapshot
  ) throws(StoreError) -> [Run] {
    guard let staging = try vault.subfolder(Layout.staging) else { return [] }
    let names: [[UInt8]]
    do throws(SystemError) {
      var folders: [[UInt8]] = []
      for entry in try staging.entries()
      where try staging.status(of: entry.name)?.kind == .folder {
        folders.append(entry.name)
      }
      names = folders
    } catch {
      throw .system(error, path: Layout.staging)
    }
    return names.compactMap { name in
      let isPart = name.suffix(5).elementsEqual(".part".utf8)
      guard let id = SegmentID(hex: (isPart ? name.dropLast(5) : name[...]).span) else {
        return nil
      }
      let isCommitted =
        !isPart && snapshot.compartments.values.contains { $0.graph.knows(id) }
      return Run(name: name, isCommitted: isCommitted)
    }
  }

  /// The names of the folders whose staged files readers may use.
  package static func readable(
    in vault: VaultFolder, _ snapshot: Snapshot
  ) throws(StoreError) -> [[UInt8]] {
    try list(in: vault, snapshot).filter(\.isCommitted).map(\.name)
  }

  /// The plan of a run.
  /// - Throws: `system`, `damaged`.
  package static func plan(of run: Run, in vault: VaultFolder) throws(StoreError) -> CommitPlan {
    let path = Layout.path(Layout.staging, run.name, Layout.plan)
    let bytes: [UInt8]?
    do {
      let staging = try Directory(opening: Layout.staging, in: vault.root)
      let folder = try Directory(opening: run.name, in: staging)
      bytes =
        try folder.status(of: Layout.plan) == nil
        ? nil : try folder.readWhole(Layout.plan, limit: Limits.planByteCount.upperBound)
    } catch {
      throw .system(error, path: path)
    }
    guard let bytes else { return try emptyPlan() }
    do { return try CommitPlan(decoding: bytes.span) } catch { throw .damaged(path: path, error) }
  }

  // A run without changed notes has no plan; one whose notes are all in place may have lost it.
  static func emptyPlan() throws(StoreError) -> CommitPlan {
    do { return try CommitPlan(items: []) } catch { throw .damaged(path: Layout.plan, error) }
  }

  /// Completes a committed run as far as the vault still is as the run knew it.
  static func complete(
    _ run: Run, in vault: VaultFolder, _ snapshot: Snapshot
  ) throws(StoreError) {
    let plan = try plan(of: run, in: vault)
    let compartments = snapshot.compartments
    for index in compartments.values where run.segment.map(index.graph.knows) ?? false {
      try SlotRemoval(of: index).run(in: vault)
    }
    let isHandOver = run.segment.map(snapshot.isHandOver) ?? false
    if isHandOver { try HandOverRemoval(snapshot).run(in: vault) }
    let completion = CommitCompletion(vault: vault, name: run.name, plan: plan) { note, digest in
      let registers = compartments.values.compactMap { $0.notes[note] }
      let isCurrent = registers.contains { register in
        register.current.contains { state in
          switch state {
          case .grave: digest == nil
          case .file(let stated, _): digest == stated
          }
        }
      }
      if isCurrent { return .current }
      // A hand-over lists no note of the compartment that it closes, and none of them stays.
      guard let digest else {
        return isHandOver && registers.isEmpty ? .current : .neverListed
      }
      return registers.contains { $0.isSuperseded(digest.prefix) } ? .superseded : .neverListed
    }
    var leftAlone = try completion.run()
    // Without its plan nobody can tell what belongs where.
    if leftAlone == 0 { leftAlone = try stagedCount(of: run, in: vault) }
    guard leftAlone == 0 else {
      throw .indexNotSound([
        Finding(
          .unfinishedCommit, Layout.path(Layout.staging, run.name),
          "\(leftAlone) notes are neither as before the run nor as after it")
      ])
    }
  }

  /// Sealed files that are still in the folder of a run.
  private static func stagedCount(
    of run: Run, in vault: VaultFolder
  ) throws(StoreError) -> Int {
    guard let staging = try vault.subfolder(Layout.staging) else { return 0 }
    do {
      guard try staging.status(of: run.name) != nil else { return 0 }
      return try Directory(opening: run.name, in: staging).entries()
        .count { FileNameHex.noteID($0.name) != nil }
    } catch {
      throw .system(error, path: Layout.path(Layout.staging, run.name))
    }
  }

  /// Removes the folder of a run that never committed: only files whose names a run gives.
  static func remove(_ run: Run, in vault: VaultFolder) throws(StoreError) {
    do { try removeRun(run.name, in: vault.root) } catch {
      throw .system(error, path: Layout.path(Layout.staging, run.name))
    }
  }

  /// Removes `staging/` where a run could not, as when it ended between two removals.
  static func removeFolderIfEmpty(in vault: VaultFolder) throws(StoreError) {
    guard let staging = try vault.subfolder(Layout.staging) else { return }
    do {
      if try staging.entries().isEmpty { try vault.root.removeDirectory(Layout.staging) }
    } catch {
      throw .system(error, path: Layout.staging)
    }
  }

  /// Removes such a folder below the vault's folder, and `staging/` if nothing else is in it.
  static func remove(_ name: [UInt8], in root: borrowing Directory) throws(SystemError) {
    try removeRun(name, in: root)
    let staging = try Directory(opening: Layout.staging, in: root)
    if try staging.entries().isEmpty { try root.removeDirectory(Layout.staging) }
  }

  private static func removeRun(
    _ name: [UInt8], in root: borrowing Directory
  ) throws(SystemError) {
    let staging = try Directory(opening: Layout.staging, in: root)
    let folder = try Directory(opening: name, in: staging)
    for entry in try folder.entries() {
      let isOurs =
        Layout.runFiles.contains(entry.name) || FileNameHex.noteID(entry.name) != nil
      if isOurs { try folder.unlink(entry.name) }
    }
    if try folder.entries().isEmpty { try staging.removeDirectory(name) }
  }
}
