import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Vaults that mean harm, and targets with traps in them.
@Suite struct UnpackHostileTests {
  @Test(arguments: [
    "../outside/x", "/x", "//x", "a/../../outside/x", "a/./x", "a//x", "..", ".", "a/", "x\0y",
  ])
  func aPathThatLeadsOutIsAFindingAndWritesNothing(_ path: String) throws {
    let vault = try SealedVault([TestNote(path, [1]), TestNote("ok", [2])])
    #expect(try vault.unlocked().findings.map(\.code) == [.unsafePath])
    let bench = try UnpackBench()
    #expect(try bench.unpack(vault).written == 1)
    #expect(Set(try bench.tree().keys.filter { !$0.contains("  ") }) == ["ok"])
    #expect(try bench.outsideIsEmpty())
  }

  @Test func aLinkOfTheVaultIsNeverWrittenThrough() throws {
    let bench = try UnpackBench()
    let vault = try SealedVault([
      .link("a", to: bench.outside), TestNote("a/x", [1]), .link("b", to: "../outside/made"),
      TestNote("b (conflict", [1]),
    ])
    let report = try bench.unpack(vault)
    #expect(report.written == 4)
    #expect(bench.content("a/x") == [1])
    #expect(try bench.status("a")?.kind == .folder)
    #expect(try bench.outsideIsEmpty())
  }

  @Test(arguments: [Compression.none, .zstd])
  func aLinkWhoseTargetHoldsAByte00IsAFindingAndRefused(_ compression: Compression) throws {
    let target = String(repeating: "a", count: 900)
    var notes = [TestNote.link("bad", to: target + "\0x"), .link("good", to: target)]
    for index in notes.indices { notes[index].compression = compression }
    let vault = try SealedVault(notes)
    let path = Layout.notePath(vault.ids[0])
    let refusal = StoreError.damaged(
      path: path, .valueOutOfRange(field: "link target", offset: 900, found: 0, allowed: 1...255))
    #expect(throws: refusal) { try vault.read(0) }
    #expect(Finding.Code(refusal) == .malformed)
    #expect(try vault.read(1) == bytes(target))
    let bench = try UnpackBench()
    let report = try bench.unpack(vault)
    #expect(report.problems.map(\.path) == [bytes("bad")])
    #expect(try bench.status("bad") == nil)
    #expect(try bench.status("good")?.kind == .symlink)
    let slots = try vault.openedSlots()
    let verified = try Verification(
      path: bytes(vault.path),
      options: VerifyOptions(pins: [], bounds: .standard, workerCount: 1)
    ).run(progress: .silent) { () throws(StoreError) in slots }
    let found = verified.findings.filter { $0.path.starts(with: Layout.notes) }
    #expect(
      found.map(Reported.init) == [Reported(.malformed, String(decoding: path, as: UTF8.self))])
  }

  @Test func oneNameForAFileAndAFolderGivesTwoNames() throws {
    let bench = try UnpackBench()
    let vault = try SealedVault([TestNote("a", [1]), TestNote("a/b", [2])])
    #expect(try bench.unpack(vault).written == 2)
    #expect(bench.content("a/b") == [2])
    #expect(bench.content("a (conflict 01000000)") == [1])
  }

  @Test(arguments: [ExistingFiles.refused, .skipped])
  func aPlantedLinkIsNotFollowed(_ existing: ExistingFiles) throws {
    let bench = try UnpackBench()
    try bench.makeFolder("")
    try bench.makeLink("a", to: bench.outside)
    try bench.makeLink("f", to: bench.outside + "/made")
    let vault = try SealedVault([
      TestNote("a/x", [1]), TestNote("a/b/y", [1]), TestNote("f", [3]), TestNote("ok", [2]),
    ])
    let report = try bench.unpack(vault, existing: existing)
    #expect(
      report.problems.first
        == UnpackProblem(path: bytes("a"), fault: .blocked(by: .symlink), noteCount: 2))
    #expect(bench.content("ok") == [2])
    #expect(try bench.outsideIsEmpty())
    #expect(try bench.status("a")?.kind == .symlink)
    #expect(try bench.status("f")?.kind == .symlink)
    #expect(report.skipped == (existing == .skipped ? 1 : 0))
    #expect(report.failed == (existing == .skipped ? 2 : 3))
  }

  @Test func aPlantedLinkGivesWayWhenThatIsAskedFor() throws {
    let bench = try UnpackBench()
    try bench.makeFolder("")
    try bench.makeLink("a", to: bench.outside)
    try bench.makeLink("f", to: bench.outside + "/made")
    let vault = try SealedVault([TestNote("a/x", [1]), TestNote("f", [3])])
    #expect(try bench.unpack(vault, existing: .overwritten).written == 2)
    #expect(bench.content("a/x") == [1])
    #expect(try bench.status("f")?.kind == .regular)
    #expect(try bench.outsideIsEmpty())
  }

  @Test func theVaultItselfIsNoTarget() throws {
    let sealed = try SealedVault([TestNote("a", [1])])
    let vault = try sealed.unlocked()
    for path in [sealed.path, sealed.path + "/notes", sealed.path + "/../vault/index/"] {
      #expect(throws: StoreError.targetInVault) {
        try Unpacking(
          vault.notes, of: vault, into: bytes(path), existing: .overwritten, workerCount: 1,
          isInterrupted: { false }, progress: { _ in }
        ).unpack()
      }
    }
  }

  @Test func aVaultBelowTheTargetIsNotWrittenInto() throws {
    let sealed = try SealedVault([TestNote("vault/VAULT", [1]), TestNote("b", [2])])
    let vault = try sealed.unlocked()
    let header = FileManager.default.contents(atPath: sealed.path + "/VAULT")
    let report = try Unpacking(
      vault.notes, of: vault, into: sealed.folder.bytes, existing: .overwritten, workerCount: 1,
      isInterrupted: { false }, progress: { _ in }
    ).unpack()
    #expect(
      report.problems == [UnpackProblem(path: bytes("vault"), fault: .inVault, noteCount: 1)])
    #expect(report.written == 1)
    #expect(FileManager.default.contents(atPath: sealed.path + "/VAULT") == header)
  }

  @Test func aReadOnlyFolderConcernsOnlyItsNotes() async {
    await #expect(processExitsWith: .success) {
      let sealed = try SealedVault([TestNote("locked/a", [1]), TestNote("b", [2])])
      let bench = try UnpackBench()
      try bench.makeFolder("locked")
      _ = try runShell("chmod a+rwx \"$1\"", sealed.folder.path)
      _ = try runShell(
        "chmod a+rwx \"$1\" \"$1/target\" && chmod a=rx \"$1/target/locked\"",
        bench.temporary.path)
      dropPrivileges()
      let report = try bench.unpack(sealed)
      #expect(report.written == 1)
      #expect(
        report.problems == [
          UnpackProblem(
            path: bytes("locked/a"),
            fault: .target(.failed(call: "openat", .accessDenied)), noteCount: 1)
        ])
    }
  }

  @Test func fewOpenFilesAreEnough() async {
    await #expect(processExitsWith: .success) {
      let sealed = try SealedVault((0..<200).map { TestNote("d\($0 % 10)/\($0)", [1]) })
      let bench = try UnpackBench()
      let vault = try sealed.unlocked()
      limitOpenFiles(toFurther: 100)
      #expect(try bench.unpack(vault).written == 200)
    }
  }
}
