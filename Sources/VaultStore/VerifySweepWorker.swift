internal import VaultFormat
internal import VaultSealing

/// One worker of a sweep: lists a folder after the other and hashes its small files.
struct SweepWorker: ~Copyable {
  /// Files above this many bytes are hashed by all workers together.
  static let sharedFromByteCount = 4 << 20

  private let sweep: VerifySweep
  private var hasher: NoteHasher
  private var large: [LargeFile] = []
  var outcome = VerifySweep.Outcome()

  init(sweep: VerifySweep) throws(StoreError) {
    hasher = try NoteHasher()
    self.sweep = sweep
  }

  consuming func finish() -> (outcome: VerifySweep.Outcome, large: [LargeFile]) {
    (outcome, large)
  }

  /// Lists one folder and hashes what is in it.
  mutating func take(_ place: VerifySweep.Place) {
    let listed: ListedFolder
    do { listed = try ListedFolder(try sweep.root.open(place)) } catch {
      if error.code == .notFound { outcome.hasVanished = true }
      if case .notes(let name) = place, let byte = FileNameHex.folderByte(name) {
        outcome.unlisted.insert(byte)
      }
      return outcome.findings.append(Finding(error, at: place.path))
    }
    var files = SealedFilesOnDisk()
    for entry in listed.entries {
      take(entry.name, in: listed.folder, place, &files)
      if outcome.failure != nil { break }
    }
    switch place {
    case .notes: outcome.notes.merge(files)
    case .staged(let name): outcome.staged[name, default: SealedFilesOnDisk()].merge(files)
    }
  }

  private mutating func take(
    _ name: [UInt8], in folder: borrowing Directory, _ place: VerifySweep.Place,
    _ files: inout SealedFilesOnDisk
  ) {
    guard let id = FileNameHex.noteID(name) else {
      return takeOther(name, place, &files)
    }
    if case .notes(let folderName) = place, FileNameHex.folderByte(folderName) != id.firstByte {
      outcome.findings.append(
        Finding(
          .misnamed, Layout.path(place.path, name), "the note lies in the folder of others",
          expected: "notes/" + id.hex.prefix(2), found: "notes/" + place.name))
      return
    }
    do {
      // Paths are made only for findings: most files have none.
      let reader = try hasher.open(
        try Self.openFile(name, in: folder), note: id, path: [])
      count(place, byteCount: reader.geometry.fileByteCount)
      outcome.findings += sweep.options.policy.findings(
        of: reader.geometry, at: Layout.path(place.path, name))
      if reader.geometry.fileByteCount > Self.sharedFromByteCount {
        large.append(LargeFile(id: id, place: place, reader))
        return
      }
      files.files[id] = SealedOnDisk(
        state: try Self.state(of: reader, with: &hasher), compartment: reader.head.compartment)
      sweep.progress.advance(reader.geometry.fileByteCount)
    } catch {
      files.explained.insert(id)
      sweep.explain(error, of: id, in: place, &outcome)
    }
  }

  /// A file of another name: a part of a run, or foreign.
  private mutating func takeOther(
    _ name: [UInt8], _ place: VerifySweep.Place, _ files: inout SealedFilesOnDisk
  ) {
    if case .staged = place, Layout.runFiles.contains(name) { return }
    let finding = Finding.foreign(name, at: Layout.path(place.path, name))
    outcome.findings.append(finding)
    if finding.code == .notDownloaded,
      let id = FileNameHex.noteID(Array(name.dropFirst().dropLast(".icloud".utf8.count)))
    {
      files.explained.insert(id)
    }
  }

  private mutating func count(_ place: VerifySweep.Place, byteCount: Int) {
    outcome.fileCount += 1
    outcome.byteCount += UInt64(byteCount)
    if case .notes = place { outcome.noteCount += 1 }
  }

  private static func openFile(
    _ name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> FileDescriptor {
    do { return try folder.openFile(name) } catch { throw .system(error, path: []) }
  }

  private static func state(
    of reader: borrowing SealedFileReader, with hasher: inout NoteHasher
  ) throws(StoreError) -> State {
    var digest = try NoteHasher.begin(reader)
    for run in 0..<reader.runCount {
      let hashes = try hasher.hashes(ofRun: run, of: reader, path: [])
      do { try digest.append(hashes) } catch { throw .sealing(error, path: []) }
    }
    return try NoteHasher.finish(digest, reader)
  }
}

extension VerifySweep.Place {
  /// The folder's own name, which is hex digits.
  var name: String {
    switch self {
    case .notes(let name), .staged(let name): String(decoding: name, as: UTF8.self)
    }
  }
}

extension SharedFolder {
  /// Opens a folder of sealed files; this is the vault's folder.
  func open(_ place: VerifySweep.Place) throws(SystemError) -> Directory {
    switch place {
    case .notes(let name): try folder.open(components: [Layout.notes, name])
    case .staged(let name): try folder.open(components: [Layout.staging, name])
    }
  }
}

extension VerifySweep {
  /// Turns what went wrong with one file into a finding, or into the failure of the run where it is not the file's.
  func explain(_ error: StoreError, of id: NoteID, in place: Place, _ outcome: inout Outcome) {
    let path = Layout.path(place.path, FileNameHex.name(of: id))
    switch error {
    case .system(let error, _):
      if error.code == .notFound { outcome.hasVanished = true }
      outcome.findings.append(Finding(error, at: path))
    case .damaged(_, .wrongByteCount("last chunk", let offset, let allowed, let found)):
      let cause = FormatError.wrongByteCount(
        field: "last chunk", offset: offset, allowed: allowed, found: found)
      let byteCount = UInt64(offset) + found
      let isLonger = expectedByteCount(id).map { $0 < byteCount } ?? false
      outcome.findings.append(
        Finding(isLonger ? .extraBytes : .cutFile, path, "\(cause)"))
    case .damaged(_, let cause):
      outcome.findings.append(Finding(Finding.Code(cause), path, "\(cause)"))
    case .noteNotAsListed:
      outcome.findings.append(
        Finding(.misnamed, path, "the file is another note than its name says"))
    default:
      outcome.failure = outcome.failure ?? error
    }
  }
}
