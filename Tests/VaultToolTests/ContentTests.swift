import Glibc
import Testing
import VaultTestSupport

/// A folder of contents, times and kinds that other tools lost.
private enum OddContents {
  /// Chunks have 65,536 bytes of payload, which a note's own length only sometimes meets.
  static let lengths = [
    0, 1, 511, 512, 513, 65_519, 65_520, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073,
  ]

  static func fill(_ source: Name) throws {
    var random = SeededBytes(seed: 18)
    for length in lengths {
      try Disk.write(random.bytes(length), to: source / "random \(length)")
      try Disk.write([UInt8](repeating: 0x61, count: length), to: source / "even \(length)")
    }
    let times: [(Name, Int, Int)] = [
      ("odd nanoseconds", 1_234_567_890, 123_456_789), ("last one", 1_234_567_890, 999_999_999),
      ("moon", -38_840_235, 500_000_000), ("minus one", -1, 0), ("before", -1, 1),
      ("epoch", 0, 0), ("far", 4_102_444_800, 1),
    ]
    for (name, seconds, nanoseconds) in times {
      try Disk.write("\(name)", to: source / name)
      try Disk.setTime(seconds, nanoseconds, of: source / name)
    }
    for folder: Name in ["old", "old/older", "a", "b", "empty"] {
      try Disk.makeFolder(source / folder)
    }
    try Disk.write("inside", to: source / "old/older/note.md")
    try Disk.setTime(978_307_200, 7, of: source / "old/older")
    try Disk.setTime(978_307_201, 9, of: source / "old")
    try Disk.write("shared", to: source / "a/x")
    try Disk.must(["/bin/ln", source / "a/x", source / "b/x"])
    try Disk.makeLink(source / "to nowhere", to: "../no/such\u{1B}place")
    try Disk.makeLink(source / "to a folder", to: "old")
    try Disk.write("#!/bin/sh\n", to: source / "run.sh", mode: 0o755)
  }
}

extension BuiltProgram {
  /// Field cases B: contents, times and modes.
  @Suite(.roundTrip { try OddContents.fill($0) }) struct Contents {
    private let place: Workplace
    private let trip: RoundTrip

    init() throws {
      place = try Workplace()
      trip = try #require(RoundTrip.current)
    }

    @Test func everythingComesBack() {
      #expect(trip.packing.status == 0, "\(trip.packing)")
      #expect(trip.unpacking.status == 0, "\(trip.unpacking)")
      #expect(trip.after.differences(from: trip.before) == [])
    }

    @Test func fr018EveryLengthAtABorderComesBack() {
      for length in OddContents.lengths {
        #expect(trip.kept("random \(length)") && trip.kept("even \(length)"), "\(length)")
      }
    }

    @Test func fr019EmptyNotesAreNotes() throws {
      #expect(trip.kept("random 0") && trip.kept("empty"))
      for (path, content) in try Tree(trip.vault).contents { #expect(!content.isEmpty, "\(path)") }
      let before = try Tree(trip.vault, leavingOut: ["local"])
      try place.must("pack", trip.source, trip.vault)
      #expect(try Tree(trip.vault, leavingOut: ["local"]).differences(from: before) == [])
    }

    @Test func fr021AndFR022TimesComeBackToTheNanosecond() {
      for name: Name in ["odd nanoseconds", "last one", "moon", "minus one", "before", "far"] {
        #expect(trip.kept(name), "\(name)")
      }
      #expect(trip.after.entries["moon"]?.seconds == -38_840_235)
      #expect(trip.after.entries["before"]?.nanoseconds == 1)
    }

    @Test func fr024FoldersKeepTheirTimes() {
      #expect(trip.kept("old") && trip.kept("old/older"))
      #expect(trip.after.entries["old/older"]?.seconds == 978_307_200)
    }

    @Test func fr028OneOfTwoHardLinksIsAWholeNote() throws {
      try place.must("unpack", trip.vault, place("only b"), "b")
      #expect(try Tree(place("only b")).contents == ["b/x": Array("shared".utf8)])
    }

    @Test func linksAreKeptAndNeverFollowed() {
      #expect(trip.kept("to nowhere") && trip.kept("to a folder"))
      #expect(trip.after.entries["to nowhere"]?.kind == .link(to: "../no/such\u{1B}place"))
    }
  }

  /// Field cases B that need a source of their own.
  @Suite struct OddSources {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(.enabled(if: Privilege.canBeLimited)) func fr025AReadOnlyFolderGetsItsNotes() throws {
      let source = try place.source()
      try Disk.makeFolder(source / "fixed")
      try Disk.write("kept", to: source / "fixed/note.md", mode: 0o444)
      try Disk.setMode(0o555, of: source / "fixed")
      let vault = try place.emptyVault()
      for words: [Name] in [["pack", source, vault], ["unpack", vault, place("out")]] {
        let outcome = try Privilege.run(words + ["--passphrase-file", place.sample.passphraseFile])
        #expect(outcome.status == 0, "\(outcome)")
      }
      #expect(try Tree(place("out")).contents["fixed/note.md"] == Array("kept".utf8))
    }

    @Test func fr027SetIdAndStickyBitsAreNotRestored() throws {
      let source = try place.source(["tool": "#!/bin/sh\n"])
      try Disk.setMode(0o4755, of: source / "tool")
      for (folder, mode): (Name, mode_t) in [("group", 0o2750), ("sticky", 0o1777)] {
        try Disk.makeFolder(source / folder)
        try Disk.setMode(mode, of: source / folder)
      }
      let vault = try place.emptyVault()
      try place.must("pack", source, vault)
      let out = try place.unpacked(vault)
      for path in out.paths {
        #expect(try Disk.status(place("out") / path).st_mode & 0o7000 == 0, "\(path)")
      }
      #expect(out.entries["tool"]?.kind == .file(Array("#!/bin/sh\n".utf8), isExecutable: true))
    }

    @Test func fr030SpecialFilesAreNamedAndSkipped() throws {
      let source = try place.source(["note.md": "text"])
      try Disk.must(["/usr/bin/mkfifo", source / "pipe"])
      let socket = "import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])"
      try Disk.must(["/usr/bin/env", "python3", "-c", Name(socket), source / "socket"])
      let vault = try place.emptyVault()
      let outcome = try place.run("pack", source, vault, "--json")
      #expect(outcome.status == 3, "\(outcome)")
      let problems = try JSON(outcome.output)["problems"].list?.compactMap { $0["path"].string }
      #expect(problems == ["pipe", "socket"])
      #expect(outcome.errorText.contains("pipe") && outcome.errorText.contains("socket"))
      #expect(try place.unpacked(vault).paths == ["note.md"])
    }

    @Test func fr031APipeInTheVaultIsRefusedAtOnce() throws {
      for (number, wanted) in ["VAULT", ".slot", ".seg", ".sealed"].enumerated() {
        let vault = try place.vault("vault \(number)")
        let path = try #require(Damage.files(of: vault).first { $0.text.hasSuffix(wanted) })
        try Disk.remove(vault / path)
        try Disk.must(["/usr/bin/mkfifo", vault / path])
        let packed = try place.run("pack", place.sample.notes, vault, "--yes")
        // A slot has a spare, so the vault still opens.
        let expected: Set<Int32> = wanted == ".slot" ? [0] : [1, 5]
        #expect(expected.contains(packed.status), "\(path): \(packed)")
        let verified = try place.verify(vault)
        #expect(verified.status == 5 || (path == "VAULT" && verified.status == 1), "\(verified)")
        #expect(verified.allBytes.contains(Array("not".utf8)), "\(path): \(verified)")
      }
    }

    @Test func fr036AMissingSourceIsRefused() throws {
      let vault = try place.vault()
      let before = try Tree(vault)
      let outcome = try place.run("pack", place("gone"), vault, "--yes")
      #expect(outcome.status == 1, "\(outcome)")
      #expect(try Tree(vault) == before)
    }

    @Test func fr036AnEmptySourceRemovesNothingUnasked() throws {
      let notes = try place.source(["one.md": "1", "two.md": "2"])
      let vault = try place.emptyVault()
      try place.must("pack", notes, vault)
      try Disk.remove(notes / "one.md")
      try Disk.remove(notes / "two.md")
      let before = try Tree(vault, leavingOut: ["local"])
      let refused = try place.run("pack", notes, vault)
      #expect(refused.status == 1, "\(refused)")
      #expect(try Tree(vault, leavingOut: ["local"]) == before)
      try place.must("pack", notes, vault, "--yes")
      #expect(try place.must("ls", vault).output.isEmpty)
    }

    @Test(.enabled(if: Privilege.canBeLimited)) func fr036AnUnreadableFolderKeepsItsNotes() throws {
      let source = try place.source(["top.md": "top", "closed.md": "closed"])
      try Disk.makeFolder(source / "sub")
      try Disk.write("below", to: source / "sub/below.md")
      let vault = try place.emptyVault()
      try place.must("pack", source, vault)
      try Disk.setMode(0, of: source / "sub")
      try Disk.setMode(0, of: source / "closed.md")
      try Disk.remove(source / "top.md")
      let outcome = try Privilege.run([
        "pack", source, vault, "--passphrase-file", place.sample.passphraseFile,
      ])
      #expect(outcome.status == 3, "\(outcome)")
      #expect(outcome.errorText.contains("sub") && outcome.errorText.contains("closed.md"))
      let out = try place.unpacked(vault)
      #expect(out.paths == ["closed.md", "sub", "sub/below.md"])
    }

    @Test func fr037AVaultInItsOwnSourceIsNeverPacked() throws {
      let source = try place.source(["note.md": "text"])
      let vault = try place.emptyVault("source/vault")
      try Disk.makeLink(place("alias"), to: source)
      for path in [source, source / ".", place("alias"), place("alias") / "."] {
        let outcome = try place.run("pack", path, path / "vault", "--yes")
        #expect(outcome.status == 0 || outcome.status == 1, "\(outcome)")
      }
      try Disk.makeFolder(source / "deep")
      let inside = try place.run("pack", vault / "index", vault, "--yes")
      #expect(inside.status == 1, "\(inside)")
      let itself = try place.run("pack", vault, vault, "--yes")
      #expect(itself.status == 1, "\(itself)")
      let listed = try place.must("ls", vault).text
      #expect(!listed.contains("vault") && !listed.contains("VAULT"), "\(listed)")
      #expect(try place.verify(vault).status == 0)
    }
  }
}
