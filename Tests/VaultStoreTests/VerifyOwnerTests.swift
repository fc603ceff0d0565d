import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// How a note that only the owner's key can make breaks the rules.
enum Fault: CaseIterable, Sendable {
  case none, chunk, header, commitment, padding, record, headerPath, frame, noPlace, placeJump
}

/// What only somebody with the master key can have written wrongly.
@Suite struct VerifyOwnerTests {
  /// Commits one note with a fault in it, and gives the path of its file.
  private func commit(_ fault: Fault, to vault: TestVault) throws -> String {
    let folder = try vault.open()
    let session = try TestVault.session(folder)
    let compartment = try #require(
      try TestVault.unlock(folder, session.snapshot).compartments.first)
    let id = try Fresh().id
    let sealed = try FaultyNote(fault, id: id, keys: compartment.secret.keys)
    let run = try session.newRun()
    try run.folder.createFile(FileNameHex.name(of: id)).write(sealed.bytes.span, at: 0)
    var change = IndexChange()
    let place = try Place(path: bytes("a.md"), executable: false)
    let version: UInt64 = fault == .placeJump ? 1 + (1 << 20) : 1
    try change.state(
      id, sealed.state, record: sealed.listedRecord, over: Register(),
      place: fault == .noPlace ? nil : (place, version),
      plan: .init(
        noteID: id, before: nil, after: try TestSealedFile.digest(of: sealed.state)))
    _ = try session.commit(
      change, run: run, secret: compartment.secret, index: compartment.index)
    return String(decoding: Layout.notePath(id), as: UTF8.self)
  }

  @Test(arguments: [
    (Fault.none, nil), (.chunk, nil), (.header, nil), (.commitment, nil), (.padding, nil),
    (.record, nil), (.headerPath, nil), (.frame, nil),
    (.noPlace, Finding.Code.malformed), (.placeJump, .placeJump),
  ])
  func keylessVerificationSeesWhatIsInTheLists(_ fault: Fault, _ code: Finding.Code?) throws {
    let vault = try TestVault()
    let file = try commit(fault, to: vault)
    let expected = code.map { [Reported($0, file)] } ?? []
    #expect(try vault.verify().findings.map(Reported.init) == expected)
  }

  @Test(arguments: [
    (Fault.none, nil), (.chunk, Finding.Code.sealBroken), (.header, .sealBroken),
    (.commitment, .sealBroken), (.padding, .malformed), (.record, .recordDiffers),
    (.headerPath, .unsafePath), (.frame, .malformed), (.placeJump, .placeJump),
  ])
  func verificationWithTheSecretSeesWhatIsInTheBoxes(_ fault: Fault, _ code: Finding.Code?) throws {
    let vault = try TestVault()
    let file = try commit(fault, to: vault)
    let report = try vault.verifyUnlocked()
    let expected = code.map { [Reported($0, file)] } ?? []
    #expect(report.findings.map(Reported.init) == expected)
    #expect(report.level == .unlocked)
  }

  @Test func aNoteWithoutAPlaceIsFoundBothWays() throws {
    let vault = try TestVault()
    let file = try commit(.noPlace, to: vault)
    #expect(
      try vault.verifyUnlocked().findings.map(Reported.init) == [
        Reported(.malformed, file), Reported(.recordDiffers, file),
      ])
  }

  @Test func renamesOneAfterTheOtherAreNoJump() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    for name in ["b", "c", "d"] {
      let old = try #require(try vault.texts().keys.first)
      try vault.commit([.move(old, to: name)])
    }
    #expect(try vault.verify().findings == [])
  }
}

/// A note whose file has something wrong and is listed as it is.
struct FaultyNote {
  let bytes: [UInt8]
  let state: State
  let listedRecord: ContentRecord

  init(_ fault: Fault, id: NoteID, keys: borrowing CompartmentKeys) throws {
    let content = Array("one two three".utf8)
    let record = try Self.record(content.count, fault == .frame ? .zstd : .none, seconds: 1)
    listedRecord =
      fault == .record ? try Self.record(content.count, .none, seconds: 2) : record
    let path = Array((fault == .headerPath ? "../a.md" : "a.md").utf8)
    let fresh = try Fresh()
    var worker = try NoteWorker()
    let head = try worker.sealHead(
      try NoteHeader(path: path, content: record, executable: false),
      terms: SealedHeadTerms(
        noteID: id, salt: fresh.salt, baseNonce: fresh.nonce, headerNonce: fresh.secondNonce,
        chunkSizeLog2: 16, laterKeys: LaterKeys()), keys: keys)
    let streamByteCount = head.stream.geometry.streamByteCount
    var stream = content + [UInt8](repeating: 0, count: streamByteCount - content.count)
    if fault == .padding { stream[streamByteCount - 1] = 1 }
    var chunk = [UInt8](repeating: 0, count: streamByteCount + Limits.tagByteCount)
    var output = chunk.mutableSpan
    var hashes: [Digest] = []
    try worker.begin(head.stream, keys: keys)
    try worker.chunks.seal(
      stream.span, ChunkRun(firstChunk: 0, endsStream: true), into: &output, hashes: &hashes)
    var file = head.bytes + chunk
    switch fault {
    case .chunk: file[file.count - 20] ^= 1
    case .header: file[head.bytes.count - 20] ^= 1
    case .commitment: file[head.stream.head.commitmentRange.lowerBound] ^= 1
    default: break
    }
    var hasher = try ChunkHasher()
    hashes = []
    try hasher.hash(
      file.span.extracting(head.bytes.count...), chunkByteCount: 65_552, into: &hashes)
    var digest = try NoteDigest(
      head: file.span.extracting(..<head.bytes.count), fileByteCount: UInt64(file.count))
    try digest.append(hashes)
    state = .file(try digest.finish(), byteCount: UInt64(file.count))
    bytes = file
  }

  private static func record(
    _ byteCount: Int, _ compression: Compression, seconds: Int64
  ) throws -> ContentRecord {
    try ContentRecord(
      type: .file, mediaType: nil, contentByteCount: UInt64(byteCount),
      payloadByteCount: UInt64(byteCount), compression: compression, created: nil,
      modified: try Timestamp(seconds: seconds, nanoseconds: 0), laterKeys: LaterKeys())
  }
}

extension TestVault {
  private var options: VerifyOptions {
    VerifyOptions(pins: [], bounds: Self.bounds, workerCount: 2)
  }

  func verify(progress: VerifyProgress = .silent) throws -> VerifyReport {
    try Verification(path: path, options: options).run(progress: progress, keys: nil)
  }

  func verifyUnlocked(progress: VerifyProgress = .silent) throws -> VerifyReport {
    let verification = try Verification(path: path, options: options)
    let locked = try #require(verification.lockedVault)
    let opened = try Unlocking(
      locked.snapshot.usableSlots, of: locked.vault.header, with: Self.secret(Self.passphrase)
    ).finish()
    return try verification.run(progress: progress) { () throws(StoreError) in opened }
  }
}
