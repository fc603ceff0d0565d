internal import VaultFormat

/// One reading of all files of a vault, compared with the index; needs no secret.
struct VerifyPass: Sendable {
  let base: VerifyBase
  /// What lies on disk, for reading contents.
  let outcome: VerifySweep.Outcome
  private(set) var findings: [Finding] = []
  private(set) var unchecked: [VerifyReport.Unchecked] = []
  private(set) var counts = VerifyReport.Counts()
  /// Names the state of `VAULT` and `index/`.
  let state: Digest
  private let stagingNames: [[UInt8]]

  /// - Throws: `interrupted`, `system` for the vault's folder itself or threads, `crypto`.
  init(
    _ base: VerifyBase, _ options: VerifyOptions, _ progress: VerifyProgress
  ) throws(StoreError) {
    let topLevel = try VerifyTopLevel(of: base.root.folder)
    var staging = VerifyStaging(of: base, exists: topLevel.hasStaging)
    let notes = NotesFolder(of: base, options, exists: topLevel.hasNotes)
    progress.begin(Self.expectedByteCount(base, options))
    let compartments = base.snapshot.compartments
    let sweep = VerifySweep(
      root: base.root, options: options, progress: progress,
      expectedByteCount: { id in
        for index in compartments.values {
          if case .file(_, let byteCount)? = index.notes[id]?.onlyCurrent { return byteCount }
        }
        return nil
      })
    let outcome = try sweep.run(
      notes.places + staging.committed.map { VerifySweep.Place.staged($0) })
    var index = VerifyIndex(base, topLevel, staging)
    try index.compare()
    let completions = staging.completions(outcome, base)
    var comparison = VerifyNotes(
      base, options, outcome, completions: completions,
      notesAreListed: notes.isListed && !topLevel.unusable.contains(Layout.notes))
    comparison.compare(compartmentsWithoutIndex: index.compartmentsWithoutIndex)
    let policy = try VerifyPolicyCheck(options.policy, base, topLevel)
    self.base = base
    state = try VerifyState.digest(of: base)
    self.outcome = outcome
    stagingNames = staging.names
    seesCommittedRun = !staging.committed.isEmpty
    findings =
      base.findings + topLevel.findings + notes.findings + staging.findings + outcome.findings
    findings += index.findings + comparison.findings + policy.findings
    unchecked = topLevel.unchecked
    count(topLevel)
  }

  private static func expectedByteCount(_ base: VerifyBase, _ options: VerifyOptions) -> UInt64 {
    let all = base.snapshot.compartments.values.reduce(0) { $0 + $1.sealedByteCount }
    return all / UInt64(options.shard?.count ?? 1)
  }

  /// Whether a file went away between its listing and its opening: somebody writes.
  var isDisturbed: Bool { outcome.hasVanished }

  /// Whether a run has committed and not put all its files in place.
  let seesCommittedRun: Bool

  /// Whether `index/` and `staging/` hold the same names as when they were read.
  /// - Throws: `system`.
  func isStillCurrent() throws(StoreError) -> Bool {
    if base.vault != nil, base.indexIsRead,
      try names(in: Layout.index) != base.snapshot.indexNames
    {
      return false
    }
    return try names(in: Layout.staging) == stagingNames
  }

  private func names(in folder: [UInt8]) throws(StoreError) -> [[UInt8]] {
    do throws(SystemError) {
      guard try base.root.folder.status(of: folder)?.kind == .folder else { return [] }
      return try Directory(opening: folder, in: base.root.folder).entries().map(\.name)
    } catch {
      if error.code == .notFound { return [] }
      throw .system(error, path: folder)
    }
  }

  private mutating func count(_ topLevel: VerifyTopLevel) {
    counts.notes = outcome.noteCount
    counts.segments = base.snapshot.segmentCount
    counts.slots = base.snapshot.slots.count { !$0.isSpare }
    let companions = topLevel.companions.values
    counts.files =
      1 + base.snapshot.readFileCount + outcome.fileCount + companions.count
    counts.bytes = base.snapshot.readByteCount + outcome.byteCount
    counts.bytes += companions.reduce(0) { $0 + UInt64($1.bytes.count) }
    counts.bytes += UInt64(base.vault?.header.encoded().count ?? 0)
  }
}

/// The folders of `notes/`.
private struct NotesFolder {
  var places: [VerifySweep.Place] = []
  var findings: [Finding] = []
  /// Whether the folder could be listed, if it is there.
  var isListed = true

  init(of base: VerifyBase, _ options: VerifyOptions, exists: Bool) {
    guard exists else { return }
    let entries: [DirectoryEntry]
    do {
      entries = try Directory(opening: Layout.notes, in: base.root.folder).entries()
    } catch {
      isListed = false
      findings.append(Finding(error, at: Layout.notes))
      return
    }
    for entry in entries {
      if let byte = FileNameHex.folderByte(entry.name) {
        if options.shard?.contains(byte) ?? true { places.append(.notes(entry.name)) }
      } else {
        findings.append(Finding.foreign(entry.name, at: Layout.path(Layout.notes, entry.name)))
      }
    }
  }
}
