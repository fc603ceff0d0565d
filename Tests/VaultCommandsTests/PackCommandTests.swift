import FoundationEssentials
import Testing
import VaultTestSupport

@testable import VaultCommands

/// `pack` as a command: what it prints, asks and ends with. What it does is tested with the store.
@Suite struct PackCommandTests {
  /// A folder with a source in it; a vault is made where a test needs one, which costs a real derivation.
  private struct Bench {
    let folder: TemporaryFolder
    var source: String { folder.path(of: "source") }
    var vault: String { folder.path(of: "vault") }

    init() throws {
      folder = try TemporaryFolder.inMemory()
      try shell("mkdir source && printf secret > pass && printf wrong > wrong")
    }

    func shell(_ command: String) throws {
      let status = TemporaryFolder.run(["/bin/sh", "-c", "cd '\(folder.path)' && \(command)"])
      try #require(status == 0, "\(command)")
    }

    /// Runs `pack SOURCE VAULT` with further arguments, in this process and without a terminal.
    func pack(
      _ arguments: String..., passphrase: String = "pass"
    ) -> (status: CInt, output: String, errors: String) {
      let console = Console.recording()
      let line =
        ["pack", source, vault, "--passphrase-file", folder.path(of: passphrase)] + arguments
      let status = Program.run(line.map { Array($0.utf8) }, on: console)
      let recorded = console.recorded
      return (
        status, String(decoding: recorded.output, as: UTF8.self),
        String(decoding: recorded.errors, as: UTF8.self)
      )
    }

    func exists(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: folder.path(of: name))
    }
  }

  private func json(_ text: String) throws -> [String: Field] {
    try JSONDecoder().decode([String: Field].self, from: Data(text.utf8))
  }

  /// A field of a report, as far as these tests look into it.
  private enum Field: Decodable, Equatable {
    case number(Int)
    case text(String)
    case flag(Bool)
    case list([[String: String]])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .list(try container.decode([[String: String]].self))
      }
    }
  }

  // MARK: - Without a vault

  @Test func aDryRunWithoutAVaultMakesNone() throws {
    let bench = try Bench()
    try bench.shell("printf a > source/a && mkdir source/f && printf b > source/b.tmp")
    let run = bench.pack("--dry-run", "--json", "--verbose", "--exclude", "*.tmp")
    #expect(run.status == 0)
    #expect(!bench.exists("vault"))
    #expect(
      try json(run.output) == [
        "schema": .text("vaulttool-pack/1"), "added": .number(2), "changed": .number(0),
        "renamed": .number(0), "removed": .number(0), "unchanged": .number(0),
        "excluded": .number(1), "skipped": .number(0), "kept": .number(0),
        "changes": .list([
          ["action": "added", "path": "a"], ["action": "added", "path": "f"],
        ]),
        "problems": .list([]), "bytes_sealed": .number(0), "dry_run": .flag(true),
      ])
    #expect(run.output.hasSuffix("}\n"))
    #expect(
      run.errors == """
        vaulttool: added a
        vaulttool: added f
        vaulttool: would be packed: 2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged, 1 excluded

        """)
  }

  @Test func whatIsSkippedIsNamedSafelyAndGivesStatus3() throws {
    let bench = try Bench()
    try bench.shell("mkfifo source/\"$(printf 'p\\033]0;x\\007')\"")
    let run = bench.pack("--dry-run", "--json")
    #expect(run.status == 3)
    #expect(run.errors.contains("warning: p\\x1b]0;x\\x07: a named pipe cannot be packed"))
    #expect(
      try json(run.output)["problems"]
        == .list([["path": "p\u{1B}]0;x\u{7}", "reason": "a named pipe cannot be packed"]]))
  }

  @Test func aNameThatIsNoTextIsGivenInHexadecimals() throws {
    let bench = try Bench()
    try bench.shell("printf a > source/\"$(printf 'bin\\344r')\"")
    let run = bench.pack("--dry-run", "--json")
    #expect(
      try json(run.output)["changes"] == .list([["action": "added", "path_hex": "62696ee472"]]))
  }

  @Test func aMissingSourceIsRefusedBeforeAnythingIsMade() throws {
    let bench = try Bench()
    try bench.shell("rmdir source")
    #expect(bench.pack("--phrase-out", bench.folder.path(of: "phrase")).status == 1)
    #expect(!bench.exists("vault"))
    #expect(!bench.exists("phrase"))
  }

  @Test func aFolderThatHoldsSomethingElseIsNoVault() throws {
    let bench = try Bench()
    try bench.shell("mkdir vault && printf x > vault/x")
    let run = bench.pack("--phrase-out", bench.folder.path(of: "phrase"))
    #expect(run.status == 1)
    #expect(run.errors.contains("there is no vault at"))
    #expect(!bench.exists("phrase"))
  }

  @Test func anEmptySourceIsNotMadeAVaultOfItself() throws {
    let bench = try Bench()
    try bench.shell("ln -s source vault")
    let run = bench.pack("--phrase-out", bench.folder.path(of: "phrase"))
    #expect(run.status == 1)
    #expect(run.errors.contains("the source lies in the vault, or is the vault"))
    #expect(!bench.exists("source/VAULT"))
  }

  @Test func anUnknownWayToCompressIsWrongUsage() throws {
    let bench = try Bench()
    #expect(bench.pack("--compress", "much").status == 2)
    #expect(!bench.exists("vault"))
  }

  // MARK: - With a vault

  @Test func aVaultIsMadeAndNothingIsReplacedWithoutAYes() throws {
    let bench = try Bench()
    try bench.shell("printf a > source/a && printf b > source/b")
    let made = bench.pack("--phrase-out", bench.folder.path(of: "phrase"))
    #expect(made.status == 0)
    #expect(made.errors.contains("made the vault"))
    #expect(made.errors.contains("packed: 2 added"))
    try bench.shell("rm -r vault/local && printf new > source/a && rm source/b && cp -a vault kept")

    let refused = bench.pack()
    #expect(refused.status == 1)
    #expect(
      refused.errors.contains("1 notes would be removed and 1 replaced, and nobody said yes"))
    let tried = bench.pack("--dry-run", "--yes")
    #expect(tried.status == 0)
    #expect(tried.errors.contains("would be packed: 0 added, 1 changed, 0 renamed, 1 removed"))
    let wrong = bench.pack("--yes", passphrase: "wrong")
    #expect(wrong.status == 4)
    try bench.shell("diff -r vault kept")

    let done = bench.pack("--yes", "--json")
    #expect(done.status == 0)
    let report = try json(done.output)
    #expect(report["removed"] == .number(1))
    #expect(report["dry_run"] == .flag(false))
    guard case .text(let segment) = report["segment"] else {
      Issue.record("a segment is named")
      return
    }
    #expect(bench.exists("vault/index/\(segment).seg"))
  }
}
