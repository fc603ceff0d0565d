import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

@Suite struct NoteReaderTests {
  private static let fixtures = [
    "basic", "conflict", "later-keys", "merged", "missing-segment", "unfinished-commit",
  ]

  @Test(arguments: fixtures, [DigestCheck.alongside, .beforehand])
  func everyNoteOfAFixtureHasItsContent(_ name: String, _ check: DigestCheck) throws {
    let fixture = try FixtureVault(name)
    let vault = try fixture.unlocked()
    #expect(vault.notes.map(\.shownPath) == fixture.notes.map(\.shownPath.bytes))
    var reader = try NoteReader()
    let files = try NoteReaderFiles(vault.vault)
    for (note, expected) in zip(vault.notes, fixture.notes) {
      let content = try read(note, of: vault, files, &reader, check)
      #expect(UInt64(content.count) == expected.byteCount)
      #expect(try SHA256.digest(content.span).bytes == expected.sha256.bytes)
    }
  }

  @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193])
  func aContentAtAChunkBorderIsReadWhole(_ byteCount: Int) throws {
    var random = SeededBytes(seed: UInt64(byteCount))
    let content = random.bytes(byteCount)
    let vault = try SealedVault([TestNote("a", content)])
    #expect(try vault.read(0) == content)
  }

  @Test func aCompressedContentIsExpanded() throws {
    var note = TestNote("a", [UInt8](repeating: 65, count: 300_000))
    note.compression = .zstd
    #expect(try SealedVault([note]).read(0) == note.content)
  }

  @Test func aLargeFileIsReadInRuns() throws {
    let content = pattern(2_500_000)
    let vault = try SealedVault([TestNote("a", content)])
    for check in [DigestCheck.alongside, .beforehand] {
      #expect(try vault.read(0, checking: check) == content)
    }
  }

  @Test func aWorkerThatFailsEndsTheOthers() throws {
    let sealed = try SealedVault([TestNote("a", pattern(2_500_000))])
    let vault = try sealed.unlocked()
    let note = vault.notes[0]
    var reader = try NoteReader()
    let shared = try SharedNote(
      try reader.open(
        try NoteReaderFiles(vault.vault).open(note), of: note,
        in: vault.compartments[0]), of: note, in: vault.compartments[0])
    #expect(shared.runCount == 3)
    #expect(throws: StoreError.interrupted) {
      try shared.work(with: &reader) { _, _ throws(StoreError) in throw .interrupted }
    }
    try shared.work(with: &reader) { _, _ in Issue.record("a run was given out") }
  }

  @Test func aDigestIsPutTogetherInTheOrderOfTheRuns() throws {
    let sealed = try SealedVault([TestNote("a", pattern(5_300_000))])
    let vault = try sealed.unlocked()
    let note = vault.notes[0]
    let compartment = vault.compartments[0]
    var reader = try NoteReader()
    let shared = try SharedNote(
      try reader.open(
        try NoteReaderFiles(vault.vault).open(note), of: note, in: compartment),
      of: note, in: compartment)
    try Workers.run(count: 3) { _ in
      do {
        var worker = try NoteReader()
        try shared.work(with: &worker) { _, _ in }
      } catch {
        Issue.record(error)
      }
    }
    try shared.finish(reader)
  }

  // MARK: - Damage

  @Test func aDamagedChunkIsNamedAndNothingOfASmallFileIsDelivered() throws {
    let vault = try SealedVault([TestNote("a", pattern(20_000))])
    let chunksOffset = try vault.chunksOffset(0)
    try vault.damage(0) { _ in chunksOffset + 2 * (4_096 + 16) + 5 }
    #expect(
      throws: StoreError.sealing(
        .chunkNotAuthentic(chunk: 2), path: Layout.notePath(vault.ids[0]))
    ) { try vault.read(0, into: { _ in Issue.record("delivered") }) }
  }

  @Test func aLargeDamagedFileGivesNothingWhenCheckedBeforehand() throws {
    let vault = try SealedVault([TestNote("a", pattern(2_500_000))])
    try vault.damage(0) { $0 - 1 }
    let last = (2_500_000 + 4_095) / 4_096
    var delivered = 0
    let path = Layout.notePath(vault.ids[0])
    #expect { try vault.read(0, checking: .beforehand) { delivered += $0.count } } throws: {
      guard case StoreError.sealing(.chunkNotAuthentic(let chunk), path) = $0 else { return false }
      return chunk >= last - 1
    }
    #expect(delivered == 0)
    #expect(throws: StoreError.self) { try vault.read(0) { delivered += $0.count } }
    #expect(delivered > 0)
  }

  @Test func everyCutIsFound() throws {
    let vault = try SealedVault([TestNote("a", pattern(9_000))])
    let whole = try Data(contentsOf: vault.url(0))
    let offset = try vault.chunksOffset(0)
    var cuts = [0, 1, 15, 16, 100, offset - 1, offset, offset + 16, offset + 17, whole.count - 1]
    for chunk in 1...2 { cuts += [offset + chunk * 4_112, offset + chunk * 4_112 + 16] }
    for cut in cuts {
      try whole.prefix(cut).write(to: vault.url(0))
      #expect(throws: StoreError.self, "cut to \(cut)") { try vault.read(0) }
    }
    try (whole + [0]).write(to: vault.url(0))
    #expect(throws: StoreError.self) { try vault.read(0) }
  }

  @Test func aHeaderThatTheIndexContradictsIsNotRead() throws {
    var note = TestNote("a", pattern(100))
    note.listedByteCount = 101
    let vault = try SealedVault([note])
    #expect(
      throws: StoreError.noteNotAsListed(
        path: Layout.notePath(vault.ids[0]), .recordDiffers)
    ) { try vault.read(0) }
  }

  @Test func recordsAgreeOnlyInEveryKeyBelow128() throws {
    func record(
      type: ContentType = .file, media: String? = nil, bytes: UInt64 = 5, payload: UInt64 = 9,
      created: Int64? = nil, modified: Int64 = 1, permissions: UInt16? = nil, later: UInt64? = nil
    ) throws -> ContentRecord {
      try ContentRecord(
        type: type, mediaType: media, contentByteCount: bytes, payloadByteCount: payload,
        compression: .zstd, created: try created.map { try Timestamp(seconds: $0, nanoseconds: 0) },
        modified: try Timestamp(seconds: modified, nanoseconds: 0), permissions: permissions,
        laterKeys: try LaterKeys(later.map { [(key: $0, value: [1])] } ?? []))
    }
    let listed = try record()
    #expect(listed.agrees(with: try record(later: 129)))
    let others = [
      try record(type: .link), try record(media: "a/b"), try record(bytes: 6),
      try record(payload: 8), try record(created: 1), try record(modified: 2),
      try record(permissions: 0o644),
    ]
    for other in others { #expect(!listed.agrees(with: other)) }
  }

  @Test func anOlderVersionIsCalledSo() throws {
    let fixture = try FixtureVault("basic")
    let older = Fixtures.url("vaults/v1/basic/older/notes")
    let vault = try fixture.unlocked()
    var count = 0
    for folder in try FileManager.default.contentsOfDirectory(
      at: older, includingPropertiesForKeys: nil)
    {
      for file in try FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
      {
        let relative = "notes/\(folder.lastPathComponent)/\(file.lastPathComponent)"
        guard
          let note = vault.notes.first(where: { Layout.notePath($0.id) == bytes(relative) })
        else { continue }
        try Data(contentsOf: file).write(to: URL(filePath: fixture.path + "/" + relative))
        count += 1
        var reader = try NoteReader()
        let files = try NoteReaderFiles(vault.vault)
        #expect(throws: StoreError.noteNotAsListed(path: bytes(relative), .noteSuperseded)) {
          _ = try read(note, of: vault, files, &reader, .alongside)
        }
      }
    }
    #expect(count > 0)
  }

  @Test func anotherNoteInItsPlaceIsNotRead() throws {
    let vault = try SealedVault([TestNote("a", [1]), TestNote("b", [2])])
    try Data(contentsOf: vault.url(1)).write(to: vault.url(0))
    #expect(
      throws: StoreError.sealing(
        .otherNote(expected: vault.ids[0], found: vault.ids[1]),
        path: Layout.notePath(vault.ids[0]))
    ) { try vault.read(0) }
  }

  // MARK: - Comparing

  @Test func aContentEqualsAPlainFileOnlyByteForByte() throws {
    let content = pattern(1_200_000)
    let vault = try SealedVault([TestNote("a", content)])
    #expect(try vault.isEqual(0, to: content))
    for change in [0, 600_000, 1_199_999] {
      var other = content
      other[change] ^= 1
      #expect(try !vault.isEqual(0, to: other))
    }
    #expect(try !vault.isEqual(0, to: content + [0]))
    #expect(try !vault.isEqual(0, to: Array(content.dropLast())))
  }

  @Test func anEqualContentOfADamagedFileIsAnError() throws {
    let content = pattern(9_000)
    let vault = try SealedVault([TestNote("a", content)])
    try vault.damage(0) { $0 - 1 }
    #expect(throws: StoreError.self) { try vault.isEqual(0, to: content) }
  }
}

/// Bytes without short repetition, quicker to make than random ones.
func pattern(_ count: Int) -> [UInt8] {
  var random = SeededBytes(seed: 5)
  let block = random.bytes(4_099)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + block.count)
  while bytes.count < count { bytes += block }
  return Array(bytes.prefix(count))
}

/// The whole content of a note.
func read(
  _ note: NoteInfo, of vault: UnlockedVault, _ files: NoteReaderFiles,
  _ reader: inout NoteReader, _ check: DigestCheck
) throws -> [UInt8] {
  var content: [UInt8] = []
  try reader.read(try files.open(note), of: note, in: vault.compartments[0], checking: check) {
    unsafe $0.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
  }
  return content
}

extension SealedVault {
  @discardableResult
  func read(_ number: Int, checking check: DigestCheck = .alongside) throws -> [UInt8] {
    let vault = try unlocked()
    var reader = try NoteReader()
    let note = try #require(vault.notes.first { $0.id == ids[number] })
    let files = try NoteReaderFiles(vault.vault)
    return try VaultStoreTests.read(note, of: vault, files, &reader, check)
  }

  func read(
    _ number: Int, checking check: DigestCheck = .alongside, into sink: (Span<UInt8>) -> Void
  ) throws {
    let vault = try unlocked()
    var reader = try NoteReader()
    let note = try #require(vault.notes.first { $0.id == ids[number] })
    let file = try NoteReaderFiles(vault.vault).open(note)
    try reader.read(file, of: note, in: vault.compartments[0], checking: check) { sink($0) }
  }

  fileprivate func chunksOffset(_ number: Int) throws -> Int {
    let file = try Data(contentsOf: url(number))
    let bytes = Array(file)
    var reader = ByteReader(bytes.span)
    return try SealedFileHead(parsing: &reader).chunksOffset
  }

  fileprivate func isEqual(_ number: Int, to content: [UInt8]) throws -> Bool {
    let vault = try unlocked()
    let plain = try TemporaryFolder.inMemory()
    try Data(content).write(to: URL(filePath: plain.path(of: "plain")))
    var reader = try NoteReader()
    let file = try NoteReaderFiles(vault.vault).open(vault.notes[number])
    return try reader.isEqual(
      file, of: vault.notes[number], in: vault.compartments[0],
      to: try Directory(path: plain.bytes).openFile(bytes("plain")), sourcePath: bytes("plain"))
  }
}
