internal import VaultFormat

/// What runs left in `staging/`, and what of it a later writer will put in place (spec §9).
struct VerifyStaging: Sendable {
  private(set) var findings: [Finding] = []
  /// The folders of runs whose segment is in the index.
  private(set) var committed: [[UInt8]] = []
  /// Slot files that a run without a commit has put into `index/` and `spare/` (spec §9.1).
  private(set) var leftoverSlots: Set<StagedSlots.File> = []
  /// All names in `staging/`, to notice a writer at work.
  private(set) var names: [[UInt8]] = []
  private var plans: [[UInt8]: CommitPlan] = [:]

  /// What a committed run will still do to one note.
  enum Completion: Equatable, Sendable {
    case placed(before: Digest?)
    case deleted
  }

  /// - Parameter exists: whether `staging/` is a folder.
  init(of base: VerifyBase, exists: Bool) {
    guard exists else { return }
    let staging: ListedFolder
    do {
      staging = try ListedFolder(try Directory(opening: Layout.staging, in: base.root.folder))
    } catch {
      findings.append(Finding(error, at: Layout.staging))
      return
    }
    names = staging.entries.map(\.name)
    for name in names { take(name, in: staging.folder, base) }
  }

  private mutating func take(
    _ name: [UInt8], in staging: borrowing Directory, _ base: VerifyBase
  ) {
    let path = Layout.path(Layout.staging, name)
    let isPart = name.suffix(5).elementsEqual(".part".utf8)
    guard let id = SegmentID(hex: (isPart ? name.dropLast(5) : name[...]).span) else {
      return findings.append(Finding.foreign(name, at: path))
    }
    let run: ListedFolder
    do { run = try ListedFolder(try Directory(opening: name, in: staging)) } catch {
      // The writer whose run it was may have ended meanwhile; then the names differ at the end.
      return findings.append(Finding(error, at: path))
    }
    let isCommitted =
      !isPart
      && base.snapshot.compartments.values.contains {
        $0.graph.nodes[id] != nil || $0.graph.replaced.contains(id)
      }
    guard isCommitted else {
      let leftover = StagedRuns.Run(name: name, isCommitted: false)
      if !takeNeeded(of: leftover, base) {
        findings.append(Finding(.leftover, path, "a run that stopped before its commit left this"))
        takeSlots(of: leftover, base)
      }
      return checkNames(run.entries, path)
    }
    committed.append(name)
    findings.append(
      Finding(
        .unfinishedCommit, path, "a run stopped between its commit and putting files in place"))
    readPlan(in: run.folder, name)
    if run.entries.contains(where: { $0.name == Layout.stagedSegment }) {
      findings.append(
        Finding(.leftover, Layout.path(path, Layout.stagedSegment), "the segment is in place"))
    }
  }

  /// Names the files that the vault misses in their places.
  /// - Returns: whether there are any: then the folder is no leftover.
  private mutating func takeNeeded(of run: StagedRuns.Run, _ base: VerifyBase) -> Bool {
    // What cannot be read now is left alone by writers too.
    guard let vault = base.vault,
      let needs = try? StagedNeeds(in: run, of: vault, base.snapshot)
    else { return false }
    for file in needs.files {
      findings.append(
        Finding(
          .misnamed, file.path, "the vault misses this file in its place; somebody moved it here",
          expected: String(decoding: file.place, as: UTF8.self)))
    }
    return !needs.files.isEmpty
  }

  private mutating func takeSlots(of run: StagedRuns.Run, _ base: VerifyBase) {
    guard let vault = base.vault else { return }
    // What the system would not give of a leftover hides nothing: its slots are then unlisted.
    guard let slots = try? StagedSlots(of: run, in: vault, base.snapshot) else { return }
    leftoverSlots.formUnion(slots.files)
  }

  /// Nothing but the parts of a run may lie in its folder: a plain note there would be a leak.
  private mutating func checkNames(_ entries: [DirectoryEntry], _ path: [UInt8]) {
    for entry in entries {
      let entryPath = Layout.path(path, entry.name)
      let isOurs =
        Layout.runFiles.contains(entry.name) || FileNameHex.noteID(entry.name) != nil
      if !isOurs {
        findings.append(Finding.foreign(entry.name, at: entryPath))
      } else if entry.kindHint != .regular, entry.kindHint != .unknown {
        findings.append(Finding(.notRegular(entry.kindHint), at: entryPath))
      }
    }
  }

  /// A run without changed notes has no plan.
  private mutating func readPlan(in folder: borrowing Directory, _ name: [UInt8]) {
    let path = Layout.path(Layout.staging, name, Layout.plan)
    let bytes: [UInt8]
    do {
      guard try folder.status(of: Layout.plan) != nil else { return }
      bytes = try folder.readWhole(Layout.plan, limit: Limits.planByteCount.upperBound)
    } catch {
      return findings.append(Finding(error, at: path))
    }
    if bytes.isEmpty { return findings.append(Finding(.emptyFile, path, "the file is empty")) }
    do { plans[name] = try CommitPlan(decoding: bytes.span) } catch {
      // A plan has no magic, so damage with a name can only be told once it does not parse.
      let damage = Recognition.damage(
        inFirst: bytes.span.extracting(first: Recognition.byteCount))
      let cause = damage == .wrongMagic ? error : damage ?? error
      findings.append(Finding(Finding.Code(cause), path, "\(cause)"))
    }
  }

  /// Compares what is staged with the index, once all files are read; adds findings about staged files that are of no use.
  /// - Returns: the notes that only wait for a writer.
  mutating func completions(
    _ outcome: VerifySweep.Outcome, _ base: VerifyBase
  ) -> [NoteID: Completion] {
    var completions: [NoteID: Completion] = [:]
    for name in committed {
      let staged = outcome.staged[name] ?? SealedFilesOnDisk()
      var used = staged.explained
      for item in plans[name]?.items ?? [] {
        let current = base.snapshot.compartments.values.flatMap {
          $0.notes[item.noteID]?.current ?? []
        }
        if let after = item.after {
          guard let file = staged.files[item.noteID], current.contains(file.state),
            file.state.digest == after
          else { continue }
          completions[item.noteID] = .placed(before: item.before)
          used.insert(item.noteID)
        } else if current.contains(where: { !$0.isFile }) || isLeft(item.noteID, by: name, base),
          outcome.notes.files[item.noteID]?.state.digest == item.before
        {
          completions[item.noteID] = .deleted
        }
      }
      for id in staged.files.keys where !used.contains(id) {
        findings.append(
          Finding(
            .leftover, Layout.path(Layout.staging, name, FileNameHex.name(of: id)),
            "staged by a run, but not what the index lists now"))
      }
    }
    return completions
  }

  /// Whether a note goes with the compartment that a run has handed over.
  private func isLeft(_ note: NoteID, by run: [UInt8], _ base: VerifyBase) -> Bool {
    guard let segment = SegmentID(hex: run.span), base.snapshot.isHandOver(segment) else {
      return false
    }
    return base.snapshot.compartments.values.allSatisfy { $0.notes[note] == nil }
  }
}

extension State {
  /// The digest of a file; nil for a grave.
  var digest: Digest? {
    switch self {
    case .grave: nil
    case .file(let digest, _): digest
    }
  }

  /// The state as findings show it.
  var text: String {
    switch self {
    case .grave: "no file"
    case .file(let digest, let byteCount): "\(byteCount) bytes, digest \(digest.hex)"
    }
  }
}
