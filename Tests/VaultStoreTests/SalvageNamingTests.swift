import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// Which file gets which name, and what is called lost (spec §12.2).
@Suite struct SalvageNamingTests {
  private let bench: SalvageBench

  init() throws { bench = try SalvageBench() }

  private func digits(_ vault: TestVault, _ content: [UInt8], _ id: NoteID) throws -> String {
    try vault.put("probe", content)
    defer { try? vault.remove("probe") }
    var hasher = try NoteHasher()
    let file = try Directory(path: vault.path).openFile(bytes("probe"))
    guard case .file(let digest, _) = try hasher.state(of: file, note: id, path: []) else {
      return ""
    }
    return String(digest.hex.prefix(8))
  }

  @Test func fr094TwoVersionsOfOneNoteComeBackUnderTwoNames() throws {
    let vault = try TestVault()
    try vault.commit([.put("a.md", "old")])
    let (id, old) = try #require(try vault.sealedFiles().first)
    try vault.commit([.put("a.md", "new")])
    try vault.put("notes/\(id.hex.prefix(2))/conflicted copy.sealed", old)
    let report = try bench.salvage(vault)
    let name = "a (version \(try digits(vault, old, id))).md"
    #expect(report.whole == 1 && report.problems == [])
    #expect(
      report.versions == [SalvagedVersion(path: bytes(name), noteID: id, reason: .superseded)])
    #expect(bench.text("a.md") == "new" && bench.text(name) == "old")
  }

  @Test func anOlderVersionDoesNotPassForTheCurrentOne() throws {
    let vault = try TestVault()
    try vault.commit([.put("a.md", "old")])
    let (id, old) = try #require(try vault.sealedFiles().first)
    try vault.commit([.put("a.md", "new")])
    try vault.put("notes/\(id.hex.prefix(2))/\(id.hex).sealed", old)
    let report = try bench.salvage(vault)
    #expect(report.whole == 0 && report.lost == 1 && report.reasons == [.onlyOtherVersions])
    #expect(try bench.paths() == ["a (version \(try digits(vault, old, id))).md"])
  }

  @Test func withoutAnIndexTheLatestHasTheName() throws {
    let older = TestNote("a.md", [1])
    var newer = TestNote("a.md", [2])
    newer.modified = (1_800_000_000, 0)
    let one = try SealedVault([older])
    let two = try SealedVault([newer])
    try one.put("staging/x/y", try two.content(0))
    try one.dropIndex()
    let report = try bench.salvage(one)
    #expect(report.whole == 1 && report.versions.map(\.reason) == [.second])
    #expect(bench.content("a.md") == [2])
    #expect(bench.content(String(decoding: report.versions[0].path, as: UTF8.self)) == [1])
  }

  @Test func aDeletedNoteComesBackUnderAChangedName() throws {
    let vault = try TestVault()
    try vault.commit([.put("a.md", "text"), .put("b.md", "b")])
    let id = try #require(try vault.unlock().notes.first).id
    let sealed = try #require(try vault.sealedFiles()[id])
    try vault.commit([.delete("a.md")])
    try vault.put("notes/\(id.hex).copy", sealed)
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.versions.map(\.reason) == [.deleted])
    #expect(bench.text("a (deleted).md") == "text" && bench.text("b.md") == "b")
  }

  @Test func copiesCountOnceWhateverTheyAreCalled() throws {
    let note = TestNote("a.md", Array(repeating: 7, count: 9_000))
    let vault = try SealedVault([note])
    let sealed = try vault.content(0)
    try vault.put("notes/deep/er/conflict (1).sealed", sealed)
    try vault.put("staging/run/anything", sealed)
    var damaged = sealed
    damaged[5_000] ^= 1
    try vault.put("staging/run/damaged", damaged)
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.copies == 3 && report.problems == [])
    #expect(try bench.paths() == ["a.md"])
  }

  @Test func theProperFileMayBeTheDamagedOne() throws {
    let note = TestNote("a.md", Array(repeating: 7, count: 9_000))
    let vault = try SealedVault([note])
    try vault.put("notes/other place", try vault.content(0))
    try vault.damage(0) { _ in 5_000 }
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.copies == 1 && report.problems == [])
    #expect(bench.content("a.md") == note.content)
  }

  @Test func twoDamagedVersionsGetTwoNames() throws {
    let content = [UInt8](repeating: 7, count: 9_000)
    let vault = try SealedVault([TestNote("a.md", content)])
    let sealed = try vault.content(0)
    try vault.damage(0) { _ in 5_000 }
    var other = sealed
    other[9_000] ^= 1
    try vault.put("notes/other", other)
    let report = try bench.salvage(vault)
    #expect(report.damaged == 2 && Set(report.problems.map(\.path)).count == 2)
    #expect(try bench.paths().count == 2)
    #expect(Set(report.lostRanges) == [[4_096..<8_192], [8_192..<9_000]])
  }

  @Test(arguments: ["../out", "/abs", "a//b", "..", "x\0y", "a/./b"])
  func anUnsafePathBecomesTheNotesID(_ path: String) throws {
    let vault = try SealedVault([TestNote(path, [1]), TestNote("ok", [2])])
    for hasIndex in [true, false] {
      let bench = try SalvageBench()
      if !hasIndex { try vault.dropIndex() }
      #expect(try bench.salvage(vault).whole == 2)
      #expect(try bench.paths() == [vault.ids[0].hex, "ok"])
      #expect(bench.content(vault.ids[0].hex) == [1])
    }
  }

  @Test func notesWithOnePathGetShownNames() throws {
    let vault = try SealedVault([TestNote("a", [1]), TestNote("a", [2]), TestNote("a/b", [3])])
    #expect(try bench.salvage(vault).whole == 3)
    #expect(
      try bench.paths() == ["a", "a (conflict 01000000)", "a (conflict 02000000)", "a/b"])
  }

  @Test func aMarkedNameNeverTakesAnothers() throws {
    let vault = try SealedVault([
      TestNote("a", Array(repeating: 7, count: 9_000)), TestNote("a (damaged)", [2]),
      TestNote("a (damaged)/x", [3]),
    ])
    try vault.damage(0) { _ in 5_000 }
    let report = try bench.salvage(vault)
    #expect(report.whole == 2 && report.damaged == 1)
    #expect(try bench.paths().count == 4)
    #expect(bench.content("a (damaged)/x") == [3])
  }

  @Test func fr096AMissingFileIsNamedAndTheRestComesBack() throws {
    let vault = try SealedVault((0..<6).map { TestNote("n\($0)", [UInt8($0)]) })
    for number in [0, 2, 4] { try FileManager.default.removeItem(at: vault.url(number)) }
    let report = try bench.salvage(vault)
    #expect(report.whole == 3 && report.lost == 3)
    #expect(report.problems.map(\.path) == [bytes("n0"), bytes("n2"), bytes("n4")])
    #expect(report.reasons == [.missing, .missing, .missing])
    #expect(try bench.paths() == ["n1", "n3", "n5"])
  }

  @Test func whatIsNoSealedFileAnyMoreIsNamed() throws {
    let vault = try SealedVault([TestNote("a", [1]), TestNote("b", [2])])
    try vault.change(0) { $0 = [] }
    try vault.put("notes/01/.DS_Store", [1, 2, 3])
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.reasons == [.unrecognised(.emptyFile)])
    #expect(report.problems[0].path == bytes("a") && report.lost == 1)
  }

  @Test func fr157AnyShortPrefixOfAFileIsNamedAndEndsNothing() throws {
    let vault = try SealedVault([TestNote("a", [1]), TestNote("b", [2])])
    let sealed = try vault.content(0)
    var random = SeededBytes(seed: 5)
    for count in stride(from: 0, through: sealed.count - 1, by: 29) {
      for content in [Array(sealed.prefix(count)), random.bytes(count)] {
        let bench = try SalvageBench()
        try vault.change(0) { $0 = content }
        let report = try bench.salvage(vault)
        #expect(report.whole == 1 && report.problems.count == 1, "\(count) bytes")
        #expect(try bench.paths() == ["b"])
      }
    }
  }

  @Test func linksAndPipesInTheVaultAreNotOpened() throws {
    let vault = try SealedVault([TestNote("a", [1]), TestNote("b", [2])])
    let outside = vault.folder.path(of: "outside")
    try FileManager.default.moveItem(atPath: vault.url(0).path(), toPath: outside)
    try FileManager.default.createSymbolicLink(
      atPath: vault.url(0).path(), withDestinationPath: outside)
    try #require(TemporaryFolder.run(["/usr/bin/mkfifo", vault.path + "/notes/pipe"]) == 0)
    let report = try bench.salvage(vault)
    #expect(report.whole == 1 && report.reasons == [.unreadable(.notRegular(.symlink))])
  }
}
