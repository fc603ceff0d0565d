import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What comes back of damaged files (spec §12.2). Chunks have 4,096 bytes; the front of a file has 108 + 32 + 284.
@Suite struct SalvageTests {
  private let bench: SalvageBench
  /// Five chunks, the last with padding.
  private let long: [UInt8]
  private static let front = 424

  init() throws {
    bench = try SalvageBench()
    var random = SeededBytes(seed: 7)
    long = random.bytes(18_000)
  }

  private static func chunk(_ number: Int) -> Int { front + number * 4_112 }

  @Test func aSoundVaultComesBackWhole() throws {
    var script = TestNote("bin/run", [1, 2])
    script.isExecutable = true
    script.permissions = 0o750
    let vault = try SealedVault([
      script, .folder("empty"), .link("link", to: "bin/run"), TestNote("long", long),
      TestNote("nothing"),
    ])
    let report = try bench.salvage(vault)
    #expect(report.whole == 5 && report.problems == [] && report.versions == [])
    #expect(report.damaged == 0 && report.lost == 0 && report.copies == 0)
    #expect(try bench.paths() == ["bin", "bin/run", "empty", "link", "long", "nothing"])
    #expect(bench.content("long") == long)
    let status = try Directory(path: bytes(bench.target + "/bin")).status(of: bytes("run"))
    #expect(status?.mode == 0o750)
    #expect(status?.modified == FileTime(seconds: 1_700_000_000, nanoseconds: 0))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: bench.target + "/link")
        == "bin/run")
  }

  @Test func withoutAnIndexThePathOfTheHeaderCounts() throws {
    let vault = try SealedVault([TestNote("a/b.md", [1]), TestNote("c", long)])
    try vault.dropIndex()
    let report = try bench.salvage(vault)
    #expect(report.whole == 2 && report.problems == [])
    #expect(bench.content("a/b.md") == [1] && bench.content("c") == long)
  }

  @Test func aBadChunkIsAMarkedGapAndEveryOtherByteKeepsItsPlace() throws {
    let vault = try SealedVault([TestNote("x/long.bin", long), TestNote("other", [1])])
    for chunk in [1, 2, 4] { try vault.damage(0) { _ in Self.chunk(chunk) + 17 } }
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.damaged == 1 && report.lost == 0)
    #expect(report.lostRanges == [[4_096..<12_288, 16_384..<18_000]])
    #expect(report.problems[0].path == bytes("x/long (damaged).bin"))
    #expect(report.problems[0].reason == .damaged && report.problems[0].unit == .content)
    #expect(
      bench.content("x/long (damaged).bin")
        == long[..<4_096] + gap(8_192) + long[12_288..<16_384] + gap(1_616))
    #expect(try bench.paths().contains("x/long.bin") == false)
  }

  @Test func theTextOfAShortGapIsCut() throws {
    let vault = try SealedVault([TestNote("a", Array(long.prefix(4_100)))])
    try vault.damage(0) { $0 - 1 }
    #expect(try bench.salvage(vault).lostRanges == [[4_096..<4_100]])
    #expect(bench.content("a (damaged)") == long[..<4_096] + Array("[vau".utf8))
  }

  // MARK: - The front of a file

  /// Bytes of the front that can be mended: all of the prefix but salt and base nonce, the commitment, and the tag.
  @Test(arguments: [0, 8, 9, 10, 15, 16, 20, 36, 40, 53, 88, 91, 104, 106, 107, 108, 139, 408, 423])
  func damageOfTheFrontThatCanBeUndoneLeavesTheNoteWhole(_ offset: Int) throws {
    let notes = [TestNote("a.md", long)]
    for hasIndex in [true, false] {
      let bench = try SalvageBench()
      let vault = try SealedVault(notes)
      if !hasIndex { try vault.dropIndex() }
      try vault.damage(0) { _ in offset }
      let report = try bench.salvage(vault)
      #expect(report.whole == 1 && report.problems == [], "byte \(offset)")
      #expect(bench.content("a.md") == long)
    }
  }

  @Test func aLostChunkSizeIsTakenForTheUsualOne() throws {
    var note = TestNote("a.md", long)
    note.chunkSizeLog2 = Limits.usualChunkSizeLog2
    let vault = try SealedVault([note])
    try vault.damage(0) { _ in 89 }
    #expect(try bench.salvage(vault).whole == 1)
    #expect(bench.content("a.md") == long)
  }

  @Test func aLostHeaderIsReplacedByTheIndex() throws {
    let vault = try SealedVault([TestNote("a.md", long)])
    try vault.damage(0) { _ in 200 }
    let report = try bench.salvage(vault)
    #expect(report.damaged == 1 && report.reasons == [.damaged] && report.lostRanges == [[]])
    #expect(bench.content("a (damaged).md") == long)
  }

  @Test func commitmentAndHeaderMayBothBeLost() throws {
    let vault = try SealedVault([TestNote("a.md", long)])
    for offset in [120, 160, 300] { try vault.damage(0) { _ in offset } }
    try vault.damage(0) { _ in Self.chunk(2) }
    let report = try bench.salvage(vault)
    #expect(report.lostRanges == [[8_192..<12_288]])
    #expect(
      bench.content("a (damaged).md") == long[..<8_192] + gap(4_096) + long[12_288...])
  }

  @Test func withoutHeaderAndIndexThePaddingStays() throws {
    let vault = try SealedVault([TestNote("a.md", long)])
    try vault.dropIndex()
    try vault.damage(0) { _ in 200 }
    let report = try bench.salvage(vault)
    #expect(report.reasons == [.damagedWithoutRecord] && report.lostRanges == [[]])
    let content = try #require(bench.content("\(vault.ids[0].hex) (damaged)"))
    #expect(content.count == Int(Padme.padded(18_000)))
    #expect(content.prefix(18_000) == long[...] && content.dropFirst(18_000).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [56, 87, 92, 103]) func aLostSaltOrNonceIsALostNote(_ offset: Int) throws {
    let vault = try SealedVault([TestNote("a.md", long), TestNote("b", [1])])
    try vault.damage(0) { _ in offset }
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.lost == 1 && report.damaged == 0)
    #expect(report.reasons == [.nothingAuthentic] && report.problems[0].path == bytes("a.md"))
    #expect(try bench.paths() == ["b"])
  }

  // MARK: - Bytes that are gone or too many

  @Test func aCutFileGivesWhatIsBeforeTheCut() throws {
    let vault = try SealedVault([TestNote("a", long)])
    try vault.change(0) { $0.removeLast($0.count - Self.chunk(3) - 100) }
    #expect(try bench.salvage(vault).lostRanges == [[12_288..<18_000]])
    #expect(bench.content("a (damaged)") == long[..<12_288] + gap(5_712))
  }

  @Test(arguments: [0, 1, 4_111, 4_112, 8_000])
  func chunksBehindRemovedBytesAreCountedFromTheEnd(_ count: Int) throws {
    let vault = try SealedVault([TestNote("a", long)])
    let start = Self.chunk(1) + 10
    try vault.change(0) { $0.removeSubrange(start..<(start + count)) }
    let report = try bench.salvage(vault)
    if count == 0 {
      #expect(report.whole == 1)
      return
    }
    let end = count > 4_102 ? 12_288 : 8_192
    #expect(report.lostRanges == [[4_096..<UInt64(end)]])
    #expect(
      bench.content("a (damaged)") == long[..<4_096] + gap(end - 4_096) + long[end...])
  }

  @Test func insertedBytesCostOneChunkAtMost() throws {
    let vault = try SealedVault([TestNote("a", long)])
    try vault.change(0) { $0.insert(contentsOf: [1, 2, 3], at: Self.chunk(2) + 5) }
    #expect(try bench.salvage(vault).lostRanges == [[8_192..<12_288]])
  }

  @Test func bytesAtTheEndCostNothing() throws {
    let vault = try SealedVault([TestNote("a", long)])
    try vault.change(0) { $0 += [UInt8](repeating: 0, count: 5_000) }
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && bench.content("a") == long)
  }

  @Test func bytesRemovedFromTheHeaderMoveTagAndChunks() throws {
    let vault = try SealedVault([TestNote("a", long)])
    try vault.change(0) { $0.removeSubrange(150..<250) }
    let report = try bench.salvage(vault)
    #expect(report.reasons == [.damaged] && report.lostRanges == [[]])
    #expect(bench.content("a (damaged)") == long)
  }

  @Test func aNoteOfWhichNothingIsAuthenticIsLost() throws {
    let vault = try SealedVault([TestNote("a", Array(long.prefix(100)))])
    try vault.damage(0) { $0 - 1 }
    let report = try bench.salvage(vault)
    #expect(report.reasons == [.nothingAuthentic] && report.lostRanges == [[0..<100]])
    #expect(try bench.paths() == [])
  }

  // MARK: - Compressed contents

  private func compressible(_ path: String) -> TestNote {
    var random = SeededBytes(seed: 3)
    var text: [UInt8] = []
    while text.count < 400_000 { text += Array("line \(random.next() % 100_000_000_000)\n".utf8) }
    var note = TestNote(path, text)
    note.compression = .zstd
    return note
  }

  @Test func ofACompressedNoteTheFrontIsExpandedAndTheRestLiesBeside() throws {
    let note = compressible("a.txt")
    let vault = try SealedVault([note])
    let sound = try vault.content(0)
    let bad = (sound.count - Self.front) / 4_112 / 2
    try #require(bad > 2)
    try vault.damage(0) { _ in Self.chunk(bad) + 1 }
    let report = try bench.salvage(vault)
    let gap = UInt64(bad * 4_096)..<UInt64((bad + 1) * 4_096)
    #expect(report.lostRanges == [[gap]] && report.problems[0].unit == .payload)
    #expect(report.problems[0].payloadPath == bytes("a (damaged).txt.zst"))
    let content = try #require(bench.content("a (damaged).txt"))
    let end = try #require(content.lastIndex(of: UInt8(ascii: "[")))
    #expect(end > 0)
    #expect(content[..<end] == note.content[..<end])
    #expect(
      content[end...] == Array("[vaulttool: \(note.content.count - end) bytes lost]".utf8)[...])
    let payload = try #require(bench.content("a (damaged).txt.zst"))
    #expect(payload[Int(gap.lowerBound)..<Int(gap.upperBound)].allSatisfy { $0 == 0 })
    #expect(payload.starts(with: [0x28, 0xB5, 0x2F, 0xFD]))
    // Nothing else of it is zero.
    let clean = try SalvageBench()
    let whole = try SealedVault([note])
    try whole.damage(0) { $0 - 1 }
    _ = try clean.salvage(whole)
    let other = try #require(clean.content("a (damaged).txt.zst"))
    #expect(payload.count == other.count)
    let last = (payload.count - 1) / 4_096 * 4_096
    for index in 0..<last where !gap.contains(UInt64(index)) {
      guard payload[index] == other[index] else {
        Issue.record("byte \(index)")
        break
      }
    }
  }

  @Test func aWholeCompressedNoteIsExpanded() throws {
    let note = compressible("a.txt")
    let vault = try SealedVault([note])
    try vault.dropIndex()
    #expect(try bench.salvage(vault).whole == 1)
    #expect(bench.content("a.txt") == note.content)
  }

  // MARK: - Links and folders

  @Test func aDamagedLinkBecomesAFileAndAFolderIsAFolder() throws {
    let vault = try SealedVault([
      .link("l", to: String(repeating: "x", count: 4_095)), .folder("f"), TestNote("f/a", [1]),
    ])
    try vault.damage(0) { _ in 200 }
    try vault.damage(1) { $0 - 1 }
    let report = try bench.salvage(vault)
    #expect(report.damaged == 2 && report.whole == 1)
    #expect(bench.content("l (damaged)")?.count == 4_095)
    #expect(try bench.paths() == ["f", "f/a", "l (damaged)"])
  }

  @Test func linksComeLastAndAreNeverWrittenThrough() throws {
    let outside = bench.temporary.path(of: "outside")
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
    let vault = try SealedVault([.link("a", to: outside), TestNote("a/x", [1])])
    try vault.dropIndex()
    #expect(try bench.salvage(vault).whole == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
    #expect(bench.content("a/x") == [1])
  }

  @Test func damageNearTheStartOfALargeFileTakesNoLongerThanReadingIt() throws {
    var note = TestNote("large", [UInt8](repeating: 9, count: 12 << 20))
    note.chunkSizeLog2 = 16
    let vault = try SealedVault([note])
    try vault.change(0) { $0.removeSubrange(500..<507) }
    let clock = ContinuousClock()
    var report = SalvageReport()
    let time = try clock.measure { report = try bench.salvage(vault) }
    #expect(report.lostRanges == [[0..<65_536]])
    // A search byte by byte would open 12 million chunks.
    #expect(time < .seconds(20))
  }
}
