internal import VaultFormat
internal import VaultSealing

/// One worker that decrypts notes and throws the content away.
struct ContentsWorker: ~Copyable {
  private let root: SharedFolder
  private var reader: NoteReader
  /// The folder that the last file lay in.
  private var folder: (path: [UInt8], open: SharedFolder)?

  init(_ root: SharedFolder) throws(StoreError) {
    reader = try NoteReader()
    self.root = root
  }

  /// Opens one piece of a note, which may be all of it.
  mutating func check(
    _ task: VerifyContents.Task, piece: Int, _ outcome: inout VerifyContents.Outcome
  ) {
    let path = Layout.path(task.place.path, FileNameHex.name(of: task.note.id))
    do {
      let opened = try reader.open(
        try openFile(task), note: task.note.id, keys: task.secret.keys)
      outcome.findings += Self.findings(about: opened.header, task.note, path)
      try check(opened, task, piece: piece)
    } catch {
      switch error {
      case .system(let error, _):
        if error.code == .notFound { outcome.hasVanished = true }
        outcome.findings.append(Finding(error, at: path))
      case .damaged(_, let cause):
        outcome.findings.append(Finding(Finding.Code(cause), path, "\(cause)"))
      case .sealing(.crypto, _):
        outcome.failure = error
      case .sealing(let cause, _):
        outcome.findings.append(Finding(Finding.Code(cause), path, "\(cause)"))
      default:
        outcome.failure = error
      }
    }
  }

  private mutating func openFile(_ task: VerifyContents.Task) throws(StoreError) -> FileDescriptor {
    let path = task.place.path
    do {
      if let folder, folder.path == path {
        return try folder.open.folder.openFile(FileNameHex.name(of: task.note.id))
      }
      let open = SharedFolder(try root.open(task.place))
      folder = (path, open)
      return try open.folder.openFile(FileNameHex.name(of: task.note.id))
    } catch {
      throw .system(error, path: path)
    }
  }

  private mutating func check(
    _ opened: borrowing OpenedNote, _ task: VerifyContents.Task, piece: Int
  ) throws(StoreError) {
    try reader.begin(opened, keys: task.secret.keys)
    try reader.beginContent(of: opened)
    let runCount = opened.sealed.runCount
    let first = runCount * piece / task.pieceCount
    for run in first..<(runCount * (piece + 1) / task.pieceCount) {
      let count = try reader.openRunWithoutHashing(run, of: opened)
      _ = try reader.pass(payloadCount: count, of: opened) { _ in .more }
    }
    try reader.finishContent(of: opened)
  }

  /// What the header says against the index. The index is the authority on names, so only the safety of the header's
  /// path counts.
  private static func findings(
    about header: NoteHeader, _ note: NoteInfo, _ path: [UInt8]
  ) -> [Finding] {
    var findings: [Finding] = []
    if let fault = SafePath.fault(in: header.path) {
      findings.append(
        Finding(.unsafePath, path, "the path in the note's header must not be used: it \(fault)"))
    }
    if !header.content.agrees(with: note.record) {
      findings.append(
        Finding(.recordDiffers, path, "the header says something else than the index"))
    }
    return findings
  }
}

extension NoteReader {
  /// Reads and opens one run of a file whose digest is known.
  /// - Returns: how many of the pieces' bytes are payload.
  fileprivate mutating func openRunWithoutHashing(
    _ run: Int, of opened: borrowing OpenedNote
  ) throws(StoreError) -> Int {
    let numbers = opened.sealed.chunks(ofRun: run)
    let offset = opened.sealed.geometry.streamRange(ofChunk: numbers.lowerBound).lowerBound
    try opened.sealed.read(run: run, into: &buffer, path: opened.path)
    let held = buffer
    let byteCount = worker.chunks.openedByteCount(of: held.count)
    // Taken out and put back: the compiler sees no border between two stored properties here.
    var pieces = self.pieces
    self.pieces = []
    defer { self.pieces = pieces }
    if pieces.count < byteCount { pieces = [UInt8](repeating: 0, count: byteCount) }
    do {
      var room = pieces.mutableSpan
      var part = room._mutatingExtracting(0..<byteCount)
      try worker.chunks.open(
        held.bytes,
        ChunkRun(
          firstChunk: numbers.lowerBound,
          endsStream: numbers.upperBound == opened.sealed.geometry.chunkCount), into: &part)
      try opened.stream.checkPadding(in: part.span, at: UInt64(offset))
    } catch {
      throw .sealing(error, path: opened.path)
    }
    return opened.payloadCount(of: byteCount, at: offset)
  }
}

extension Finding.Code {
  /// The code that says what a sealing error on a note means.
  fileprivate init(_ error: SealingError) {
    switch error {
    case .otherVault, .otherCompartment: self = .foreignVault
    case .otherNote: self = .misnamed
    case .signerDoesNotFit: self = .wrongSigner
    case .signatureInvalid, .handOverInvalid: self = .badSignature
    case .commitmentMismatch, .headerNotAuthentic, .chunkNotAuthentic, .boxNotAuthentic:
      self = .sealBroken
    // What was decrypted was sealed so by the owner's key: it breaks the format.
    case .format, .zstd, .wrongFileByteCount, .paddingNotZero, .crypto, .selfCheckFailed:
      self = .malformed
    }
  }
}
