import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `verify --staged`: what git would commit, whatever lies in the folder.
  @Suite struct WhatIsStaged {
    private let place: Workplace
    private let git: Git
    private let repository: Name
    private let vault: Name

    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
      repository = place("repository")
      vault = repository / "vault"
      try Disk.makeFolder(repository)
      try Disk.copy(place.sample.vault, to: vault)
      try git.commitAll(repository)
    }

    private func packLater() throws {
      try place.must("pack", place.sample.laterNotes, vault, "--yes")
    }

    private func staged(_ more: Name..., of other: Name? = nil) throws -> Outcome {
      try Tool.run(["verify", other ?? vault, "--staged", "--json"] + more, in: place.path)
    }

    private func codes(_ outcome: Outcome) throws -> Set<String> {
      let findings = try JSON(outcome.output)["findings"].list ?? []
      return Set(findings.compactMap { $0["code"].string })
    }

    @Test func theFolderAndGitsIndexAreLeftAlone() throws {
      try Disk.write("broken", to: vault / "VAULT")
      try Disk.write("plain", to: vault / "plain.md")
      let before = try Disk.read(repository / ".git/index")
      let outcome = try staged()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try JSON(outcome.output)["staged"].bool == true)
      #expect(try Disk.read(repository / ".git/index") == before)
      #expect(try Disk.read(vault / "VAULT") == Array("broken".utf8))
      #expect(try place.verify(vault).status == 5)
    }

    @Test func fr088APlainFileIsRefused() throws {
      try Disk.write("a secret", to: vault / "secret.md")
      try Disk.makeFolder(vault / "notes/zz")
      try Disk.write("another", to: vault / "notes/zz/secret.md")
      try git(repository, "add", "-A")
      try Disk.remove(vault / "secret.md")
      let outcome = try staged()
      #expect(outcome.status == 5)
      #expect(try codes(outcome) == ["foreign-file"])
      let paths = try JSON(outcome.output)["findings"].list?.compactMap { $0["path"].string }
      #expect(paths?.contains("secret.md") == true, "\(outcome)")
    }

    @Test func fr085HalfOfAChangeIsRefused() throws {
      let notes = try place.notes()
      try Disk.write("new\n", to: notes / "new.md")
      try place.must("pack", notes, vault, "--yes")
      try git(repository, "add", "vault/index")
      #expect(try codes(staged()) == ["note-missing"])
      try git(repository, "reset", "-q")
      try git(repository, "add", "vault/notes")
      #expect(try codes(staged()) == ["note-unlisted"])
      try git(repository, "add", "-A")
      #expect(try staged("--since", "HEAD").status == 0)
    }

    @Test func anEditWithoutItsSegmentIsRefusedAndTheReverse() throws {
      try packLater()
      try git(repository, "add", "vault/index")
      #expect(try codes(staged()) == ["note-superseded", "note-deleted"])
      try git(repository, "reset", "-q")
      try git(repository, "add", "vault/notes")
      #expect(try codes(staged()) == ["note-changed", "note-missing"])
    }

    @Test func linksAndSubmodulesAreFoundAndNotFollowed() throws {
      let head = Name(bytes: try git(repository, "rev-parse", "HEAD").output.dropLast())
      let readme = try git(repository, "hash-object", "-w", "vault/README.md")
      let blob = Name(bytes: readme.output.dropLast())
      try git(
        repository, "update-index", "--add", "--cacheinfo", "160000," + head + ",vault/module")
      try git(
        repository, "update-index", "--add", "--cacheinfo", "120000," + blob + ",vault/README.md")
      let outcome = try staged()
      #expect(outcome.status == 5)
      #expect(
        try codes(outcome) == ["foreign-file", "not-a-regular-file"], "\(outcome)")
    }

    @Test func anUnsettledMergeIsAnError() throws {
      for name: Name in ["left", "right"] {
        try git(repository, "checkout", "-q", "-b", name, "main")
        let notes = try place.notes(name)
        try Disk.write("\(name)\n", to: notes / "Welcome.md")
        try place.must("pack", notes, vault, "--yes")
        try git.commitAll(repository)
      }
      #expect(try git.run(repository, "merge", "-q", "left").status != 0)
      let outcome = try staged()
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errorText.contains("a merge is not settled"), "\(outcome)")
    }

    @Test func aHookSeesTheIndexOfItsCommit() throws {
      let hook = repository / ".git/hooks/pre-commit"
      try Disk.write(
        "#!/bin/sh\nexec '\(Tool.path)' verify --staged vault >'\(place("said"))' 2>&1\n", to: hook,
        mode: 0o755)
      // The new note is not known to git, so `commit -a` would leave it out.
      let notes = try place.notes()
      try Disk.write("changed\n", to: notes / "Welcome.md")
      try place.must("pack", notes, vault, "--yes")
      let half = try git.run(repository, "commit", "-q", "-a", "-m", "Half")
      #expect(half.status == 1, "\(half)")
      #expect(Name(bytes: try Disk.read(place("said"))).text.contains("note-changed"))
      try git(repository, "add", "vault/index")
      let whole = try git.run(repository, "commit", "-q", "-a", "-m", "All")
      #expect(whole.status == 0, "\(whole)")
      // A commit of some paths has an index of its own too.
      try Disk.write("changed again\n", to: notes / "Welcome.md")
      try place.must("pack", notes, vault, "--yes")
      try git(repository, "add", "-A")
      let part = try git.run(repository, "commit", "-q", "-m", "Part", "vault/notes")
      #expect(part.status == 1, "\(part)")
      #expect(Name(bytes: try Disk.read(place("said"))).text.contains("note-changed"))
      #expect(try git.run(repository, "commit", "-q", "-m", "All again", "vault").status == 0)
    }

    @Test func theIndexOfAnotherRepositoryIsPassedOver() throws {
      try Disk.makeFolder(place("other"))
      try git(place("other"), "init", "-q")
      try Disk.write("x", to: place("other") / "x")
      try git(place("other"), "add", "x")
      let outcome = try Tool.run(
        ["verify", vault, "--staged"],
        environment: ["GIT_INDEX_FILE": (place("other") / ".git/index").text])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errorText.contains("is passed over"))
    }

    @Test func aLinkedWorkTreeHasAnIndexOfItsOwn() throws {
      try git(repository, "worktree", "add", "-q", place("linked"), "-b", "linked")
      try Disk.write("plain", to: place("linked") / "vault/plain.md")
      try git(place("linked"), "add", "-A")
      #expect(try codes(staged(of: place("linked") / "vault")) == ["foreign-file"])
      #expect(try staged().status == 0)
    }

    @Test func whatIsNotStagedAtAllIsNoVault() throws {
      try git(repository, "rm", "-rq", "--cached", "vault")
      let outcome = try staged()
      #expect(outcome.status == 1)
      #expect(outcome.errorText.contains("git's index holds no vault in this folder"))
    }
  }
}
