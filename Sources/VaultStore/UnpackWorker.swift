internal import VaultFormat

/// Writes notes into the target, one after the other; one per thread.
struct UnpackWorker: ~Copyable {
  let run: UnpackRun
  var reader: NoteReader
  var cursor: UnpackCursor
  private var report = UnpackReport()

  /// - Throws: `sealing`, `system` where the means to work are not to be had.
  init(_ run: UnpackRun) throws(StoreError) {
    let reader = try NoteReader()
    let cursor: UnpackCursor
    do { cursor = try UnpackCursor(run.target.root) } catch { throw .system(error, path: []) }
    self.run = run
    self.reader = reader
    self.cursor = cursor
  }

  /// Hands over what was done.
  consuming func finish() { run.add(report) }

  /// Writes the files and links of one folder.
  /// - Parameter isNew: whether this run made the folder, so that nothing can be in the way.
  mutating func unpack(_ notes: [NoteInfo], isNew: Bool) {
    for note in notes {
      if run.shouldStop() { return }
      do throws(UnpackFault) {
        if try place(note, isNew: isNew) { report.written += 1 } else { report.skipped += 1 }
      } catch {
        fail(note, error)
      }
    }
  }

  private mutating func fail(_ note: NoteInfo, _ fault: UnpackFault) {
    if case .target(let cause) = fault, cause.endsUnpacking { run.end(.target(cause)) }
    if case .vault(.interrupted) = fault { return }
    report.add(note.shownPath, fault)
  }

  /// - Returns: false where something is there already and stays.
  private mutating func place(_ note: NoteInfo, isNew: Bool) throws(UnpackFault) -> Bool {
    let place = UnpackPlace(note.shownPath)
    try inTarget { () throws(SystemError) in try cursor.enter(place.folder) }
    if !isNew, try isKept(note, place.name) { return false }
    let temporary = note.record.type == .link ? try makeLink(note) : try makeFile(note)
    do throws(UnpackFault) {
      return try settle(temporary, note, place.name)
    } catch {
      remove(temporary)
      throw error
    }
  }

  func remove(_ temporary: [UInt8]) {
    // What went wrong before is what is reported; a next run removes what is left.
    try? cursor.folder.unlink(temporary)
  }
}

// MARK: - What is there

extension UnpackWorker {
  /// Whether something has the note's name already and stays.
  /// - Throws: `exists`, `sameName`.
  private mutating func isKept(_ note: NoteInfo, _ name: [UInt8]) throws(UnpackFault) -> Bool {
    let status = try inTarget { () throws(SystemError) in try cursor.folder.status(of: name) }
    guard let status else { return false }
    if let twin = try twin(of: note, with: status.identity) { throw .sameName(as: twin) }
    switch run.existing {
    case .refused: throw .exists(status.kind)
    case .skipped:
      guard status.kind != .folder else { throw .exists(.folder) }
      return true
    case .overwritten: return false
    }
  }

  /// Another note of the run that the target has taken for the same file.
  private mutating func twin(
    of note: NoteInfo, with identity: FileIdentity
  ) throws(UnpackFault) -> [UInt8]? {
    for twin in run.twins[note.shownPath] ?? [] {
      let other = try inTarget { () throws(SystemError) in
        try cursor.folder.status(of: UnpackPlace(twin).name)
      }
      if other?.identity == identity { return twin }
    }
    return nil
  }

  /// Gives a finished file or link its name.
  /// - Returns: false where something came to be there meanwhile and stays.
  private mutating func settle(
    _ temporary: [UInt8], _ note: NoteInfo, _ name: [UInt8]
  ) throws(UnpackFault) -> Bool {
    do throws(SystemError) {
      try cursor.folder.rename(temporary, to: cursor.folder, name, replacing: .forbidden)
      return true
    } catch {
      guard error.code == .exists else { throw .target(error) }
    }
    if try isKept(note, name) {
      remove(temporary)
      return false
    }
    do {
      try replace(name, with: temporary)
    } catch {
      throw error.code == .notEmpty ? .exists(.folder) : .target(error)
    }
    return true
  }

  private func replace(_ name: [UInt8], with temporary: [UInt8]) throws(SystemError) {
    if try cursor.folder.status(of: name)?.kind == .folder {
      try cursor.folder.removeDirectory(name)
    }
    try cursor.folder.rename(temporary, to: cursor.folder, name, replacing: .allowed)
  }
}

/// Names the target as the reason for a system error.
func inTarget<Result: ~Copyable>(
  _ step: () throws(SystemError) -> Result
) throws(UnpackFault) -> Result {
  do { return try step() } catch { throw .target(error) }
}
