import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What the boxes of the segments say of the notes, and what is said where a box cannot be used (spec §7.2, §7.3).
@Suite struct NoteTableTests {
  private static let note = NoteID(high: 1, low: 1)

  /// One entry about the note, with what belongs to it in the box.
  private struct Line {
    var state: State?
    var over: [State] = []
    var version: UInt64 = 0
    var path = "a"
    var isExecutable = false
    /// What tells one record from another here.
    var byteCount: UInt64 = 1
    var isSealedUnchecked = false
  }

  private static func file(_ number: UInt64) -> State {
    .file(Digest(number, number, 0, 0), byteCount: 100 + number)
  }

  private let secret: CompartmentSecret

  init() throws {
    let masterKey = try SecretBytes(copying: [UInt8](repeating: 7, count: 32).span)
    secret = CompartmentSecret(
      try CompartmentKeys(masterKey: masterKey, vaultID: VaultID(high: 1, low: 2)))
  }

  private func segment(_ line: Line) throws -> LiveSegment {
    let states = line.state.map { SmallList($0) } ?? SmallList()
    let entry = try IndexEntry(
      id: .note(Self.note), states: states, over: SmallList(line.over.map(\.prefix).sorted()),
      placeVersion: line.version, laterKeys: LaterKeys())
    let record = try ContentRecord(
      type: .file, mediaType: nil, contentByteCount: line.byteCount,
      payloadByteCount: line.byteCount, compression: .none, created: nil,
      modified: try Timestamp(seconds: 0, nanoseconds: 0), laterKeys: LaterKeys())
    let place = try Place(path: Array(line.path.utf8), executable: line.isExecutable)
    let lists = try SegmentLists(parents: [], replaces: [], excuses: [], entries: [entry])
    let items = [
      SegmentBody.Item(
        records: line.state?.isFile == true ? SmallList(record) : SmallList(),
        place: line.version > 0 ? place : nil)
    ]
    let vaultDigest = Digest(1, 2, 3, 4)
    if line.isSealedUnchecked {
      return try TestSegments.sealUnchecked(
        lists, items, keys: secret.keys, vaultDigest: vaultDigest)
    }
    var random = SystemRandomNumberGenerator()
    return try TestSegments.seal(
      lists, items, keys: secret.keys, vaultDigest: vaultDigest, random: &random)
  }

  private func table(
    _ segments: [LiveSegment], onDisk: State? = nil
  ) throws -> NoteTable {
    let index = CompartmentIndex(
      compartment: secret.keys.compartmentID, signer: secret.keys.signer, segments: segments)
    return try NoteTable(index, keys: secret.keys) { _ in onDisk }
  }

  private func table(_ lines: [Line], onDisk: State? = nil) throws -> NoteTable {
    try table(lines.map { try segment($0) }, onDisk: onDisk)
  }

  @Test func contentAndPlaceMayComeFromDifferentSegments() throws {
    let table = try table([
      Line(state: Self.file(1), version: 1, path: "old"), Line(version: 2, path: "new"),
      Line(state: Self.file(2), over: [Self.file(1)], byteCount: 9),
    ])
    let note = try #require(table.notes.first)
    #expect(table.notes.count == 1)
    #expect(note.path == bytes("new"))
    #expect(note.record.contentByteCount == 9)
    #expect(.file(note.digest, byteCount: note.sealedByteCount) == Self.file(2))
    #expect(table.findings == [] && table.conflicted == [])
  }

  @Test(arguments: [
    (["a", "b"], [false, false], "b", false), (["b", "a"], [true, false], "b", true),
    (["a", "a"], [false, true], "a", true), (["a", "aa"], [true, false], "aa", false),
    (["Z", "a"], [true, true], "a", true), (["é", "z"], [false, false], "é", false),
  ])
  func amongEqualVersionsTheGreaterPathThenTheExecutableOneWins(
    paths: [String], bits: [Bool], path: String, isExecutable: Bool
  ) throws {
    let lines =
      [Line(state: Self.file(1), version: 1, path: "zzz")]
      + zip(paths, bits).map { Line(version: 2, path: $0, isExecutable: $1) }
    for order in [lines, lines.reversed()] {
      let note = try #require(try table(order).notes.first)
      #expect(note.path == bytes(path))
      #expect(note.isExecutable == isExecutable)
    }
  }

  @Test func aDeletedNoteIsNotShownWhateverItsPlace() throws {
    let table = try table([
      Line(state: Self.file(1), version: 1),
      Line(state: .grave(Grave(high: 9, low: 1)), over: [Self.file(1)]), Line(version: 2),
    ])
    #expect(table.notes.isEmpty && table.findings.isEmpty)
  }

  @Test func ofSeveralStatesTheOneOnTheDiskIsShownElseTheLeast() throws {
    let lines = [
      Line(state: Self.file(1), version: 1), Line(state: Self.file(2), over: [Self.file(1)]),
      Line(state: Self.file(3), over: [Self.file(1)], byteCount: 3),
    ]
    for (onDisk, shown) in [(Self.file(2), 2), (Self.file(3), 3), (Self.file(1), 2), (nil, 2)] {
      let table = try table(lines, onDisk: onDisk)
      #expect(table.conflicted == [Self.note])
      #expect(table.notes.map(\.digest) == [Digest(UInt64(shown), UInt64(shown), 0, 0)])
    }
  }

  @Test func aFileBesideAGraveIsShownAndInConflict() throws {
    let table = try table([
      Line(state: Self.file(1), version: 1), Line(state: Self.file(2), over: [Self.file(1)]),
      Line(state: .grave(Grave(high: 9, low: 1)), over: [Self.file(1)]),
    ])
    #expect(table.notes.count == 1 && table.conflicted == [Self.note])
  }

  @Test func aNoteWithoutAPlaceIsAFindingAndNotShown() throws {
    let table = try table([Line(state: Self.file(1))])
    #expect(table.notes.isEmpty)
    #expect(table.findings.map(\.code) == [.recordDiffers])
    #expect(table.findings.map(\.path) == [Layout.notePath(Self.note)])
  }

  @Test(arguments: ["../a", "/a", "a//b", "a/", ".", "a/./b", "a\0b"])
  func anUnsafePathIsAFindingAndNotShown(path: String) throws {
    let table = try table([
      Line(state: Self.file(1), version: 1, path: path, isSealedUnchecked: true)
    ])
    #expect(table.notes.isEmpty)
    #expect(table.findings.map(\.code) == [.unsafePath])
    #expect(table.findings.map(\.path) == [Layout.notePath(Self.note)])
  }

  @Test func aBoxThatDoesNotOpenIsAFindingAndTheOthersCount() throws {
    let good = try segment(Line(state: Self.file(1), version: 1))
    let other = try segment(Line(version: 2, path: "new"))
    var damaged = Array(other.bytes.dropLast(Limits.signatureByteCount))
    damaged[other.verified.file.boxRange.lowerBound] ^= 1
    let message = try SegmentOpening.signedMessage(damaged.span)
    damaged += try secret.keys.signingKey().sign(message.span)
    let verified = try SegmentOpening.verify(damaged.span, vaultID: secret.keys.vaultID)
    let table = try table([good, LiveSegment(verified, bytes: damaged)])
    #expect(table.findings.map(\.code) == [.sealBroken, .recordDiffers])
    #expect(
      table.findings.first?.path == Layout.path(Layout.index, FileNameHex.name(of: verified.id)))
    #expect(table.notes.isEmpty, "its place is not known: the highest version is in that box")
  }
}
