internal import VaultFormat
internal import VaultSealing

/// One commit of a `pack`: all that changes in one compartment.
extension Packing {
  func commit(
    _ actions: [PackDecision.Action], to compartment: UnlockedCompartment,
    in session: borrowing WriterSession, _ ahead: PackReadAhead.Contents?,
    _ outcome: inout PackOutcome, _ results: inout Results
  ) throws(StoreError) -> SegmentID? {
    let run = try session.newRun()
    let jobs = actions.map(job)
    let sealing = PackSealing(
      source: source, items: scan.items, vault: vault, compartment: compartment,
      policy: options.compression, ahead: ahead, watch: watch, afterReading: afterReading)
    let folder: PackSealing.Folder
    do { folder = .init(try run.folder.reopened()) } catch {
      throw .system(error, path: Layout.staging)
    }
    let sealed = try sealing.run(jobs, into: folder)
    var change = IndexChange()
    for (action, sealed) in zip(actions, sealed) {
      try add(action, sealed, in: compartment, to: &change, &outcome, &results)
    }
    guard !change.isEmpty else { return nil }
    return try session.commit(
      change, run: run, secret: compartment.secret, index: compartment.index)
  }

  private func job(for action: PackDecision.Action) -> PackSealing.Job {
    switch action {
    case .add(let item), .keepBoth(let item, _): .init(item: item, note: nil)
    case .change(let item, let note): .init(item: item, note: note)
    case .remove(let note): .init(item: nil, note: note)
    case .rename, .mode: .init(item: nil, note: nil)
    }
  }

  private func add(
    _ action: PackDecision.Action, _ sealed: PackSealing.Outcome,
    in compartment: UnlockedCompartment, to change: inout IndexChange,
    _ outcome: inout PackOutcome, _ results: inout Results
  ) throws(StoreError) {
    if case .skipped(let reason) = sealed, let item = job(for: action).item {
      outcome.problems.append(SourceScanProblem(path: scan.items[item].path, reason))
      return
    }
    outcome.changes.append(self.change(action))
    switch action {
    case .add(let item), .keepBoth(let item, _):
      guard case .sealed(let sealed) = sealed else { return }
      let place = try place(scan.items[item].path, sealed.status)
      try state(sealed, item, place, older: nil, in: compartment, to: &change, &results)
      outcome.sealedByteCount += sealed.byteCount
    case .change(let item, let note):
      guard case .sealed(let sealed) = sealed else { return }
      let older = vault.notes[note]
      let place = try place(older.path, sealed.status)
      try state(sealed, item, place, older: older, in: compartment, to: &change, &results)
      outcome.sealedByteCount += sealed.byteCount
    case .rename(let item, let note):
      let place = try place(scan.items[item].path, scan.items[item].status)
      try move(note, to: place, item, in: compartment, &change, &results)
    case .mode(let item, let note):
      let place = try place(vault.notes[note].path, scan.items[item].status)
      try move(note, to: place, item, in: compartment, &change, &results)
    case .remove(let note):
      let note = vault.notes[note]
      results.gone.insert(note.id)
      try change.bury(
        note.id, under: try Self.grave(), over: register(of: note.id, in: compartment),
        before: note.digest)
    }
  }

  // MARK: - Entries

  private func state(
    _ sealed: SealedNote, _ item: Int, _ place: Place, older: NoteInfo?,
    in compartment: UnlockedCompartment, to change: inout IndexChange, _ results: inout Results
  ) throws(StoreError) {
    let register = register(of: sealed.id, in: compartment)
    let isPlaceNew = older.map { $0.isExecutable != place.executable } ?? true
    try change.state(
      sealed.id, .file(sealed.digest, byteCount: sealed.byteCount), record: sealed.record,
      over: register, place: isPlaceNew ? (place, register.placeVersion + 1) : nil,
      plan: CommitPlan.Item(noteID: sealed.id, before: older?.digest, after: sealed.digest))
    let note = NoteInfo(
      id: sealed.id, compartment: compartment.index.compartment, path: place.path,
      shownPath: place.path, isExecutable: place.executable, record: sealed.record,
      digest: sealed.digest, sealedByteCount: sealed.byteCount)
    results.packed.append((item, sealed.status, note))
  }

  private func move(
    _ position: Int, to place: Place, _ item: Int, in compartment: UnlockedCompartment,
    _ change: inout IndexChange, _ results: inout Results
  ) throws(StoreError) {
    let note = vault.notes[position]
    let version = register(of: note.id, in: compartment).placeVersion + 1
    try change.move(note.id, to: place, version: version)
    results.gone.insert(note.id)
    results.packed.append((item, scan.items[item].status, note))
  }

  private func register(of note: NoteID, in compartment: UnlockedCompartment) -> Register {
    compartment.index.notes[note] ?? Register()
  }

  private func place(_ path: [UInt8], _ status: FileStatus) throws(StoreError) -> Place {
    do {
      return try Place(path: path, executable: status.kind == .regular && status.isExecutable)
    } catch {
      throw .sealing(.format(error), path: Layout.index)
    }
  }

  private static func grave() throws(StoreError) -> Grave {
    do { return try Fresh().id.retyped(as: Grave.self) } catch {
      throw .sealing(error, path: Layout.index)
    }
  }
}
