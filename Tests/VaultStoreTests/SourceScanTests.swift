import Glibc
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

@Suite struct SourceScanTests {
  private func paths(_ scan: SourceScan) -> [String] {
    scan.items.map { String(decoding: $0.path, as: UTF8.self) }
  }

  private func problems(_ scan: SourceScan) -> [SourceScanProblem] { scan.problems }

  @Test func hiddenFilesFoldersAndLinksAreFound() throws {
    let bench = try PackBench()
    try bench.shell("mkdir .obsidian && echo x > .obsidian/app.json && ln -s nowhere l && : > e")
    let scan = try bench.scan()
    #expect(paths(scan) == [".obsidian", ".obsidian/app.json", "e", "l"])
    #expect(scan.problems.isEmpty)
    #expect(scan.byteCount == 2 + 7)
  }

  @Test(.timeLimit(.minutes(1))) func pipesAndSocketsAreNamedAndNeverOpened() throws {
    let bench = try PackBench()
    try bench.shell("mkfifo pipe && python3 -c 'import socket; socket.socket(1).bind(\"s\")'")
    let scan = try bench.scan()
    #expect(paths(scan).isEmpty)
    #expect(
      scan.problems == [
        SourceScanProblem(path: bytes("pipe"), .special(.fifo)),
        SourceScanProblem(path: bytes("s"), .special(.socket)),
      ])
    #expect(scan.isOutOfSight(bytes("pipe")))
  }

  @Test func excludedPathsAreCountedAndOutOfSight() throws {
    let bench = try PackBench()
    try bench.shell("mkdir -p a/cache && echo > a/cache/x && echo > a/y.tmp && echo > a/z")
    let scan = try bench.scan(excluding: ["cache", "*.tmp"])
    #expect(paths(scan) == ["a", "a/z"])
    #expect(scan.excludedCount == 2)
    #expect(scan.isOutOfSight(bytes("a/cache/x")))
    #expect(scan.isOutOfSight(bytes("gone.tmp")))
    #expect(!scan.isOutOfSight(bytes("a/gone")))
  }

  @Test func aPlaceholderOfASyncToolStandsForItsFile() throws {
    let bench = try PackBench()
    try bench.shell("mkdir a && echo > a/.Note.md.icloud && echo > .icloud")
    let scan = try bench.scan()
    #expect(paths(scan) == [".icloud", "a"])
    #expect(scan.problems == [SourceScanProblem(path: bytes("a/Note.md"), .notDownloaded)])
    #expect(scan.isOutOfSight(bytes("a/Note.md")))
  }

  @Test func theVaultInTheSourceIsPassedOverByWhatItIs() throws {
    let bench = try PackBench()
    try bench.shell("mv ../vault v && ln -s source/v ../vault && ln -s v shortcut && echo > a")
    for path in [bench.sourcePath, bench.sourcePath + bytes("/./../source/")] {
      #expect(paths(try bench.scan(path)) == ["a", "shortcut"])
    }
  }

  @Test func aSourceThatIsOrLiesInTheVaultIsRefused() throws {
    let bench = try PackBench()
    try bench.shell("ln -s ../vault/index inside")
    for path in [
      bench.vault.path, bench.vault.path + bytes("/notes"), bench.sourcePath + bytes("/inside"),
    ] {
      #expect(throws: StoreError.sourceOverlapsVault) { try bench.scan(path) }
    }
  }

  @Test func aSourceThatIsNotThereIsRefused() throws {
    let bench = try PackBench()
    let path = bench.sourcePath + bytes("/gone")
    #expect(throws: StoreError.system(.failed(call: "open", .notFound), path: path)) {
      try SourceFolder(path: path)
    }
  }

  @Test func pathsDeeperThanTheSystemsLimitAreFound() throws {
    let bench = try PackBench()
    let part = Array(repeating: UInt8(ascii: "d"), count: 100)
    let parts = Array(repeating: part, count: 60)
    try makeChain(parts, file: bytes("n"), in: Directory(path: bench.sourcePath))
    let scan = try bench.scan()
    #expect(scan.problems.isEmpty)
    #expect(scan.items.count == 121)
    #expect(scan.items.map(\.path.count).max() == 60 * 101 + 1)
  }

  @Test func pathsAboveTheFormatsMaximumAreNamed() throws {
    let bench = try PackBench()
    let part = Array(repeating: UInt8(ascii: "d"), count: 200)
    let parts = Array(repeating: part, count: 41)
    try makeChain(parts, file: bytes("n"), in: Directory(path: bench.sourcePath))
    let scan = try bench.scan()
    #expect(scan.items.allSatisfy { SafePath.fault(in: $0.path) == nil })
    #expect(scan.problems.map(\.reason) == [.pathTooLong])
  }

  @Test func anUnreadableFolderIsNamedAndAllBelowItOutOfSight() async {
    await #expect(processExitsWith: .success) {
      let bench = try PackBench()
      try bench.shell("chmod 755 .. && mkdir -p a/b && echo > a/b/n && echo > c && chmod 000 a")
      dropPrivileges()
      let scan = try bench.scan()
      let expected = SourceScanProblem(
        path: bytes("a"), .unreadable(.failed(call: "openat", .accessDenied)))
      precondition(scan.problems == [expected], "the folder is named")
      precondition(scan.isOutOfSight(bytes("a/b/n")), "what is below is out of sight")
      precondition(!scan.isOutOfSight(bytes("d")), "the rest is not")
      precondition(scan.items.count == 2, "the folder itself and the other file are there")
    }
  }

  @Test func aSignalEndsTheWalk() throws {
    let bench = try PackBench()
    try bench.shell("echo > a")
    let source = try SourceFolder(path: bench.sourcePath)
    #expect(throws: StoreError.interrupted) {
      try SourceScan(source, excluding: [], passingOver: nil, isInterrupted: { true })
    }
  }

  @Test func theAbsolutePathDoesNotDependOnHowItIsWritten() throws {
    let bench = try PackBench()
    try bench.shell("ln -s source ../alias")
    let path = try SourceFolder(path: bench.sourcePath).absolutePath
    let alias = bench.vault.temporary.bytes + bytes("/alias/../alias/.")
    #expect(try SourceFolder(path: alias).absolutePath == path)
    #expect(path.first == UInt8(ascii: "/"))
  }
}
