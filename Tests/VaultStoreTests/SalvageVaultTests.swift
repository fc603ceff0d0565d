import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What is left of `VAULT`, slots and index (spec §12.2).
@Suite struct SalvageVaultTests {
  private let bench: SalvageBench
  private let vault: TestVault

  init() throws {
    bench = try SalvageBench()
    vault = try TestVault()
    try vault.commit([.put("a.md", "one"), .put("d/b.md", "two")])
    try vault.commit([.move("a.md", to: "moved.md"), .put("c.md", "three")])
  }

  private func expectAll(moved: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(bench.text(moved) == "one", sourceLocation: sourceLocation)
    #expect(bench.text("d/b.md") == "two", sourceLocation: sourceLocation)
    #expect(bench.text("c.md") == "three", sourceLocation: sourceLocation)
  }

  @Test(arguments: ["rm -r index", "rm -r index VAULT", "rm -r index local; : > VAULT"])
  func theSparesAreEnough(_ damage: String) throws {
    try vault.shell(damage)
    let report = try bench.salvage(vault)
    #expect(report.whole == 3 && report.problems == [])
    expectAll(moved: "a.md")
  }

  @Test(arguments: ["rm index/*.seg", "rm -r spare VAULT", "rm -r spare; rm index/*.seg VAULT"])
  func anIndexWithoutSegmentsOrSparesIsEnough(_ damage: String) throws {
    try vault.shell(damage)
    let report = try bench.salvage(vault)
    #expect(report.whole == 3 && report.problems == [])
    expectAll(moved: damage == "rm -r spare VAULT" ? "moved.md" : "a.md")
  }

  @Test func anyOneSegmentMayBeLost() throws {
    for segment in try #require(try vault.names("index")) where segment.hasSuffix(".seg") {
      let content = try vault.content("index/\(segment)")
      try vault.remove("index/\(segment)")
      let bench = try SalvageBench()
      let report = try bench.salvage(vault)
      #expect(report.whole == 3 && report.problems == [])
      #expect(bench.text("moved.md") ?? bench.text("a.md") == "one")
      try vault.put("index/\(segment)", content)
    }
  }

  @Test func halfOfTheSegmentsMayBeLost() throws {
    for number in 0..<6 { try vault.commit([.put("n\(number)", "text \(number)")]) }
    let segments = try #require(try vault.names("index")).filter { $0.hasSuffix(".seg") }
    for (number, name) in segments.enumerated() where number % 2 == 0 {
      try vault.remove("index/\(name)")
    }
    #expect(try bench.salvage(vault).whole == 9)
    for number in 0..<6 { #expect(bench.text("n\(number)") == "text \(number)") }
  }

  @Test func whereTheNewestSegmentIsLostItsVersionIsCalledUnlisted() throws {
    let last = try vault.commit([.put("c.md", "edited")])
    try vault.remove("index/\(last.hex).seg")
    let report = try bench.salvage(vault)
    #expect(report.whole == 2 && report.versions.map(\.reason) == [.unlisted])
    #expect(report.reasons == [.onlyOtherVersions] && report.problems[0].path == bytes("c.md"))
    #expect(bench.text(String(decoding: report.versions[0].path, as: UTF8.self)) == "edited")
  }

  @Test(arguments: fixtureVaults) func everyNoteOfAFixtureComesBack(_ name: String) throws {
    let vault = try FixtureVault(name)
    let report = try Salvage(try vault.unlocked()).run(
      into: bytes(bench.target), watch: SalvageBench.watch())
    #expect(report.problems == [] && report.damaged == 0)
    for note in vault.notes where note.type == "file" {
      let path = bytes(bench.target) + bytes("/") + note.shownPath.bytes
      let place = UnpackPlace(path)
      let content = try Directory(path: place.folder).readWhole(place.name, limit: 1 << 24)
      #expect(try SHA256.digest(content.span).bytes == note.sha256.bytes, "\(place.name)")
    }
    #expect(report.lockedCompartments.count == (name == "two-compartments" ? 1 : 0))
    #expect((report.lockedFiles > 0) == (name == "two-compartments"))
  }

  @Test func aChangedVAULTIsOverruledByTheSlots() throws {
    var header = try vault.content("VAULT")
    header[25] ^= 1
    try vault.put("VAULT", header)
    #expect(try bench.salvage(vault).whole == 3)
    let other = try SalvageBench()
    try vault.shell("rm -r index")
    #expect(try other.salvage(vault).whole == 3)
  }

  @Test func thePhraseWillDoWhereThePassphraseSlotIsGone() throws {
    for slot in try vault.snapshot().slots where slot.slot?.head.purpose == .passphrase {
      try vault.remove((slot.isSpare ? "spare/" : "index/") + "\(slot.locator.hex).slot")
    }
    #expect(throws: StoreError.secretRefused(notTried: 0)) { try bench.salvage(vault) }
    #expect(!FileManager.default.fileExists(atPath: bench.target))
    let report = try bench.salvage(vault, with: try TestVault.secret(phrase: TestVault.phrase))
    #expect(report.whole == 3 && report.problems == [])
    expectAll(moved: "moved.md")
  }

  @Test func fr093AForeignAndAnEmptySlotDoNotMatter() throws {
    let other = try TestVault()
    let name = try #require(try other.names("index")?.first { $0.hasSuffix(".slot") })
    try vault.put("index/\(name)", try other.content("index/\(name)"))
    try vault.put("index/\(String(repeating: "0", count: 64)).slot", [])
    #expect(try bench.salvage(vault).whole == 3)
  }

  @Test(arguments: ["rm -r spare; rm index/*.slot", "rm -r spare index; mkdir index; rm VAULT"])
  func withoutAnySlotNothingCanBeDoneAndThatIsSaid(_ damage: String) throws {
    try vault.shell(damage)
    let error = #expect(throws: StoreError.self) { try bench.salvage(vault) }
    guard case .noReadableSlot(let findings)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!findings.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: bench.target))
  }

  @Test func theTargetMustBeNewOrEmptyAndOutside() throws {
    let base = try SalvageBase.load(path: vault.path, bounds: TestVault.bounds)
    let full = bench.temporary.path(of: "full")
    try FileManager.default.createDirectory(
      atPath: full + "/x", withIntermediateDirectories: true)
    #expect(throws: StoreError.notEmpty(path: bytes(full))) {
      try Salvage.check(target: bytes(full), of: base)
    }
    for inside in ["", "/notes", "/new", "/../vault/index"] {
      #expect(throws: StoreError.targetInVault) {
        try Salvage.check(target: vault.path + bytes(inside), of: base)
      }
    }
    try Salvage.check(target: bytes(full + "/x"), of: base)
    try Salvage.check(target: bytes(full + "/new"), of: base)
    #expect(!FileManager.default.fileExists(atPath: full + "/new"))
  }

  @Test func fr166TheVaultIsOnlyRead() throws {
    try vault.shell("printf x >> $(ls notes/*/* | head -1)")
    let list = "find . -type f -exec md5sum {} + | sort; find . -printf '%P %T@ %m\\n' | sort"
    let before = try runShell("cd \"$1\"; \(list)", String(decoding: vault.path, as: UTF8.self))
    _ = try bench.salvage(vault)
    #expect(
      try runShell("cd \"$1\"; \(list)", String(decoding: vault.path, as: UTF8.self)) == before)
  }

  @Test(arguments: 1...5) func aFullDiskEndsTheRunAndLeavesNoPart(_ step: Int) throws {
    let sealed = try SealedVault([TestNote("a", [1]), TestNote("b", [2])])
    let report = try bench.salvage(
      sealed, faults: FaultPlan(atStep: step, .fail(.noSpace)))
    guard case .target(let error)? = report.stop else {
      Issue.record("\(report)")
      return
    }
    #expect(error.code == .noSpace && report.whole < 2)
    #expect(try bench.paths().allSatisfy { !$0.hasPrefix(".vaulttool") })
  }

  @Test func anInterruptedRunWritesNothingMore() throws {
    let unlocked = try vault.unlock()
    #expect(throws: StoreError.interrupted) {
      try Salvage(unlocked).run(
        into: bytes(bench.target), watch: SalvageBench.watch(isInterrupted: { true }))
    }
    #expect(!FileManager.default.fileExists(atPath: bench.target))
  }
}
