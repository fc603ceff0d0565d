internal import VaultFormat
internal import VaultSealing

/// Writes what was found into the target, one file after the other; one per thread.
struct SalvageWriter: ~Copyable {
  let run: SalvageRun
  var reader: SalvageReader
  var expander: ContentExpander
  private var source: UnpackCursor
  private var cursor: UnpackCursor

  /// - Throws: `sealing`, `system` where the means to work are not to be had.
  init(_ run: SalvageRun) throws(StoreError) {
    let reader = try SalvageReader()
    let expander = try ContentExpander()
    let source = try Self.cursor(run.vault.root)
    let cursor = try Self.cursor(run.target.root)
    self.run = run
    self.reader = reader
    self.expander = expander
    self.source = source
    self.cursor = cursor
  }

  private static func cursor(
    _ root: borrowing Directory
  ) throws(StoreError) -> UnpackCursor {
    do { return try UnpackCursor(root) } catch { throw .system(error, path: []) }
  }

  mutating func write(_ item: SalvageItem) {
    do throws(UnpackFault) {
      try inTarget { () throws(SystemError) in
        try cursor.enter(UnpackPlace(item.path).folder)
      }
      let file = try openSource(item)
      let reading: SalvageReading?
      do { reading = try reader.settle(file) } catch { throw .vault(error) }
      guard let reading else { throw .vault(.changedMeanwhile) }
      run.watch.progress(file.byteCount)
      if item.isLink, try makeLink(item, file, reading) { return }
      try makeFile(item, file, reading)
    } catch {
      if case .vault(.interrupted) = error { return }
      run.add(item.path, item.candidate.noteID, error)
    }
  }

  private mutating func openSource(_ item: SalvageItem) throws(UnpackFault) -> SalvageFile {
    let path = item.candidate.path
    let place = UnpackPlace(path)
    do {
      let file: FileDescriptor
      do throws(SystemError) {
        try source.enter(place.folder)
        file = try source.folder.openFile(place.name)
      } catch {
        throw StoreError.system(error, path: path)
      }
      let recognised = try reader.recognise(
        file, path: path, named: FileNameHex.noteID(place.name),
        among: [run.compartments[item.candidate.compartment]])
      guard case .sealed(let file) = consume recognised else { throw StoreError.changedMeanwhile }
      return file
    } catch {
      throw .vault(error as? StoreError ?? .changedMeanwhile)
    }
  }

  // MARK: - Links

  /// - Returns: false where the content is not a whole target.
  private mutating func makeLink(
    _ item: SalvageItem, _ file: borrowing SalvageFile, _ reading: SalvageReading
  ) throws(UnpackFault) -> Bool {
    var target: [UInt8] = []
    do throws(StoreError) {
      let isWhole = try expand(reading, file) { (piece) throws(StoreError) in
        target += Array(copying: piece)
      }
      guard isWhole, Limits.linkTargetByteCount.contains(UInt64(target.count)),
        !target.contains(0)
      else { return false }
    } catch {
      throw .vault(error)
    }
    let name = run.temporaryName()
    try inTarget { () throws(SystemError) in
      try cursor.folder.makeSymbolicLink(name, target: target)
    }
    do throws(UnpackFault) {
      if let record = reading.record {
        try inTarget { () throws(SystemError) in
          try cursor.folder.setTimes(name, modified: FileTime(record.modified))
        }
      }
      tell(item, try settle(name, item.path))
    } catch {
      remove(name)
      throw error
    }
    return true
  }

  // MARK: - Files

  private mutating func makeFile(
    _ item: SalvageItem, _ file: borrowing SalvageFile, _ reading: SalvageReading
  ) throws(UnpackFault) {
    if reading.record?.compression == .zstd {
      try makeExpanded(item, file, reading)
    } else {
      try makePlain(item, file, reading)
    }
  }

  private mutating func makePlain(
    _ item: SalvageItem, _ file: borrowing SalvageFile, _ reading: SalvageReading
  ) throws(UnpackFault) {
    var lost: [Range<UInt64>] = []
    let name = try make(reading, item) { (writer, output) throws(UnpackFault) in
      lost = try writer.copy(reading, file, to: output)
      for gap in lost { try output.mark(gap) }
    }
    if lost.isEmpty, item.kind != .damaged {
      return tell(item, try place(name, item.path))
    }
    tellDamaged(
      item, try place(name, run.damagedName(of: item)), reading, lost: lost, unit: .content)
  }

  private mutating func makeExpanded(
    _ item: SalvageItem, _ file: borrowing SalvageFile, _ reading: SalvageReading
  ) throws(UnpackFault) {
    var isWhole = false
    let name = try make(reading, item) { (writer, output) throws(UnpackFault) in
      isWhole = try writer.expand(reading, file, to: output)
    }
    if isWhole, item.kind != .damaged { return tell(item, try place(name, item.path)) }
    let path: [UInt8]
    do throws(UnpackFault) { path = try settle(name, run.damagedName(of: item)) } catch {
      remove(name)
      throw error
    }
    guard !isWhole else { return tellDamaged(item, path, reading, lost: [], unit: .payload) }
    var lost: [Range<UInt64>] = []
    let beside = try make(reading, item) { (writer, output) throws(UnpackFault) in
      lost = try writer.copy(reading, file, to: output)
    }
    if lost == [0..<reading.payloadByteCount] {
      remove(beside)
      return tellDamaged(item, path, reading, lost: lost, unit: .payload)
    }
    let payloadPath = try place(beside, run.payloadName(of: path))
    tellDamaged(item, path, reading, lost: lost, unit: .payload, payloadPath: payloadPath)
  }

  /// Makes a file under a name of its own, with mode and time.
  private mutating func make(
    _ reading: SalvageReading, _ item: SalvageItem,
    _ fill: (inout Self, borrowing FileDescriptor) throws(UnpackFault) -> Void
  ) throws(UnpackFault) -> [UInt8] {
    let name = run.temporaryName()
    let output = try inTarget { () throws(SystemError) in
      try cursor.folder.createFile(name, mode: 0o600)
    }
    do throws(UnpackFault) {
      try fill(&self, output)
      let record = reading.record
      let mode = run.modes.mode(record?.permissions, isExecutable: item.isExecutable)
      do throws(SystemError) {
        try output.setMode(mode)
        if let record { try output.setTimes(modified: FileTime(record.modified)) }
        try output.close()
      } catch {
        throw .target(error)
      }
    } catch {
      remove(name)
      throw error
    }
    return name
  }

  // MARK: - Names

  private mutating func place(_ name: [UInt8], _ path: [UInt8]) throws(UnpackFault) -> [UInt8] {
    do throws(UnpackFault) { return try settle(name, path) } catch {
      remove(name)
      throw error
    }
  }

  /// Gives a finished file its name. Where the target takes that for another's, as file systems do that ignore letter
  /// case, the file gets a name that no other has.
  /// - Returns: the path that it has now.
  private func settle(_ temporary: [UInt8], _ path: [UInt8]) throws(UnpackFault) -> [UInt8] {
    for attempt in 1...9 {
      let path = attempt == 1 ? path : ShownNames.marked(path, Array(" (\(attempt))".utf8))
      do throws(SystemError) {
        try cursor.folder.rename(
          temporary, to: cursor.folder, UnpackPlace(path).name, replacing: .forbidden)
        return path
      } catch {
        guard error.code == .exists else { throw .target(error) }
      }
    }
    throw .exists(.unknown)
  }

  private func remove(_ temporary: [UInt8]) {
    // What went wrong before is what is reported.
    try? cursor.folder.unlink(temporary)
  }

  // MARK: - Report

  private func tell(_ item: SalvageItem, _ path: [UInt8]) {
    run.add { report in
      guard case .version(let reason) = item.kind else {
        report.whole += 1
        return
      }
      report.versions.append(
        SalvagedVersion(path: path, noteID: item.candidate.noteID, reason: reason))
    }
  }

  private func tellDamaged(
    _ item: SalvageItem, _ path: [UInt8], _ reading: SalvageReading, lost: [Range<UInt64>],
    unit: SalvageProblem.Unit, payloadPath: [UInt8]? = nil
  ) {
    run.add { report in
      report.damaged += 1
      report.problems.append(
        SalvageProblem(
          path: path, noteID: item.candidate.noteID,
          reason: reading.record == nil ? .damagedWithoutRecord : .damaged, lost: lost, unit: unit,
          payloadPath: payloadPath))
    }
  }
}
