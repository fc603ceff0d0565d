internal import Synchronization
internal import VaultFormat

// Making the files and links of notes under names of their own, complete but for the name.
extension UnpackWorker {
  mutating func makeLink(_ note: NoteInfo) throws(UnpackFault) -> [UInt8] {
    let target: [UInt8]
    do throws(StoreError) {
      let compartment = try run.compartment(of: note)
      target = try reader.content(
        try run.files.open(note), of: note, in: compartment,
        limit: Int(Limits.linkTargetByteCount.upperBound))
    } catch {
      throw .vault(error)
    }
    let name = run.temporaryName()
    try inTarget { () throws(SystemError) in
      try cursor.folder.makeSymbolicLink(name, target: target)
    }
    do throws(SystemError) {
      try cursor.folder.setTimes(name, modified: FileTime(note.record.modified))
    } catch {
      remove(name)
      throw .target(error)
    }
    return name
  }

  mutating func makeFile(_ note: NoteInfo) throws(UnpackFault) -> [UInt8] {
    let compartment: UnlockedCompartment
    let source: FileDescriptor
    do throws(StoreError) {
      compartment = try run.compartment(of: note)
      source = try run.files.open(note)
    } catch {
      throw .vault(error)
    }
    let name = run.temporaryName()
    let file = try inTarget { () throws(SystemError) in
      try cursor.folder.createFile(name, mode: 0o600)
    }
    do throws(UnpackFault) {
      if run.isShared(note) {
        try fillTogether(name, from: source, note, compartment)
      } else {
        try fill(file, from: source, note, compartment)
      }
      try finish(file, note)
    } catch {
      remove(name)
      throw error
    }
    return name
  }

  private func finish(
    _ file: consuming FileDescriptor, _ note: NoteInfo
  ) throws(UnpackFault) {
    do {
      try file.setMode(run.mode(of: note))
      try file.setTimes(modified: FileTime(note.record.modified))
      try file.close()
    } catch {
      throw .target(error)
    }
  }

  private mutating func fill(
    _ file: borrowing FileDescriptor, from source: consuming FileDescriptor, _ note: NoteInfo,
    _ compartment: UnlockedCompartment
  ) throws(UnpackFault) {
    var output = UnpackOutput(run, note)
    var offset: UInt64 = 0
    do throws(StoreError) {
      try reader.read(source, of: note, in: compartment, checking: .alongside) {
        (piece) throws(StoreError) in
        try output.write(piece, to: file, at: offset)
        offset += UInt64(piece.count)
      }
    } catch {
      throw output.fault(error)
    }
  }

  /// Fills a large file with all workers, each of which opens it by itself.
  private mutating func fillTogether(
    _ name: [UInt8], from source: consuming FileDescriptor, _ note: NoteInfo,
    _ compartment: UnlockedCompartment
  ) throws(UnpackFault) {
    let shared: SharedNote
    do throws(StoreError) {
      shared = try SharedNote(
        try reader.open(source, of: note, in: compartment), of: note, in: compartment)
    } catch {
      throw .vault(error)
    }
    let failure = Mutex<UnpackFault?>(nil)
    let run = run
    let folder = UnpackPlace(note.shownPath).folder
    try inTarget { () throws(SystemError) in
      try Workers.run(count: min(run.workerCount, shared.runCount)) { _ in
        do throws(UnpackFault) {
          try Self.takePart(in: shared, run, folder: folder, name: name, note)
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    do { try shared.finish(reader) } catch { throw .vault(error) }
  }

  private static func takePart(
    in shared: SharedNote, _ run: UnpackRun, folder: [UInt8], name: [UInt8], _ note: NoteInfo
  ) throws(UnpackFault) {
    let file = try inTarget { () throws(SystemError) in
      var cursor = try UnpackCursor(run.target.root)
      try cursor.enter(folder)
      return try cursor.folder.openFileForWriting(name)
    }
    try takePart(in: shared, run, file: file, note)
    do { try file.close() } catch { throw .target(error) }
  }

  private static func takePart(
    in shared: SharedNote, _ run: UnpackRun, file: borrowing FileDescriptor, _ note: NoteInfo
  ) throws(UnpackFault) {
    var output = UnpackOutput(run, note)
    do throws(StoreError) {
      var reader = try NoteReader()
      try shared.work(with: &reader) { (piece, offset) throws(StoreError) in
        try output.write(piece, to: file, at: offset)
      }
    } catch {
      throw output.fault(error)
    }
  }
}

/// Takes content out of a reader into a file, and remembers whether it was the file that refused.
private struct UnpackOutput {
  private let run: UnpackRun
  private let path: [UInt8]
  private var refusal: SystemError?

  init(_ run: UnpackRun, _ note: NoteInfo) {
    self.run = run
    path = note.shownPath
  }

  mutating func write(
    _ piece: Span<UInt8>, to file: borrowing FileDescriptor, at offset: UInt64
  ) throws(StoreError) {
    if run.shouldStop() { throw .interrupted }
    do {
      try file.write(piece, at: offset)
    } catch {
      refusal = error
      throw .system(error, path: path)
    }
    run.advance(by: piece.count)
  }

  func fault(_ error: StoreError) -> UnpackFault {
    refusal.map(UnpackFault.target) ?? .vault(error)
  }
}

extension FileTime {
  /// A note's time as the system takes it.
  init(_ time: Timestamp) {
    self.init(seconds: time.seconds, nanoseconds: time.nanoseconds)
  }
}
