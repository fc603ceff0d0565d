import Testing
import VaultTestSupport

extension BuiltProgram {
  /// A vault in a git repository, with nothing set up for it.
  @Suite struct InGit {
    private let place: Workplace
    private let git: Git

    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
    }

    /// The sample vault as a repository.
    private func repository() throws -> Name {
      let vault = try place.vault("origin")
      try git.commitAll(vault)
      return vault
    }

    private func clone(_ origin: Name, _ name: Name) throws -> Name {
      try git("/", "clone", "-q", origin, place(name))
      return place(name)
    }

    private func expectClean(_ vault: Name, _ comment: Comment = "") throws {
      let outcome = try place.verify(vault)
      #expect(outcome.status == 0, "\(comment) \(outcome)")
    }

    private func codes(_ vault: Name) throws -> [String] {
      let outcome = try place.verify(vault, "--json")
      #expect(outcome.status == 5, "\(outcome)")
      return try JSON(outcome.output)["findings"].list?.compactMap { $0["code"].string } ?? []
    }

    @Test(arguments: [true, false])
    func branchesThatPackedDifferentNotesMergeByThemselves(withBase: Bool) throws {
      let origin = try repository()
      let left = try clone(origin, "left")
      let right = try clone(origin, "right")
      for (side, name): (Name, Name) in [(left, "from the left.md"), (right, "from the right.md")] {
        let notes = try place.notes("notes of " + name)
        if withBase { try place.must("pack", notes, side) }
        try Disk.write("\(name)\n", to: notes / name)
        try place.must("pack", notes, side)
        try git.commitAll(side)
      }
      try git(left, "pull", "-q", "--no-rebase", "--no-edit", right, "main")
      try expectClean(left)
      let out = try place.unpacked(left)
      #expect(out.contents["from the left.md"] == Array("from the left.md\n".utf8))
      #expect(out.contents["from the right.md"] == Array("from the right.md\n".utf8))
      #expect(out.entries.count == (try Tree(place.sample.notes)).entries.count + 2)
    }

    @Test func twoBranchesWithOnePathKeepBothNotes() throws {
      let origin = try repository()
      let left = try clone(origin, "left")
      let right = try clone(origin, "right")
      for side in [left, right] {
        let notes = try place.notes("notes of " + (side == left ? "left" : "right"))
        try Disk.write("\(side)\n", to: notes / "new.md")
        try place.must("pack", notes, side)
        try git.commitAll(side)
      }
      try git(left, "pull", "-q", "--no-rebase", "--no-edit", right, "main")
      try expectClean(left)
      let contents = try place.unpacked(left).contents
      #expect(contents.values.contains(Array("\(left)\n".utf8)))
      #expect(contents.values.contains(Array("\(right)\n".utf8)))
    }

    @Test func fr016ANoteAndAFolderOfOneNameBothSurvive() throws {
      let origin = try repository()
      let left = try clone(origin, "left")
      let right = try clone(origin, "right")
      let leftNotes = try place.notes("left notes")
      try Disk.write("a note", to: leftNotes / "same")
      try place.must("pack", leftNotes, left)
      let rightNotes = try place.notes("right notes")
      try Disk.makeFolder(rightNotes / "same")
      try Disk.write("below", to: rightNotes / "same/below.md")
      try place.must("pack", rightNotes, right)
      for side in [left, right] { try git.commitAll(side) }
      try git(left, "pull", "-q", "--no-rebase", "--no-edit", right, "main")
      try expectClean(left)
      let contents = try place.unpacked(left).contents
      #expect(contents.values.contains(Array("a note".utf8)))
      #expect(contents.values.contains(Array("below".utf8)))
    }

    @Test func bothSidesEditingOneNoteIsAConflictThatGitShows() throws {
      let origin = try repository()
      let left = try clone(origin, "left")
      let right = try clone(origin, "right")
      for side in [left, right] {
        let notes = try place.notes("notes of " + (side == left ? "left" : "right"))
        try Disk.write("\(side)\n", to: notes / "Welcome.md")
        try place.must("pack", notes, side, "--yes")
        try git.commitAll(side)
      }
      let merge = try git.run(left, "pull", "-q", "--no-rebase", "--no-edit", right, "main")
      #expect(merge.status != 0)
      #expect(try codes(left) == ["note-conflict"])
    }

    @Test func fr087AnOlderCommitVerifiesAndUnpacks() throws {
      let vault = try repository()
      try place.must("pack", place.sample.laterNotes, vault, "--yes")
      try git.commitAll(vault)
      try git(vault, "checkout", "-q", "HEAD~1")
      try expectClean(vault)
      let older = try place.unpacked(vault, to: "older")
      #expect(older.contents == (try Tree(place.sample.notes)).contents)
      try git(vault, "checkout", "-q", "main")
      try expectClean(vault)
      let newer = try place.unpacked(vault, to: "newer")
      #expect(newer.contents == (try Tree(place.sample.laterNotes)).contents)
    }

    @Test func fr072LineEndingConversionDoesNotReachTheVault() throws {
      let strict = try Git(
        home: place("crlf"), configuration: "[core]\n  autocrlf = true\n  safecrlf = false\n")
      let outer = place("outer")
      try Disk.makeFolder(outer)
      try Disk.write("* text=auto eol=crlf\n", to: outer / ".gitattributes")
      try Disk.copy(place.sample.vault, to: outer / "vault")
      try strict.commitAll(outer)
      try strict("/", "clone", "-q", outer, place("clone"))
      try expectClean(place("clone") / "vault")
    }

    @Test func fr072AndFR073ConvertedFilesAreNamedAsThat() throws {
      let sealed = try #require(
        Damage.files(of: place.sample.vault).first { $0.text.hasSuffix(".sealed") })
      let slot = try #require(
        Damage.files(of: place.sample.vault).first {
          $0.text.hasPrefix("index/") && $0.text.hasSuffix(".slot")
        })
      for (number, path) in [sealed, slot, "VAULT", "README.md", ".gitignore"].enumerated() {
        let vault = try place.vault("converted \(number)")
        let content = try Disk.read(vault / path)
        let converted = content.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
        try Disk.write(converted, to: vault / path)
        #expect(try codes(vault).contains("text-damage"), "\(path)")
      }
    }

    @Test func fr075MergeMarkersAreNamed() throws {
      for path in try examplePaths() {
        let vault = try place.vault("marked " + Name(bytes: Array(path.bytes.suffix(8))))
        let content = try Disk.read(vault / path)
        let ours = Array("<<<<<<< HEAD\n".utf8) + content + Array("\n=======\n".utf8)
        try Disk.write(ours + Array(">>>>>>> main\n".utf8), to: vault / path)
        #expect(try codes(vault).contains("merge-markers"), "\(path)")
      }
    }

    @Test func fr081LargeFilePointersAreNamed() throws {
      let pointer = """
        version https://git-lfs.github.com/spec/v1
        oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
        size 12345

        """
      for path in try examplePaths() {
        let vault = try place.vault("pointer " + Name(bytes: Array(path.bytes.suffix(8))))
        try Disk.write(pointer, to: vault / path)
        #expect(try codes(vault).contains("large-file-pointer"), "\(path)")
      }
    }

    /// A sealed file, a segment, a slot and the header.
    private func examplePaths() throws -> [Name] {
      let files = try Damage.files(of: place.sample.vault)
      return try [".sealed", ".seg", ".slot", "VAULT"].map { ending in
        try #require(files.first { $0.text.hasSuffix(ending) })
      }
    }

    @Test(arguments: ["022", "077"]) func fr078ModesDoNotMatter(umask: String) throws {
      let origin = try repository()
      let clone = place("clone")
      try Disk.must([
        "/bin/sh", "-c", "umask \(umask); git -c safe.directory='*' clone -q \"$1\" \"$2\"", "sh",
        origin, clone,
      ])
      try expectClean(clone)
      let notes = try place.notes()
      try Disk.write("new\n", to: notes / "Welcome.md")
      try place.must("pack", notes, clone, "--yes")
      try expectClean(clone)
    }

    @Test func fr079ACloneOfUnchangedNotesPacksNothing() throws {
      let clone = try clone(try repository(), "clone")
      let notes = try place.notes()
      for path in try Tree(notes).paths { try Disk.setTime(1_700_000_000, of: notes / path) }
      try place.must("pack", notes, clone)
      #expect(try git(clone, "status", "--porcelain").output.isEmpty)
      let out = try place.unpacked(clone)
      #expect(out.differences(from: try Tree(place.sample.notes)) == [])
    }

    @Test func fr082RepositoryFilesArePassedOver() throws {
      let vault = try repository()
      try Disk.makeFolder(vault / ".github")
      try Disk.makeFolder(vault / ".github/workflows")
      try Disk.write("on: push\n", to: vault / ".github/workflows/verify.yml")
      try Disk.write("", to: vault / ".gitmodules")
      let outcome = try place.verify(vault)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.text.contains(".github"))
    }

    @Test func fr084CommonIgnoreListsDropNothing() throws {
      let strict = try Git(
        home: place("ignoring"), configuration: "[core]\n  excludesFile = ~/ignored\n")
      try Disk.write(
        "*.key\n*.tmp\n*.bak\n*.lock\n*.enc\n*.log\n*.swp\n*~\nbuild/\ndist/\nout/\ntarget/\nvendor/\n*.pem\n*.o\n*.a\n*.so\n",
        to: place("ignoring") / "ignored")
      let vault = try place.vault()
      try strict.commitAll(vault)
      try strict("/", "clone", "-q", vault, place("clone"))
      try expectClean(place("clone"))
    }

    @Test func fr085AHalfCommittedChangeIsFound() throws {
      for onlyIndex in [true, false] {
        let vault = try place.vault(onlyIndex ? "index only" : "notes only")
        try git.commitAll(vault)
        let notes = try place.notes(onlyIndex ? "notes 1" : "notes 2")
        try Disk.write("a new note\n", to: notes / "new.md")
        try place.must("pack", notes, vault)
        try git(vault, "add", onlyIndex ? "index" : "notes")
        try git(vault, "commit", "-q", "-m", "Half")
        let clone = try clone(vault, onlyIndex ? "clone 1" : "clone 2")
        #expect(try codes(clone) == [onlyIndex ? "note-missing" : "note-unlisted"])
        let outcome = try place.run("unpack", clone, place(onlyIndex ? "out 1" : "out 2"))
        #expect(outcome.status == (onlyIndex ? 5 : 0), "\(outcome)")
        let out = try Tree(place(onlyIndex ? "out 1" : "out 2"))
        #expect(out.contents == (try Tree(place.sample.notes)).contents)
      }
    }

    @Test func fr088APlainNoteInTheVaultIsNamed() throws {
      for path: Name in ["secret.md", "notes/secret.md", "index/secret.md", "local.md"] {
        let vault = try place.vault("with " + Name(path.text.replacing("/", with: " ")))
        try Disk.write("in clear", to: vault / path)
        let outcome = try place.verify(vault)
        #expect(outcome.status == 5)
        #expect(outcome.text.contains("foreign-file") && outcome.text.contains(path.text))
      }
    }

    @Test func fr090LinkedWorktreesAndSubmodulesAreNoDifferent() throws {
      let origin = try repository()
      try git(origin, "worktree", "add", "-q", "-b", "second", place("linked"))
      let outer = place("outer")
      try Disk.makeFolder(outer)
      try git(outer, "init", "-q")
      try git(outer, "submodule", "--quiet", "add", origin, "vault")
      for vault in [place("linked"), outer / "vault"] {
        try expectClean(vault)
        let notes = try place.notes(vault == place("linked") ? "notes 1" : "notes 2")
        try Disk.write("new\n", to: notes / "new.md")
        try place.must("pack", notes, vault)
        try expectClean(vault)
        #expect(try place.must("cat", vault, "new.md").text == "new\n")
        try git.commitAll(vault)
        try expectClean(vault)
      }
    }
  }
}
