import Testing
import VaultFormat

@testable import VaultStore

/// Packing from the outside: what a source holds, what the vault holds afterwards.
@Suite struct PackingTests {
  @Test(arguments: [true, false]) func aSourceIsInTheVaultAsItIs(readsAhead: Bool) throws {
    let bench = try PackBench()
    try bench.shell(
      "mkdir -p empty 'sub folder/below' && : > none && printf hi > 'sub folder/below/n.md' "
        + "&& ln -s '../x y' 'sub folder/l' && printf x > run && chmod 755 run")
    let run = try bench.pack(readsAhead: readsAhead)
    #expect(
      try bench.contents() == [
        "empty": "/", "none": "", "run": "x", "sub folder": "/", "sub folder/below": "/",
        "sub folder/below/n.md": "hi", "sub folder/l": "-> ../x y",
      ])
    #expect(run.outcome.changes.count == 7)
    #expect(run.outcome.segments.count == 1)
    #expect(try bench.note("run").isExecutable)
    #expect(try !bench.note("none").isExecutable)
    #expect(try bench.note("sub folder/below/n.md").record.mediaType == "text/markdown")
    try expectSettled(bench.vault)
  }

  @Test func namesAreBytes() throws {
    let bench = try PackBench()
    let source = try Directory(path: bench.sourcePath)
    let names: [[UInt8]] = [
      [0xC3, 0xA9], [0x65, 0xCC, 0x81], [0x62, 0xE4, 0xFF], bytes("-v"), bytes("--help.md"),
      bytes("a\u{1B}]0;x\u{7}\r"), Array(repeating: 0x78, count: 255),
    ]
    for (index, name) in names.enumerated() {
      try source.createFile(name).write(bytes("\(index)").span, at: 0)
    }
    try bench.pack()
    let found = try bench.notes().map { ($0.note.shownPath, $0.content) }
    #expect(found.count == names.count)
    for (index, name) in names.enumerated() {
      #expect(found.contains { $0 == (name, bytes("\(index)")) }, "name \(index)")
    }
  }

  @Test func timesAreKeptToTheNanosecond() throws {
    let bench = try PackBench()
    try bench.shell(
      "touch -d @1234567890.123456789 a && touch -d @1234567890.999999999 b "
        + "&& touch -d @-1 c && touch -d '1968-10-07 11:02:45.5 UTC' d && mkdir e && touch -d @5 e")
    try bench.pack()
    func modified(_ path: String) throws -> [Int64] {
      let time = try bench.note(path).record.modified
      return [time.seconds, Int64(time.nanoseconds)]
    }
    #expect(try modified("a") == [1_234_567_890, 123_456_789])
    #expect(try modified("b") == [1_234_567_890, 999_999_999])
    #expect(try modified("c") == [-1, 0])
    let time = try modified("d")
    #expect(time == [-38_926_635, 500_000_000])
    #expect(try modified("e") == [5, 0])
  }

  // MARK: - Nothing changed

  @Test func packingAgainWritesNothing() throws {
    let bench = try PackBench()
    try bench.shell("mkdir f && printf a > f/a && : > empty && ln -s a l")
    try bench.pack()
    let before = try bench.state()
    for _ in 0..<2 {
      let run = try bench.pack()
      #expect(run.changes == [])
      #expect(run.outcome.unchangedCount == 4)
      #expect(run.outcome.segments == [])
      #expect(try bench.state() == before)
    }
  }

  @Test func timesAloneChangeNothing() throws {
    let bench = try PackBench()
    try bench.shell("mkdir f && printf a > f/a && ln -s a l")
    try bench.pack()
    let before = try bench.state()
    try bench.shell("touch -d @1000 f/a f && touch -h -d @1000 l && cp f/a x && mv x f/a")
    let run = try bench.pack()
    #expect(run.changes == [])
    #expect(try bench.state() == before)
  }

  @Test func aFreshCloneWithoutABaseWritesNothing() throws {
    let bench = try PackBench()
    try bench.shell("mkdir f && printf a > f/a && ln -s a l")
    try bench.pack()
    let before = try bench.state()
    try bench.vault.shell("rm -r local")
    try bench.shell("touch f/a")
    let run = try bench.pack()
    #expect(run.changes == [])
    #expect(run.decision.doubt == nil)
    #expect(try bench.state() == before)
    #expect(try bench.vault.names("local")?.count == 1)
  }

  @Test func theBaseSavesReadingOnceFilesHaveSettled() throws {
    let bench = try PackBench()
    try bench.put("a", "a")
    try bench.pack()
    let unlocked = try bench.vault.unlock()
    let file = try BaseFile(
      of: SourceFolder(path: bench.sourcePath).absolutePath, in: unlocked.vault,
      secret: unlocked.compartmentForNewNotes.secret)
    let base = try #require(file.load())
    // As if the base had been written long after the file.
    try file.save(
      PackBase(
        written: FileTime(seconds: base.written.seconds + 60, nanoseconds: 0), lines: base.lines))
    let run = try bench.pack()
    #expect(run.outcome.unchangedCount == 1)
    #expect(!run.decision.hasCompared)
  }

  // MARK: - Changes

  @Test func aChangedFileIsANewStateOfItsNote() throws {
    let bench = try PackBench()
    try bench.shell("printf one > a && printf b > b")
    try bench.pack()
    let old = try bench.note("a")
    try bench.put("a", "two")
    let run = try bench.pack()
    #expect(run.changes == ["changed a"])
    let new = try bench.note("a")
    #expect(new.id == old.id)
    #expect(new.digest != old.digest)
    #expect(new.record.created == old.record.created)
    #expect(try bench.contents() == ["a": "two", "b": "b"])
    try expectSettled(bench.vault)
  }

  @Test func whatIsGoneFromTheSourceIsRemoved() throws {
    let bench = try PackBench()
    try bench.shell("mkdir f && printf a > f/a && printf b > b")
    try bench.pack()
    try bench.shell("rm -r f")
    let run = try bench.pack()
    #expect(run.changes == ["removed f", "removed f/a"])
    #expect(run.decision.doubt == nil)
    #expect(try bench.contents() == ["b": "b"])
    try expectSettled(bench.vault)
  }

  @Test func withKeepMissingNothingIsRemoved() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b")
    try bench.pack()
    try bench.shell("rm a")
    for _ in 0..<2 {
      let run = try bench.pack(keepsMissing: true)
      #expect(run.changes == [])
      #expect(run.kept == ["asAsked a"])
    }
    #expect(try bench.pack().changes == ["removed a"])
  }

  @Test func aRenameTouchesOnlyTheIndex() throws {
    let bench = try PackBench()
    try bench.shell("mkdir f && printf 'some text' > a && printf b > b && ln -s a l")
    try bench.pack()
    let files = try bench.vault.sealedFiles()
    try bench.shell("mv a f/c.md && mv l m && cp b d && rm b")
    let run = try bench.pack()
    #expect(run.changes == ["renamed d", "renamed f/c.md", "renamed m"])
    #expect(run.outcome.changes.map(\.from) == [bytes("b"), bytes("a"), bytes("l")])
    #expect(run.outcome.sealedByteCount == 0)
    #expect(try bench.vault.sealedFiles() == files)
    #expect(try bench.contents() == ["d": "b", "f": "/", "f/c.md": "some text", "m": "-> a"])
    #expect(try bench.pack().changes == [])
    try expectSettled(bench.vault)
  }

  @Test func anExecutableBitTouchesOnlyTheIndex() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a")
    try bench.pack()
    let files = try bench.vault.sealedFiles()
    for (command, expected) in [("chmod +x a", true), ("chmod -x a", false)] {
      try bench.shell(command)
      #expect(try bench.pack().changes == ["mode a"])
      #expect(try bench.note("a").isExecutable == expected)
      #expect(try bench.vault.sealedFiles() == files)
    }
    try bench.shell("chmod +x a && printf changed > a")
    #expect(try bench.pack().changes == ["changed a"])
    #expect(try bench.note("a").isExecutable)
  }

  @Test func aFileMayBecomeALinkOrAFolderAndBack() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a")
    try bench.pack()
    try bench.shell("rm a && ln -s target a")
    #expect(try bench.pack().changes == ["changed a"])
    #expect(try bench.contents() == ["a": "-> target"])
    try bench.shell("rm a && mkdir a && printf b > a/b")
    let changes = try bench.pack().changes
    #expect(Set(changes) == ["added a", "added a/b", "removed a"])
    let contents = try bench.contents()
    #expect(contents == ["a": "/", "a/b": "b"])
    try bench.shell("rm -r a && printf a > a")
    #expect(Set(try bench.pack().changes) == ["added a", "removed a", "removed a/b"])
    #expect(try bench.contents() == ["a": "a"])
    try expectSettled(bench.vault)
  }

  // MARK: - The vault changed too

  @Test func whatOnlyTheVaultChangedStays() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b && printf c > c")
    try bench.pack()
    // The files are read again, because they are as young as the base; their contents tell the same.
    try bench.vault.commit([.put("new", "from the vault"), .delete("c")])
    try bench.shell("printf changed > a")
    for changes in [["changed a"], []] {
      let run = try bench.pack()
      #expect(run.changes.filter { $0 != "added c" } == changes)
      #expect(run.kept == ["newInVault new"])
    }
    #expect(try bench.contents()["new"] == "from the vault")
  }

  @Test func whatBothChangedIsKeptTwice() throws {
    let bench = try PackBench()
    try bench.put("a.md", "first")
    try bench.pack()
    let id = try bench.note("a.md").id
    try bench.vault.commit([.put("a.md", "vault")])
    try bench.put("a.md", "source")
    #expect(try bench.pack().changes == ["added a.md"])
    let contents = try bench.contents()
    #expect(contents.count == 2)
    #expect(Set(contents.values) == ["vault", "source"])
    #expect(try bench.notes().allSatisfy { $0.note.path == bytes("a.md") })
    #expect(try bench.notes().contains { $0.note.id == id && $0.content == bytes("vault") })
    // And it does not go on like that.
    #expect(try bench.pack().changes == [])
    try bench.put("a.md", "source again")
    #expect(try bench.pack().outcome.changes.map(\.kind) == [.changed])
    #expect(Set(try bench.contents().values) == ["vault", "source again"])
    try expectSettled(bench.vault)
  }

  @Test func whatBothChangedAlikeIsOne() throws {
    let bench = try PackBench()
    try bench.put("a", "first")
    try bench.pack()
    try bench.vault.commit([.put("a", "second")])
    try bench.put("a", "second")
    #expect(try bench.pack().changes == [])
    #expect(try bench.contents() == ["a": "second"])
  }

  // MARK: - Doubts

  @Test func withoutABaseRemovingOrReplacingIsInDoubt() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b && printf c > c")
    try bench.pack()
    try bench.vault.shell("rm -r local")
    try bench.shell("printf changed > a && rm b && printf d > d")
    let run = try bench.pack()
    #expect(run.decision.doubt == .init(removed: 1, replaced: 1, isSourceEmpty: false))
    #expect(run.changes == ["changed a", "removed b", "added d"].sorted { $0.last! < $1.last! })
  }

  @Test func withoutABaseAddingIsNotInDoubt() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a")
    try bench.pack()
    try bench.vault.shell("rm -r local")
    try bench.shell("printf b > b && chmod +x a")
    let run = try bench.pack()
    #expect(run.decision.doubt == nil)
    #expect(run.changes == ["mode a", "added b"])
  }

  @Test(arguments: ["rm a b", "rm a b && mkdir mountpoint"])
  func aSourceThatIsSuddenlyEmptyIsInDoubt(command: String) throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b")
    try bench.pack()
    try bench.shell(command)
    let doubt = try bench.pack().decision.doubt
    #expect(doubt == .init(removed: 2, replaced: 0, isSourceEmpty: true))
  }

  // MARK: - What cannot be seen

  @Test func whatIsExcludedStaysInTheVault() throws {
    let bench = try PackBench()
    try bench.shell("mkdir f && printf a > f/a && printf b > b.tmp && printf c > c")
    try bench.pack()
    try bench.shell("rm -r f b.tmp")
    let run = try bench.pack(excluding: ["f", "*.tmp"])
    #expect(run.changes == [])
    #expect(run.kept == ["outOfSight b.tmp", "outOfSight f", "outOfSight f/a"])
    // The base still knows them: without the pattern they are seen to be gone.
    #expect(try bench.pack().changes == ["removed b.tmp", "removed f", "removed f/a"])
  }

  @Test func aPlaceholderNeverDropsTheNote() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b")
    try bench.pack()
    try bench.shell("rm a && printf stub > .a.icloud")
    let run = try bench.pack()
    #expect(run.changes == [])
    #expect(run.kept == ["outOfSight a"])
    #expect(run.outcome.problems == [.init(path: bytes("a"), .notDownloaded)])
    #expect(try bench.contents() == ["a": "a", "b": "b"])
  }

  @Test func anUnreadableFolderOrFileNeverRemovesNotes() async {
    await #expect(processExitsWith: .success) {
      let bench = try PackBench()
      try bench.shell(
        "chmod 755 .. && chmod -R a+rwX ../vault && chmod 777 . && mkdir f && printf a > f/a "
          + "&& printf b > b && printf c > c")
      try bench.pack()
      try bench.shell("chmod -R a+rwX ../vault && chmod 000 f b && printf changed > c")
      dropPrivileges()
      let run = try bench.pack()
      precondition(run.changes == ["changed c"], "\(run.changes)")
      precondition(run.outcome.problems.map(\.path) == [bytes("b"), bytes("f")], "both are named")
      let contents = try bench.contents()
      precondition(contents["f/a"] == "a", "the note below is there")
      precondition(contents["b"] == "b", "the note is there")
    }
  }

  // MARK: - Interruption and failure

  @Test func aSignalLeavesNothingBehind() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a")
    try bench.pack()
    try bench.shell("printf b > b && printf c > c")
    let before = try bench.state()
    #expect(throws: StoreError.interrupted) { try bench.pack(isInterrupted: { true }) }
    #expect(try bench.state() == before)
    #expect(try bench.pack().changes == ["added b", "added c"])
  }

  @Test func aFullDiskLeavesTheOldState() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a")
    try bench.pack()
    try bench.shell("printf b > b && printf c > a")
    let before = try bench.state()
    for step in 1...5 {
      let faults = FaultPlan(atStep: step, .fail(.noSpace))
      let error = #expect(throws: StoreError.self) { try bench.pack(faults: faults) }
      guard case .system(let cause, _) = error else {
        Issue.record("step \(step): \(String(describing: error))")
        continue
      }
      #expect(cause.code == .noSpace)
      #expect(try bench.state() == before, "step \(step)")
    }
    #expect(try bench.pack().changes == ["changed a", "added b"])
    try expectSettled(bench.vault)
  }
}
