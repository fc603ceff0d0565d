import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What a test wants to have changed in a vault.
enum TestChange {
  /// A new note, or a new content of the note at that path.
  case put(String, String)
  case delete(String)
  case move(String, to: String)
}

/// One sealed file, made by the building blocks as a writer does.
struct TestSealedFile {
  let bytes: [UInt8]
  let record: ContentRecord
  let state: State

  init(
    _ text: String, path: [UInt8], id: NoteID, keys: borrowing CompartmentKeys,
    chunkSizeLog2: UInt8 = 16
  ) throws {
    let content = Array(text.utf8)
    record = try ContentRecord(
      type: .file, mediaType: nil, contentByteCount: UInt64(content.count),
      payloadByteCount: UInt64(content.count), compression: .none, created: nil,
      modified: try Timestamp(seconds: 1_700_000_000, nanoseconds: 0), laterKeys: LaterKeys())
    let fresh = try Fresh()
    var worker = try NoteWorker()
    let head = try worker.sealHead(
      try NoteHeader(path: path, content: record, executable: false),
      terms: SealedHeadTerms(
        noteID: id, salt: fresh.salt, baseNonce: fresh.nonce, headerNonce: fresh.secondNonce,
        chunkSizeLog2: chunkSizeLog2, laterKeys: LaterKeys()), keys: keys)
    let geometry = head.stream.geometry
    let stream = content + [UInt8](repeating: 0, count: geometry.streamByteCount - content.count)
    var chunks = [UInt8](
      repeating: 0, count: geometry.streamByteCount + geometry.chunkCount * Limits.tagByteCount)
    var output = chunks.mutableSpan
    var hashes: [Digest] = []
    try worker.begin(head.stream, keys: keys)
    try worker.chunks.seal(
      stream.span, ChunkRun(firstChunk: 0, endsStream: true), into: &output, hashes: &hashes)
    bytes = head.bytes + chunks
    var digest = try NoteDigest(head: head.bytes.span, fileByteCount: UInt64(bytes.count))
    try digest.append(hashes)
    state = .file(try digest.finish(), byteCount: UInt64(bytes.count))
  }

  /// The digest, where the state is that of a file.
  static func digest(of state: State?) throws -> Digest {
    guard case .file(let digest, _) = state else { throw NotAFile() }
    return digest
  }

  struct NotAFile: Error {}
}

extension TestVault {
  /// A writer. It waits, because a program that another test starts has a copy of the lock until it runs.
  static func session(_ vault: VaultFolder) throws -> WriterSession {
    try WriterSession(vault, bounds: bounds, waitingSeconds: 30)
  }

  /// One commit of a writer, from the lock to the end.
  /// - Parameter meanwhile: called when everything is staged, before the commit.
  @discardableResult
  func commit(
    _ changes: [TestChange], faults: FaultPlan? = nil, chunkSizeLog2: UInt8 = 16,
    meanwhile: () throws -> Void = {}
  ) throws -> SegmentID {
    let vault = try open(faults: faults)
    var session = try Self.session(vault)
    try session.removeLeftovers()
    let unlocked = try Self.unlock(vault, session.snapshot)
    let compartment = try #require(unlocked.compartments.first)
    let run = try session.newRun()
    var change = IndexChange()
    for item in changes {
      try stage(
        item, unlocked, compartment, in: run.folder, chunkSizeLog2: chunkSizeLog2, to: &change)
    }
    try meanwhile()
    return try session.commit(
      change, run: run, secret: compartment.secret, index: compartment.index)
  }

  private func stage(
    _ item: TestChange, _ unlocked: UnlockedVault, _ compartment: UnlockedCompartment,
    in folder: borrowing Directory, chunkSizeLog2: UInt8, to change: inout IndexChange
  ) throws {
    func note(_ path: String) -> NoteInfo? { unlocked.note(at: bytes(path)) }
    let registers = compartment.index.notes
    switch item {
    case .put(let path, let text):
      let old = note(path)
      let id = try old?.id ?? Fresh().id
      let sealed = try TestSealedFile(
        text, path: bytes(path), id: id, keys: compartment.secret.keys,
        chunkSizeLog2: chunkSizeLog2)
      let file = try folder.createFile(FileNameHex.name(of: id))
      try file.write(sealed.bytes.span, at: 0)
      try file.close()
      let place = try Place(path: bytes(path), executable: false)
      try change.state(
        id, sealed.state, record: sealed.record, over: registers[id] ?? Register(),
        place: old == nil ? (place, 1) : nil,
        plan: .init(
          noteID: id, before: old?.digest, after: try TestSealedFile.digest(of: sealed.state)))
    case .delete(let path):
      let old = try #require(note(path))
      try change.bury(
        old.id, under: try Fresh().id.retyped(as: Grave.self),
        over: try #require(registers[old.id]), before: old.digest)
    case .move(let path, let newPath):
      let old = try #require(note(path))
      let version = 1 + (registers[old.id]?.placeVersion ?? 0)
      try change.move(old.id, to: Place(path: bytes(newPath), executable: false), version: version)
    }
  }

  /// Every alive note by its shown path, decrypted; each must be there and whole.
  func texts() throws -> [String: String] {
    let unlocked = try unlock()
    try #require(unlocked.findings.isEmpty, "\(unlocked.findings)")
    let files = try NoteReaderFiles(unlocked.vault)
    var texts: [String: String] = [:]
    for note in unlocked.notes {
      let secret = try #require(unlocked.secret(of: note))
      let file = try files.open(note).readWhole(limit: 1 << 24)
      let text = try Self.text(of: file, note.id, keys: secret.keys)
      texts[String(decoding: note.shownPath, as: UTF8.self)] = text
    }
    return texts
  }

  static func text(
    of file: [UInt8], _ note: NoteID, keys: borrowing CompartmentKeys
  ) throws -> String {
    var worker = try NoteWorker()
    let stream = try worker.openHead(file.span, noteID: note, keys: keys)
      .stream(fileByteCount: file.count)
    var content = [UInt8](repeating: 0, count: stream.geometry.streamByteCount)
    var output = content.mutableSpan
    try worker.begin(stream, keys: keys)
    try worker.chunks.open(
      file.span.extracting(stream.geometry.chunksOffset...),
      ChunkRun(firstChunk: 0, endsStream: true), into: &output)
    return String(decoding: content.prefix(Int(stream.payloadByteCount)), as: UTF8.self)
  }
}

/// Checks that every current state of the vault's notes is what lies in `notes/`, and nothing else does.
func expectSettled(_ vault: TestVault, sourceLocation: SourceLocation = #_sourceLocation) throws {
  let snapshot = try vault.snapshot()
  #expect(snapshot.findings.isEmpty, sourceLocation: sourceLocation)
  #expect(try vault.names("staging") == nil, sourceLocation: sourceLocation)
  var expected: [NoteID: State] = [:]
  for index in snapshot.compartments.values {
    #expect(index.graph.missing.isEmpty, sourceLocation: sourceLocation)
    for (id, register) in index.notes {
      let state = try #require(register.onlyCurrent, sourceLocation: sourceLocation)
      if state.isFile { expected[id] = state }
    }
  }
  let folder = try vault.open()
  var found: [NoteID: State] = [:]
  for id in try vault.sealedFiles().keys { found[id] = NoteFiles.state(of: id, in: folder) }
  #expect(found == expected, sourceLocation: sourceLocation)
}
