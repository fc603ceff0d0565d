import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What `expected.json` of a fixture says about one note, as far as readers are concerned.
struct ExpectedNote: Decodable {
  let id: String
  let shownPath: HexBytes
  let type: String
  let byteCount: UInt64
  let sha256: HexBytes
  let modified: [Int64]
  let executable: Bool
}

/// A vault under `fixtures/vaults/v1/`, copied and opened with its master key, which saves the derivation.
struct FixtureVault: ReadableTestVault {
  private struct Expected: Decodable {
    let masterKey: HexBytes
    let notes: [ExpectedNote]
  }

  let folder: TemporaryFolder
  let notes: [ExpectedNote]
  private let masterKey: [UInt8]

  var path: String { folder.path(of: "vault") }

  init(_ name: String) throws {
    let expected: Expected = try Fixtures.json("vaults/v1/\(name)/expected.json")
    notes = expected.notes
    masterKey = expected.masterKey.bytes
    folder = try TemporaryFolder.inMemory()
    let source = Fixtures.url("vaults/v1/\(name)/vault").path()
    try #require(TemporaryFolder.run(["/bin/cp", "-R", source, path]) == 0)
  }

  func unlocked() throws -> UnlockedVault { try unlock(path, masterKey: masterKey) }
}

/// A vault on disk that is there as long as its value lives.
protocol ReadableTestVault {
  func unlocked() throws -> UnlockedVault
}

/// Opens a vault with the master key of one compartment.
func unlock(_ path: String, masterKey: [UInt8]) throws -> UnlockedVault {
  let vault = try VaultFolder(path: bytes(path))
  let secret = CompartmentSecret(
    try CompartmentKeys(
      masterKey: try SecretBytes(copying: masterKey.span), vaultID: vault.header.vaultID))
  let slots = OpenedSlots(
    secrets: [secret.keys.compartmentID: secret], slots: [], report: SlotReport())
  return try slots.read(try Snapshot.load(vault, bounds: .standard), of: vault)
}

/// A note to be sealed as it is told, whether or not a writer would do so.
struct TestNote {
  var path: [UInt8]
  var type = ContentType.file
  var content: [UInt8] = []
  var modified: (seconds: Int64, nanoseconds: UInt32) = (1_700_000_000, 0)
  var isExecutable = false
  var permissions: UInt16?
  var chunkSizeLog2: UInt8 = 12
  var compression = Compression.none
  /// What the index says in place of the content's byte count.
  var listedByteCount: UInt64?

  init(_ path: String, _ content: [UInt8] = []) {
    self.path = bytes(path)
    self.content = content
  }

  init(path: [UInt8], _ content: [UInt8] = []) {
    self.path = path
    self.content = content
  }

  static func folder(_ path: String) -> TestNote {
    var note = TestNote(path)
    note.type = .folder
    return note
  }

  static func link(_ path: String, to target: String) -> TestNote {
    var note = TestNote(path, bytes(target))
    note.type = .link
    return note
  }
}

/// A vault of one segment, sealed from building blocks, without slots.
struct SealedVault: ReadableTestVault {
  let folder: TemporaryFolder
  let ids: [NoteID]
  private static let masterKey = [UInt8](repeating: 7, count: 32)

  var path: String { folder.path(of: "vault") }

  init(_ notes: [TestNote]) throws {
    let folder = try TemporaryFolder.inMemory()
    self.folder = folder
    let path = folder.path(of: "vault")
    let vaultID = VaultID(high: 1, low: 2)
    let keys = try CompartmentKeys(
      masterKey: try SecretBytes(copying: Self.masterKey.span), vaultID: vaultID)
    let header = try VaultHeader(
      vaultID: vaultID, vaultSalt: Salt(1, 2, 3, 4), firstCompartment: keys.compartmentID,
      laterKeys: LaterKeys()
    ).encoded()
    try FileManager.default.createDirectory(
      atPath: path + "/index", withIntermediateDirectories: true)
    try Data(header).write(to: URL(filePath: path + "/VAULT"))
    let ids = notes.indices.map { NoteID(high: UInt64(($0 + 1) & 0xFF) << 56, low: UInt64($0)) }
    self.ids = ids
    var entries: [IndexEntry] = []
    var items: [SegmentBody.Item] = []
    for (id, note) in zip(ids, notes) {
      let record = try Self.seal(note, id, keys: keys, into: path)
      entries.append(record.entry)
      items.append(record.item)
    }
    let lists = try SegmentLists(parents: [], replaces: [], excuses: [], entries: entries)
    let segment = try Self.craft(
      lists, try SegmentBody(items: items, entries: entries), keys: keys,
      vaultDigest: Digest(try SHA256.digest(header.span)))
    let id = Digest(try SHA256.digest(segment.span)).segmentID
    try Data(segment).write(to: URL(filePath: path + "/index/\(id.hex).seg"))
  }

  /// A well-signed segment around any paths: `SegmentSealing` refuses those that lead out.
  private static func craft(
    _ lists: SegmentLists, _ body: SegmentBody, keys: borrowing CompartmentKeys,
    vaultDigest: Digest
  ) throws -> [UInt8] {
    let encoded = body.encoded()
    let plaintext = try SegmentBoxFrame(
      compression: .none, bodyByteCount: encoded.count, expandedByteCount: encoded.count,
      entryCount: lists.entries.count
    ).encoded(body: encoded)
    let salt = Salt(5, 6, 7, 8)
    var masked = lists.encoded()
    let head = try SegmentHead(
      compartment: keys.compartmentID, salt: salt, signer: keys.signer, vaultDigest: vaultDigest,
      listsByteCount: masked.count, boxByteCount: plaintext.count + Limits.boxOverhead)
    let context = try SHA256.digest(head.prefix.span).bytes
    let commitment: Commitment = try keys.expandPublic(.segmentCommitment, context: context)
    try SegmentOpening.mask(&masked, salt: salt)
    var bytes = head.prefix + commitment.bytes + masked
    var aead = try AEAD()
    try aead.setKey(try keys.expandKey(.segmentKey, context: context))
    bytes += try SealedBox.seal(
      plaintext.span, nonce: Nonce(high: 9, low: 10), label: Label.segment.bytes,
      context: bytes.span, with: &aead)
    let message = try SegmentOpening.signedMessage(bytes.span)
    return bytes + (try keys.signingKey().sign(message.span))
  }

  func unlocked() throws -> UnlockedVault { try unlock(path, masterKey: Self.masterKey) }

  /// What a slot with the master key would give.
  func openedSlots() throws -> OpenedSlots {
    let secret = CompartmentSecret(
      try CompartmentKeys(
        masterKey: try SecretBytes(copying: Self.masterKey.span), vaultID: VaultID(high: 1, low: 2))
    )
    return OpenedSlots(
      secrets: [secret.keys.compartmentID: secret], slots: [], report: SlotReport())
  }

  /// Where a note's sealed file lies.
  func url(_ number: Int) -> URL {
    URL(filePath: path + "/" + String(decoding: Layout.notePath(ids[number]), as: UTF8.self))
  }

  /// Changes one byte of a sealed file.
  func damage(_ number: Int, at offset: (Int) -> Int) throws {
    var bytes = try Data(contentsOf: url(number))
    bytes[offset(bytes.count)] ^= 1
    try bytes.write(to: url(number))
  }

  private static func seal(
    _ note: TestNote, _ id: NoteID, keys: borrowing CompartmentKeys, into path: String
  ) throws -> (entry: IndexEntry, item: SegmentBody.Item) {
    let payload = note.compression == .zstd ? try compressed(note.content) : note.content
    func record(_ byteCount: UInt64) throws -> ContentRecord {
      try ContentRecord(
        type: note.type, mediaType: nil, contentByteCount: byteCount,
        payloadByteCount: note.compression == .zstd ? UInt64(payload.count) : byteCount,
        compression: note.compression, created: nil,
        modified: Timestamp(
          seconds: note.modified.seconds, nanoseconds: note.modified.nanoseconds),
        permissions: note.permissions, laterKeys: LaterKeys())
    }
    let header = try NoteHeader(
      path: note.path, content: try record(UInt64(note.content.count)),
      executable: note.isExecutable)
    var worker = try NoteWorker()
    let head = try worker.sealHead(
      header,
      terms: SealedHeadTerms(
        noteID: id, salt: Salt(9, id.bytes[0].asWord, id.bytes[1].asWord, 9),
        baseNonce: Nonce(high: 7, low: 8), headerNonce: Nonce(high: 8, low: 9),
        chunkSizeLog2: note.chunkSizeLog2, laterKeys: LaterKeys()), keys: keys)
    try worker.begin(head.stream, keys: keys)
    let geometry = head.stream.geometry
    let stream = payload + [UInt8](repeating: 0, count: geometry.streamByteCount - payload.count)
    var chunks = [UInt8](
      repeating: 0, count: geometry.fileByteCount - geometry.chunksOffset)
    var room = chunks.mutableSpan
    var hashes: [Digest] = []
    try worker.chunks.seal(
      stream.span, ChunkRun(firstChunk: 0, endsStream: true), into: &room, hashes: &hashes)
    var digest = try NoteDigest(
      head: head.bytes.span, fileByteCount: UInt64(geometry.fileByteCount))
    try digest.append(hashes)
    let file = path + "/" + String(decoding: Layout.notePath(id), as: UTF8.self)
    try FileManager.default.createDirectory(
      at: URL(filePath: file).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(head.bytes + chunks).write(to: URL(filePath: file))
    let state = State.file(try digest.finish(), byteCount: UInt64(geometry.fileByteCount))
    return (
      try IndexEntry(
        id: .note(id), states: [state], over: [], placeVersion: 1, laterKeys: LaterKeys()),
      SegmentBody.Item(
        records: [try record(note.listedByteCount ?? UInt64(note.content.count))],
        place: try Place(path: note.path, executable: note.isExecutable))
    )
  }

  private static func compressed(_ content: [UInt8]) throws -> [UInt8] {
    var compressor = try ZstdCompressor(level: 3)
    var frame = [UInt8](repeating: 0, count: content.count + 128)
    var room = frame.mutableSpan
    let count = try #require(try compressor.compress(content.span, into: &room))
    return Array(frame.prefix(count))
  }
}

extension UInt8 {
  fileprivate var asWord: UInt64 { UInt64(self) }
}
