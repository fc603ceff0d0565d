import Foundation
import Testing
import VaultTestSupport

@testable import VaultStore

/// What is in the target already, and what becomes of it.
@Suite struct UnpackExistingTests {
  enum Obstacle: CaseIterable {
    case file, link, danglingLink, emptyFolder, folder, pipe
  }

  @Test(arguments: Obstacle.allCases)
  func whatIsThereIsRefusedAndNamed(_ obstacle: Obstacle) throws {
    let bench = try bench(with: obstacle)
    let before = try bench.status("a")
    let report = try bench.unpack(try vault())
    #expect(report.written == 1 && report.failed == 1)
    #expect(report.problems.map(\.fault) == [.exists(try #require(before).kind)])
    #expect(try bench.status("a")?.identity == before?.identity)
    #expect(bench.content("b") == bytes("b"))
  }

  @Test(arguments: Obstacle.allCases)
  func whatIsThereStaysWhenItIsSkipped(_ obstacle: Obstacle) throws {
    let bench = try bench(with: obstacle)
    let before = try bench.status("a")
    let report = try bench.unpack(try vault(), existing: .skipped)
    #expect(try bench.status("a")?.identity == before?.identity)
    if before?.kind == .folder {
      #expect(report.problems.map(\.fault) == [.exists(.folder)])
    } else {
      #expect(report.problems.isEmpty && report.skipped == 1)
    }
  }

  @Test(arguments: Obstacle.allCases)
  func onlyAFolderThatHoldsSomethingWithstandsOverwriting(_ obstacle: Obstacle) throws {
    let bench = try bench(with: obstacle)
    let report = try bench.unpack(try vault(), existing: .overwritten)
    if obstacle == .folder {
      #expect(report.problems.map(\.fault) == [.exists(.folder)])
      #expect(bench.content("a/mine") == bytes("mine"))
    } else {
      #expect(report.problems.isEmpty)
      #expect(bench.content("a") == bytes("a"))
      #expect(try bench.status("a")?.kind == .regular)
    }
    #expect(try bench.leftovers().isEmpty)
  }

  @Test func aFileWhereAFolderBelongsGivesWayOnlyWhenAsked() throws {
    let vault = try SealedVault([.folder("d"), TestNote("d/x", [1])])
    let bench = try UnpackBench()
    try bench.put("d", "mine")
    let refused = try bench.unpack(vault)
    #expect(
      refused.problems == [
        UnpackProblem(path: bytes("d"), fault: .blocked(by: .regular), noteCount: 2)
      ])
    #expect(bench.content("d") == bytes("mine"))
    #expect(try bench.unpack(vault, existing: .overwritten).written == 2)
    #expect(bench.content("d/x") == [1])
  }

  @Test(arguments: [ExistingFiles.refused, .skipped, .overwritten])
  func aFolderThatIsThereIsUsedAndKeepsItsOwnUnlessARunIsContinued(
    _ existing: ExistingFiles
  ) throws {
    var folder = TestNote.folder("d")
    folder.permissions = 0o755
    let vault = try SealedVault([folder, TestNote("d/x", [1])])
    let bench = try UnpackBench()
    try bench.put("d/mine", "mine")
    _ = try runShell("chmod 700 \"$1/d\"", bench.target)
    let report = try bench.unpack(vault, existing: existing)
    #expect(report.written == 1 && report.skipped == 1 && report.problems.isEmpty)
    #expect(bench.content("d/mine") == bytes("mine"))
    let status = try #require(try bench.status("d"))
    #expect(status.mode == (existing == .refused ? 0o700 : 0o755))
    #expect((status.modified.seconds == folder.modified.seconds) == (existing != .refused))
  }

  /// What a target that ignores letter case does is shown by two names of one file.
  @Test(arguments: [ExistingFiles.refused, .skipped, .overwritten])
  func aNoteThatTheTargetTakesForAnotherIsNotWritten(_ existing: ExistingFiles) throws {
    let vault = try SealedVault([
      TestNote("Note.md", bytes("upper")), TestNote("note.md", bytes("lower")),
    ])
    let bench = try UnpackBench()
    try bench.put("Note.md", "old")
    _ = try runShell("ln \"$1/Note.md\" \"$1/note.md\"", bench.target)
    let report = try bench.unpack(vault, existing: existing)
    switch existing {
    case .refused, .skipped:
      #expect(report.problems.last?.fault == .sameName(as: bytes("Note.md")))
      #expect(bench.content("note.md") == bytes("old"))
    case .overwritten:
      // Replacing the first has given it a file of its own, which no folding target would.
      #expect(bench.content("Note.md") == bytes("upper"))
      #expect(bench.content("note.md") == bytes("lower"))
    }
  }

  private func vault() throws -> SealedVault {
    try SealedVault([TestNote("a", bytes("a")), TestNote("b", bytes("b"))])
  }

  private func bench(with obstacle: Obstacle) throws -> UnpackBench {
    let bench = try UnpackBench()
    try bench.makeFolder("")
    switch obstacle {
    case .file: try bench.put("a", "mine")
    case .link: try bench.makeLink("a", to: bench.outside)
    case .danglingLink: try bench.makeLink("a", to: "nowhere")
    case .emptyFolder: try bench.makeFolder("a")
    case .folder: try bench.put("a/mine", "mine")
    case .pipe: _ = try runShell("mkfifo \"$1/a\"", bench.target)
    }
    return bench
  }
}
