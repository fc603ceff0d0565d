import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

@Suite struct UnpackTests {
  @Test(arguments: ["basic", "merged", "conflict", "unfinished-commit"], [1, 3])
  func aFixtureUnpacksAsItIsDescribed(_ name: String, _ workers: Int) throws {
    let fixture = try FixtureVault(name)
    let bench = try UnpackBench()
    let report = try bench.unpack(fixture, workers: workers)
    #expect(report.problems.isEmpty && report.stop == nil)
    #expect(report.written == Set(fixture.notes.map(\.shownPath.bytes)).count)
    let mask = FileModeMask.current()
    var seen = Set<[UInt8]>()
    for note in fixture.notes where seen.insert(note.shownPath.bytes).inserted {
      let place = UnpackPlace(note.shownPath.bytes)
      var cursor = try UnpackCursor(try Directory(path: bytes(bench.target)))
      try cursor.enter(place.folder)
      let status = try #require(try cursor.folder.status(of: place.name))
      #expect(
        status.modified
          == FileTime(seconds: note.modified[0], nanoseconds: UInt32(note.modified[1])))
      var content: [UInt8] = []
      switch note.type {
      case "folder":
        #expect(status.kind == .folder)
        continue
      case "link":
        #expect(status.kind == .symlink)
        content = try cursor.folder.readLink(place.name)
      default:
        #expect(status.kind == .regular)
        #expect(status.mode == (note.executable ? 0o777 : 0o666) & ~mask)
        content = try cursor.folder.readWhole(place.name, limit: 1 << 20)
      }
      let digest = try SHA256.digest(content.span).bytes
      #expect(digest == note.sha256.bytes)
    }
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func theTargetIsMadeAndItsParentIsNot() throws {
    let sealed = try SealedVault([TestNote("a", [1])])
    let vault = try sealed.unlocked()
    let bench = try UnpackBench()
    let far = bytes(bench.target + "/x/y")
    #expect(throws: StoreError.system(.failed(call: "open", .notFound), path: far)) {
      try Unpacking(
        vault.notes, of: vault, into: far, existing: .refused, workerCount: 1,
        isInterrupted: { false }, progress: { _ in }
      ).unpack()
    }
    #expect(try bench.unpack(sealed).written == 1)
  }

  @Test func contentsAtChunkBordersAreWrittenExactly() throws {
    let counts = [0, 1, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193]
    var random = SeededBytes(seed: 3)
    let notes = counts.map { TestNote("n\($0)", random.bytes($0)) }
    let bench = try UnpackBench()
    _ = try bench.unpack(try SealedVault(notes))
    for note in notes {
      #expect(bench.content(String(decoding: note.path, as: UTF8.self)) == note.content)
    }
  }

  @Test(arguments: [1, 2, 3])
  func aLargeFileIsWrittenByAllWorkers(_ workers: Int) throws {
    var note = TestNote("large", pattern(9_000_001))
    note.chunkSizeLog2 = 16
    let bench = try UnpackBench()
    let report = try bench.unpack(try SealedVault([note]), workers: workers)
    #expect(report.written == 1)
    #expect(bench.content("large") == note.content)
  }

  @Test func timesAreExactAlsoBefore1970AndOfFoldersThatWereWrittenInto() throws {
    var old = TestNote("a/b/old", [1])
    old.modified = (-1, 999_999_999)
    var older = TestNote("a/b/older", [1])
    older.modified = (-38_926_635, 500_000_000)
    var link = TestNote.link("a/link", to: "b/old")
    link.modified = (981_173_106, 123_456_789)
    var folder = TestNote.folder("a")
    folder.modified = (981_173_106, 1)
    var inner = TestNote.folder("a/b")
    inner.modified = (981_173_107, 2)
    let notes = [folder, inner, old, older, link]
    let bench = try UnpackBench()
    _ = try bench.unpack(try SealedVault(notes))
    for note in notes {
      let status = try bench.status(String(decoding: note.path, as: UTF8.self))
      #expect(
        status?.modified
          == FileTime(seconds: note.modified.seconds, nanoseconds: note.modified.nanoseconds))
    }
  }

  @Test(arguments: [
    (0o640, false, 0o640), (0o444, false, 0o444), (0o755, true, 0o755), (0o000, false, 0o000),
    (0o750, false, 0o640), (0o640, true, 0o750), (0o200, true, 0o200), (0o777, false, 0o666),
  ])
  func permissionsAreThoseOfTheNoteAndTheIndexDecidesOnExecution(
    _ kept: UInt16, _ isExecutable: Bool, _ mode: UInt32
  ) throws {
    var note = TestNote("a", [1])
    note.permissions = kept
    note.isExecutable = isExecutable
    let bench = try UnpackBench()
    _ = try bench.unpack(try SealedVault([note]))
    #expect(try bench.status("a")?.mode == mode)
  }

  @Test func aReadOnlyFolderReceivesItsNotesFirst() async {
    await #expect(processExitsWith: .success) {
      var outer = TestNote.folder("a")
      outer.permissions = 0o555
      var inner = TestNote.folder("a/b")
      inner.permissions = 0o500
      let sealed = try SealedVault([outer, inner, TestNote("a/b/x", [1]), TestNote("a/y", [1])])
      let bench = try UnpackBench()
      _ = try runShell("chmod a+rwx \"$1\"", sealed.folder.path)
      _ = try runShell("chmod a+rwx \"$1\"", bench.temporary.path)
      dropPrivileges()
      #expect(try bench.unpack(sealed).written == 4)
      #expect(try bench.status("a")?.mode == 0o555)
      #expect(try bench.status("a/b")?.mode == 0o500)
      #expect(try bench.unpack(sealed, existing: .skipped).skipped == 4)
      _ = try runShell("chmod -R u+rwx \"$1\"/target", bench.temporary.path)
    }
  }

  @Test func namesAreWrittenByteForByte() throws {
    let long = [UInt8](repeating: 120, count: 255)
    let paths: [[UInt8]] = [
      long, bytes("d/") + long, [0x62, 0xE4, 0x72], bytes("\u{1B}[2J\r\n"), bytes(" "),
      bytes("-rf"), bytes("e\u{301}"), bytes("\u{E9}"), bytes("a\\b"), bytes("C:x"), bytes("..."),
      bytes("Note.md"), bytes("note.md"),
    ]
    let bench = try UnpackBench()
    let report = try bench.unpack(try SealedVault(paths.map { TestNote(path: $0, $0) }))
    #expect(report.written == paths.count && report.problems.isEmpty)
    for path in paths {
      var root = try SourceRoot(try Directory(path: bytes(bench.target)))
      #expect(try root.openFile(path).readWhole(limit: 300) == path)
    }
  }

  @Test func aPathDeeperThanTheSystemTakesInOneCallIsWritten() throws {
    let part = String(repeating: "x", count: 100)
    let path = Array(repeating: part, count: 60).joined(separator: "/") + "/note"
    let bench = try UnpackBench()
    #expect(try bench.unpack(try SealedVault([TestNote(path, [1])])).written == 1)
    var root = try SourceRoot(try Directory(path: bytes(bench.target)))
    #expect(try root.openFile(bytes(path)).readWhole(limit: 10) == [1])
  }

  @Test func onlyWhatIsAskedForIsWritten() throws {
    let notes = ["a/x", "a/y", "ab", "b/x"].map { TestNote($0, bytes($0)) }
    let bench = try UnpackBench()
    _ = try bench.unpack(try SealedVault(notes), ["a", "b/x"])
    #expect(
      Set(try bench.tree().keys.filter { !$0.contains("  ") }) == ["a", "a/x", "a/y", "b", "b/x"])
  }

  // MARK: - Damage

  @Test(arguments: [1, 2])
  func aDamagedNoteDoesNotKeepOthersBack(_ workers: Int) throws {
    var large = TestNote("large", pattern(9_000_000))
    large.chunkSizeLog2 = 16
    let vault = try SealedVault([
      TestNote("a", [1]), TestNote("b", pattern(20_000)), large, TestNote("z", [2]),
    ])
    for number in [1, 2] { try vault.damage(number) { $0 / 2 } }
    let bench = try UnpackBench()
    let report = try bench.unpack(vault, workers: workers)
    #expect(report.written == 2 && report.failed == 2)
    #expect(report.problems.map(\.path) == [bytes("b"), bytes("large")])
    for problem in report.problems {
      #expect(problem.code == .sealBroken)
      guard case .vault(.sealing(.chunkNotAuthentic(_), _)) = problem.fault else {
        Issue.record("\(problem.fault) names no chunk")
        continue
      }
    }
    #expect(Set(try bench.tree().keys.filter { !$0.contains("  ") }) == ["a", "z"])
  }

  @Test func aMissingFileIsNamedAndTheRestIsWritten() throws {
    let vault = try SealedVault([TestNote("a", [1]), TestNote("b", [2])])
    try FileManager.default.removeItem(at: vault.url(0))
    let bench = try UnpackBench()
    let report = try bench.unpack(vault)
    #expect(report.written == 1 && report.problems.map(\.code) == [.noteMissing])
    #expect(!report.vaultChanged)
  }

  @Test func aNoteThatChangedWithTheIndexIsPutDownToThat() throws {
    let sealed = try SealedVault([TestNote("a", [1])])
    let vault = try sealed.unlocked()
    try FileManager.default.removeItem(at: sealed.url(0))
    try Data().write(to: URL(filePath: sealed.path + "/index/new"))
    #expect(try UnpackBench().unpack(vault).vaultChanged)
  }

  // MARK: - Ends

  @Test func anInterruptedRunContinuesToTheSameTree() throws {
    let fixture = try FixtureVault("basic")
    let clean = try UnpackBench()
    _ = try clean.unpack(fixture)
    let tree = try clean.tree()
    for count in stride(from: 0, to: 40, by: 7) {
      let bench = try UnpackBench()
      let countdown = Countdown(count)
      let first = try bench.unpack(fixture, workers: 1, isInterrupted: { countdown.hasRunOut() })
      #expect(first.stop == .interrupted)
      #expect(try bench.leftovers().isEmpty)
      let second = try bench.unpack(fixture, existing: .skipped)
      #expect(second.problems.isEmpty && second.stop == nil)
      #expect(try bench.tree() == tree)
    }
  }

  @Test func aFullDiskEndsTheRunAtOnceAndLeavesNothingHalfDone() throws {
    let vault = try FixtureVault("basic")
    var step = 1
    var stops = 0
    while true {
      let bench = try UnpackBench()
      let plan = FaultPlan(atStep: step, .fail(.noSpace))
      let report = try bench.unpack(vault, workers: 1, faults: plan)
      guard plan.wasReached else { break }
      // Setting a time takes no room, so a failure there is that of one folder.
      if report.stop == .target(.failed(call: "pwrite", .noSpace)) { stops += 1 }
      #expect(report.stop != nil || report.failed == 1)
      #expect(report.written + report.failed + report.skipped <= vault.notes.count)
      #expect(try bench.leftovers().isEmpty)
      step += 3
    }
    #expect(stops > 1)
  }

  @Test func anyOtherFailureConcernsOneNote() throws {
    let vault = try SealedVault([
      TestNote("a", [1]), TestNote("b", [2]), .link("l", to: "a"),
    ])
    var step = 1
    while true {
      let bench = try UnpackBench()
      let plan = FaultPlan(atStep: step, .fail(.accessDenied))
      let report = try bench.unpack(vault, workers: 1, faults: plan)
      guard plan.wasReached else { break }
      #expect(report.written == 2 && report.failed == 1, "step \(step)")
      #expect(try bench.leftovers().isEmpty)
      step += 1
    }
    #expect(step > 10)
  }

  @Test func whatAKilledRunLeftIsRemovedUnlessItIsANote() throws {
    let own = ".vaulttool-0000beef.part"
    let vault = try SealedVault([TestNote("d/a", [1]), TestNote("d/\(own)", [2])])
    let bench = try UnpackBench()
    try bench.put(".vaulttool-12345678.part", "half")
    try bench.put("d/.vaulttool-9abcdef0.part", "half")
    try bench.put("d/.vaulttool-9abcdef0.partly", "mine")
    try bench.put("d/\(own)", "mine")
    _ = try bench.unpack(vault, existing: .skipped)
    #expect(
      Set(try bench.leftovers()) == [
        bench.target + "/d/.vaulttool-9abcdef0.partly", bench.target + "/d/\(own)",
      ])
    #expect(bench.content("d/\(own)") == bytes("mine"))
  }
}
