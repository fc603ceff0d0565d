import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// Digests of sealed files without a key (spec §6.3).
@Suite struct NoteHasherTests {
  private struct Known: Decodable {
    struct File: Decodable {
      let name: String
      let noteId, file, digest: HexBytes
    }

    let files: [File]
  }

  private let keys: CompartmentSecret

  init() throws {
    let masterKey = try SecretBytes(copying: [UInt8](repeating: 7, count: 32).span)
    keys = CompartmentSecret(
      try CompartmentKeys(masterKey: masterKey, vaultID: VaultID(high: 1, low: 2)))
  }

  private func state(
    of file: [UInt8], _ note: NoteID, _ place: borrowing Workplace, with hasher: inout NoteHasher
  ) throws -> State {
    if try place.folder.status(of: bytes("f")) != nil { try place.folder.unlink(bytes("f")) }
    let new = try place.folder.createFile(bytes("f"))
    try new.write(file.span, at: 0)
    return try hasher.state(of: place.folder.openFile(bytes("f")), note: note, path: bytes("f"))
  }

  @Test func everyVectorHasItsDigestWithOneHasherForAll() throws {
    let known: Known = try Fixtures.json("vectors/vault/sealed-files.json")
    #expect(known.files.count == 5)
    let place = try Workplace()
    var hasher = try NoteHasher()
    for file in known.files + known.files.reversed() {
      let note = try NoteID(copying: file.noteId.bytes.span)
      let found = try state(of: file.file.bytes, note, place, with: &hasher)
      let digest = try Digest(copying: file.digest.bytes.span)
      #expect(
        found == .file(digest, byteCount: UInt64(file.file.bytes.count)), "\(file.name)")
    }
  }

  @Test func aFileOfSeveralRunsHasTheDigestItWasSealedWith() throws {
    let place = try Workplace()
    var hasher = try NoteHasher()
    let note = NoteID(high: 1, low: 1)
    for byteCount in [1 << 20, (1 << 20) + 1, 2_500_000] {
      let text = String(repeating: "x", count: byteCount)
      let sealed = try TestSealedFile(text, path: bytes("a"), id: note, keys: keys.keys)
      let found = try state(of: sealed.bytes, note, place, with: &hasher)
      #expect(found == sealed.state)
    }
  }

  @Test func runsThatSeveralHashersTakeGiveTheSameHashes() throws {
    let place = try Workplace()
    let note = NoteID(high: 1, low: 1)
    let text = String(repeating: "x", count: 2_500_000)
    let sealed = try TestSealedFile(text, path: bytes("a"), id: note, keys: keys.keys)
    var one = try NoteHasher()
    var other = try NoteHasher()
    _ = try state(of: sealed.bytes, note, place, with: &one)
    let file = try place.folder.openFile(bytes("f"))
    let reader = try one.open(file, note: note, path: bytes("f"))
    #expect(reader.runCount == 3)
    var digest = try NoteHasher.begin(reader)
    var hashes: [[Digest]] = []
    for run in (0..<reader.runCount).reversed() {
      hashes.append(
        run % 2 == 0
          ? try one.hashes(ofRun: run, of: reader, path: bytes("f"))
          : try other.hashes(ofRun: run, of: reader, path: bytes("f")))
    }
    for run in hashes.reversed() { try digest.append(run) }
    #expect(try NoteHasher.finish(digest, reader) == sealed.state)
  }

  @Test func anotherNotesFileIsMisnamed() throws {
    let place = try Workplace()
    var hasher = try NoteHasher()
    let note = NoteID(high: 1, low: 1)
    let sealed = try TestSealedFile("x", path: bytes("a"), id: note, keys: keys.keys)
    #expect(throws: StoreError.noteNotAsListed(path: bytes("f"), .misnamed)) {
      try state(of: sealed.bytes, NoteID(high: 1, low: 2), place, with: &hasher)
    }
    #expect(try state(of: sealed.bytes, note, place, with: &hasher) == sealed.state)
  }

  @Test func damageIsNamedAndTheHasherGoesOn() throws {
    let place = try Workplace()
    var hasher = try NoteHasher()
    let note = NoteID(high: 1, low: 1)
    let sealed = try TestSealedFile("x", path: bytes("a"), id: note, keys: keys.keys)
    let damaged: [([UInt8], FormatError)] = [
      ([], .emptyFile), (bytes("<<<<<<< HEAD\n"), .mergeMarkers), (bytes("text"), .wrongMagic),
      (
        Array(sealed.bytes.prefix(20)),
        .truncated(field: "public map", offset: 16, needed: Int(sealed.bytes[15]), available: 4)
      ),
    ]
    for (file, error) in damaged {
      #expect(throws: StoreError.damaged(path: bytes("f"), error)) {
        try state(of: file, note, place, with: &hasher)
      }
    }
    // A byte more or less or another is another state, unless the file cannot be cut into chunks any more.
    let others: [[UInt8]] = [
      sealed.bytes + [0], sealed.bytes.dropLast(), sealed.bytes.dropLast() + [0xFF],
    ]
    for other in others {
      #expect(try state(of: other, note, place, with: &hasher) != sealed.state)
    }
    #expect(try state(of: sealed.bytes, note, place, with: &hasher) == sealed.state)
  }
}
