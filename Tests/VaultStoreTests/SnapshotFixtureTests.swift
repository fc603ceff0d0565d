import FoundationEssentials
import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// The vaults that another program made are read as it says (`fixtures/vaults/v1`, spec §7.2, §8.1).
@Suite struct SnapshotFixtureTests {
  struct Expected: Decodable {
    struct Note: Decodable {
      let id, path, shownPath, digest: HexBytes
      let type: String
      let mediaType: String?
      let byteCount, placeVersion, sealedByteCount: UInt64
      let created: [Int64]?
      let modified: [Int64]
      let executable: Bool
      let compression: UInt8
    }

    struct Compartment: Decodable {
      let passphrase: String
      let compartmentId, signer, masterKey: HexBytes
      let segments: [String]
      let notes: [Note]
    }

    struct Finding: Decodable { let code, path: String }

    let passphrase, phrase: String
    let compartmentId, signer, masterKey: HexBytes
    let segments: [String]
    let notes: [Note]
    let findings: [Finding]
    let second: Compartment?

    var first: Compartment {
      Compartment(
        passphrase: passphrase, compartmentId: compartmentId, signer: signer,
        masterKey: masterKey, segments: segments, notes: notes)
    }
  }

  static let names = [
    "basic", "merged", "later-keys", "two-compartments", "conflict", "missing-segment",
    "unfinished-commit",
  ]

  private func expected(_ name: String) throws -> Expected {
    try Fixtures.json("vaults/v1/\(name)/expected.json")
  }

  /// What the master key opens, without the cost of a passphrase.
  private func unlock(
    _ vault: VaultFolder, _ snapshot: Snapshot, _ compartment: Expected.Compartment
  ) throws -> UnlockedVault {
    let masterKey = try SecretBytes(copying: compartment.masterKey.bytes.span)
    let secret = CompartmentSecret(
      try CompartmentKeys(masterKey: masterKey, vaultID: vault.header.vaultID))
    #expect(secret.keys.compartmentID.bytes == compartment.compartmentId.bytes)
    return try OpenedSlots(
      secrets: [secret.keys.compartmentID: secret], slots: [], report: SlotReport()
    ).read(snapshot, of: vault)
  }

  @Test(arguments: names) func theIndexAndTheNotesAreAsExpected(name: String) throws {
    let expected = try expected(name)
    let vault = try TestVault(fixture: name)
    let folder = try vault.open()
    let snapshot = try Snapshot.load(folder, bounds: .standard)
    #expect(snapshot.findings == [])
    let compartments = [expected.first] + (expected.second.map { [$0] } ?? [])
    #expect(snapshot.compartments.count == compartments.count)
    for compartment in compartments {
      let id = try CompartmentID(copying: compartment.compartmentId.bytes.span)
      let index = try #require(snapshot.compartments[id])
      #expect(index.signer.bytes == compartment.signer.bytes)
      #expect(index.live.map(\.id.hex) == compartment.segments)
      let unlocked = try unlock(folder, snapshot, compartment)
      #expect(unlocked.findings == [])
      expectNotes(unlocked.notes, compartment.notes, index)
    }
  }

  private func expectNotes(
    _ notes: [NoteInfo], _ expected: [Expected.Note], _ index: CompartmentIndex
  ) {
    #expect(notes.map(\.id.bytes) == expected.map(\.id.bytes))
    for (note, wanted) in zip(notes, expected) {
      #expect(note.path == wanted.path.bytes)
      #expect(note.shownPath == wanted.shownPath.bytes)
      #expect(note.digest.bytes == wanted.digest.bytes)
      #expect(note.sealedByteCount == wanted.sealedByteCount)
      #expect(note.isExecutable == wanted.executable)
      #expect("\(note.record.type)" == wanted.type)
      #expect(note.record.mediaType == wanted.mediaType)
      #expect(note.record.contentByteCount == wanted.byteCount)
      #expect(note.record.compression.rawValue == wanted.compression)
      #expect(note.record.modified.parts == wanted.modified)
      #expect(note.record.created?.parts == wanted.created)
      #expect(index.notes[note.id]?.placeVersion == wanted.placeVersion)
    }
  }

  @Test(arguments: ["basic", "two-compartments"])
  func theSecretsOpenWhatTheyShould(name: String) throws {
    let expected = try expected(name)
    let place = try TestVault(fixture: name)
    let vault = try place.open()
    let snapshot = try Snapshot.load(vault, bounds: .standard)
    let all = [expected.compartmentId, expected.second?.compartmentId].compactMap(\.?.bytes)
    func compartments(_ secret: consuming VaultSecret) throws -> Set<[UInt8]> {
      let unlocked = try Unlocking(snapshot.usableSlots, of: vault.header, with: secret).finish()
        .read(snapshot, of: vault)
      let opened = unlocked.compartments.map(\.index.compartment.bytes)
      #expect(Set(opened).union(unlocked.lockedCompartments.map(\.bytes)) == Set(all))
      return Set(opened)
    }
    #expect(try compartments(TestVault.secret(expected.passphrase)) == [all[0]])
    #expect(try compartments(TestVault.secret(phrase: expected.phrase)) == Set(all))
    withExtendedLifetime(place) {}
  }

  @Test func theConflictIsOneNoteWithTwoCurrentStates() throws {
    let vault = try TestVault(fixture: "conflict")
    let snapshot = try Snapshot.load(vault.open(), bounds: .standard)
    let index = try #require(snapshot.compartments.values.first)
    let conflicted = index.notes.filter { $0.value.onlyCurrent == nil }
    let path = try #require(try expected("conflict").findings.first).path
    #expect(conflicted.keys.map { Layout.notePath($0) } == [Array(path.utf8)])
    #expect(conflicted.values.map(\.current.count) == [2])
  }

  @Test func theMissingSegmentIsMissingUntilItIsPutBack() throws {
    let vault = try TestVault(fixture: "missing-segment")
    let path = try #require(try expected("missing-segment").findings.first).path
    let before = try #require(
      try Snapshot.load(vault.open(), bounds: .standard).compartments.values.first)
    #expect(before.graph.missing.map { "index/\($0.segment.hex).seg" } == [path])
    try vault.put(path, Fixtures.bytes("vaults/v1/missing-segment/older/\(path)"))
    let after = try #require(
      try Snapshot.load(vault.open(), bounds: .standard).compartments.values.first)
    #expect(after.graph.missing.isEmpty)
  }

  @Test func olderSegmentsPutBackSayNothingNew() throws {
    let expected = try expected("basic")
    let vault = try TestVault(fixture: "basic")
    let older = Fixtures.url("vaults/v1/basic/older").path(percentEncoded: false)
    try vault.shell("cp \(older)/index/*.seg index/")
    let folder = try vault.open()
    let snapshot = try Snapshot.load(folder, bounds: .standard)
    #expect(snapshot.segmentCount > expected.segments.count)
    let index = try #require(snapshot.compartments.values.first)
    #expect(index.live.map(\.id.hex) == expected.segments)
    #expect(index.graph.missing.isEmpty)
    expectNotes(try unlock(folder, snapshot, expected.first).notes, expected.notes, index)
  }

  @Test func theUnfinishedCommitIsCompletedByAWriter() throws {
    let expected = try expected("unfinished-commit")
    let vault = try TestVault(fixture: "unfinished-commit")
    #expect(
      try vault.names("staging").map { $0.map { "staging/\($0)" } }
        == expected.findings.map(\.path))
    do {
      let session = try WriterSession(vault.open(), bounds: .standard, waitingSeconds: 30)
      #expect(session.snapshot.findings == [])
    }
    #expect(try vault.names("staging") == nil)
    let folder = try vault.open()
    #expect(Set(try vault.sealedFiles().keys.map(\.bytes)) == Set(expected.notes.map(\.id.bytes)))
    for note in expected.notes {
      let id = try NoteID(copying: note.id.bytes.span)
      let digest = try Digest(copying: note.digest.bytes.span)
      #expect(
        NoteFiles.state(of: id, in: folder) == .file(digest, byteCount: note.sealedByteCount))
    }
  }
}

extension Timestamp {
  /// As the fixtures write it.
  fileprivate var parts: [Int64] { [seconds, Int64(nanoseconds)] }
}
