import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `git setup` and what git shows afterwards, with real repositories (spec/command-line.md, git).
  @Suite struct GitSetup {
    private let place: Workplace
    private let git: Git

    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
    }

    /// Reads the passphrase of the sample in place of a session.
    private var command: Name { "cat '\(place.sample.passphraseFile)'" }

    /// A repository with a copy of the sample vault in a folder, or at its top.
    private func repository(_ name: Name = "repo", vault: Name = "notes.vault") throws -> Name {
      let top = place(name)
      if vault == "." {
        try Disk.copy(place.sample.vault, to: top)
      } else {
        try Disk.must(["/bin/mkdir", "-p", top / vault])
        try Disk.must(["/bin/cp", "-a", place.sample.vault + "/.", top / vault])
      }
      try git.commitAll(top)
      return top
    }

    @discardableResult private func setup(_ folder: Name, _ more: Name...) throws -> Outcome {
      try Disk.must([Tool.path, "git", "setup"] + more, in: folder)
    }

    /// A second version of the notes, packed and committed.
    private func edit(_ top: Name, vault: Name = "notes.vault") throws {
      try place.must("pack", place.sample.laterNotes, top / vault, "--yes")
      try git.commitAll(top, message: "Later")
    }

    private func configuration(_ top: Name) throws -> [UInt8] {
      try Disk.read(top / ".git/config")
    }

    @Test func gitShowsNotesAsTextWhileASecretIsAtHand() throws {
      let top = try repository()
      try setup(top, "notes.vault")
      try edit(top)
      let locked = try git(top, "log", "-p", "--", "*.sealed")
      #expect(locked.text.contains("\n+sealed, "), "\(locked)")
      #expect(!locked.text.contains("A later version"), "\(locked)")
      try setup(top, "notes.vault", "--passphrase-command", command)
      for words: [Name] in [
        ["log", "-p", "-1", "--", "*.sealed"], ["show", "HEAD"],
        ["diff", "HEAD~1", "HEAD", "--", "*.sealed"],
      ] {
        let shown = try Disk.must(["/usr/bin/git"] + words, in: top)
        #expect(shown.text.contains("\n+A later version of Welcome.md.\n"), "\(shown)")
      }
      let changed = try git(
        top, "diff", "--name-only", "--diff-filter=M", "HEAD~1", "HEAD", "--", "*.sealed"
      ).text
      let file = Name(String(try #require(changed.split(separator: "\n").first)))
      let blamed = try git(top, "blame", "--textconv", file)
      #expect(blamed.text.contains(") A later version of "), "\(blamed)")
      #expect(try git(top, "status", "--porcelain").text.isEmpty)
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func gitShowsNotesAsTextWhileTheVaultIsUnlocked() throws {
      let top = place("own")
      try Disk.makeFolder(top)
      try place.must("init", top / "v", "--phrase-out", place("phrase"))
      let source = try place.source(["a.md": "One line.\n", "b.md": "Another note.\n"])
      try place.must("pack", source, top / "v")
      try git.commitAll(top)
      try setup(top, "v")
      try Disk.write("One line.\nTwo lines.\n", to: source / "a.md")
      try place.must("pack", source, top / "v")
      let locked = try git(top, "diff")
      #expect(!locked.text.contains("Two lines"), "\(locked)")
      try place.must("unlock", top / "v")
      defer { _ = try? Tool.run("lock", top / "v") }
      let unlocked = try git(top, "diff")
      #expect(unlocked.text.contains("\n One line.\n+Two lines.\n"), "\(unlocked)")
      // A session is enough: no vault has to be there.
      let files = try git(top, "ls-files", "*.sealed").text.split(separator: "\n")
      try Disk.copy(top / Name(String(files[0])), to: place("blob"))
      let alone = try Tool.run("git", "textconv", place("blob"), in: "/")
      #expect(alone.text.hasSuffix(".\n") && !alone.text.contains("sealed"), "\(alone)")
      try Disk.must([Tool.path, "lock", top / "v"])
      let again = try Tool.run("git", "textconv", place("blob"), in: "/")
      #expect(again.text == "sealed, \(try Disk.read(place("blob")).count) bytes\n", "\(again)")
    }

    @Test func setupIsUndoneExactly() throws {
      let top = try repository()
      let before = try configuration(top)
      let hooks = try Tree(top / ".git/hooks")
      let dry = try setup(top, "notes.vault", "--hooks", "--dry-run")
      #expect(dry.errorText.contains("would set diff.vaulttool.textconv"), "\(dry)")
      #expect(try configuration(top) == before)
      try setup(top, "notes.vault", "--hooks", "--passphrase-command", "echo one")
      let once = try configuration(top)
      #expect(once != before)
      let again = try setup(top, "notes.vault", "--hooks", "--passphrase-command", "echo one")
      #expect(again.errorText.contains("all is set up already"), "\(again)")
      #expect(try configuration(top) == once)
      // A new command takes the place of the one that setup wrote.
      try setup(top, "notes.vault", "--passphrase-command", "echo two")
      #expect(
        try git(top, "config", "--get-all", "vaulttool.passphraseCommand").text == "echo two\n")
      try setup(top, "notes.vault", "--undo")
      #expect(try configuration(top) == before)
      #expect(try Tree(top / ".git/hooks") == hooks)
      let nothing = try setup(top, "notes.vault", "--undo")
      #expect(nothing.errorText.contains("nothing was set up"), "\(nothing)")
      #expect(try git(top, "status", "--porcelain").text.isEmpty)
    }

    @Test func whatSetupDidNotWriteStays() throws {
      let top = try repository()
      try git(top, "config", "vaulttool.passphraseCommand", "echo mine")
      try git(top, "config", "--add", "vaulttool.vault", "other.vault")
      let before = try configuration(top)
      let refused = try Tool.run(
        "git", "setup", "notes.vault", "--passphrase-command", "echo other", in: top)
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errorText.contains("'echo mine' already"), "\(refused)")
      #expect(try configuration(top) == before)
      try setup(top, "notes.vault")
      try setup(top, "notes.vault", "--undo")
      // Another vault is left, so the drivers stay until that one is undone too.
      #expect(try git(top, "config", "--get-all", "vaulttool.vault").text == "other.vault\n")
      #expect(try git(top, "config", "--get", "diff.vaulttool.textconv").text.contains("textconv"))
      try setup(top, "--undo")
      #expect(try configuration(top) == before)
    }

    @Test(arguments: ["#!/bin/sh\necho theirs\nexit 0\n", "#!/usr/bin/env bash\necho theirs\n"])
    func aHookOfSomebodyElseKeepsItsLines(script: String) throws {
      let top = try repository()
      let hook = top / ".git/hooks/pre-commit"
      try Disk.write(script, to: hook, mode: 0o755)
      try setup(top, "notes.vault", "--hooks")
      #expect(try Disk.read(hook) != Array(script.utf8))
      try Disk.write("plain text\n", to: top / "notes.vault/notes/slipped in.md")
      try git(top, "add", "-A")
      let refused = try git.run(top, "commit", "-q", "-m", "No")
      #expect(refused.status == 1 && refused.errorText.contains("foreign-file"), "\(refused)")
      #expect(!refused.errorText.contains("theirs"), "\(refused)")
      try git(top, "rm", "-q", "-f", "notes.vault/notes/slipped in.md")
      try Disk.write("x\n", to: top / "beside.md")
      try git(top, "add", "beside.md")
      let passed = try git(top, "commit", "-q", "-m", "Yes")
      #expect((passed.text + passed.errorText).contains("theirs"), "\(passed)")
      try setup(top, "notes.vault", "--undo")
      #expect(try Disk.read(hook) == Array(script.utf8))
    }

    @Test func aHookThatIsNoShellScriptIsLeftAlone() throws {
      let top = try repository()
      let before = try configuration(top)
      let hook = top / ".git/hooks/post-merge"
      let script = "#!/usr/bin/env python3\nprint(1)\n"
      try Disk.write(script, to: hook, mode: 0o755)
      let refused = try Tool.run("git", "setup", "notes.vault", "--hooks", in: top)
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errorText.contains("is no shell script"), "\(refused)")
      #expect(try Disk.read(hook) == Array(script.utf8))
      #expect(try configuration(top) == before)
      #expect(!Disk.exists(top / ".git/hooks/pre-commit"))
      try Disk.remove(hook)
      try Disk.write("#!/bin/sh\n", to: hook, mode: 0o644)
      let disabled = try Tool.run("git", "setup", "notes.vault", "--hooks", in: top)
      #expect(disabled.status == 1 && disabled.errorText.contains("not executable"), "\(disabled)")
    }

    @Test func hooksGoWhereGitLooksForThem() throws {
      let top = try repository()
      try git(top, "config", "core.hooksPath", ".hooks")
      try setup(top, "notes.vault", "--hooks")
      #expect(Disk.exists(top / ".hooks/pre-commit"))
      #expect(!Disk.exists(top / ".git/hooks/pre-commit"))
      try setup(top, "notes.vault", "--undo")
      #expect(!Disk.exists(top / ".hooks/pre-commit"))
      try git(top, "config", "core.hooksPath", "/dev/null")
      let refused = try Tool.run("git", "setup", "notes.vault", "--hooks", in: top)
      #expect(refused.status == 1 && refused.errorText.contains("runs no hooks"), "\(refused)")
    }

    @Test func afterAMergeOrCheckoutTheVaultIsReconciledOrNamed() throws {
      let top = try repository()
      try setup(top, "notes.vault", "--hooks")
      try git(top, "branch", "side")
      try git(top, "branch", "old")
      try edit(top)
      let locked = try git(top, "checkout", "-q", "side")
      #expect(locked.errorText.contains("locked, not reconciled"), "\(locked)")
      let merged = try git(top, "merge", "-q", "main")
      #expect(merged.errorText.contains("locked, not reconciled"), "\(merged)")
      let file = try git(top, "checkout", "-q", "HEAD~1", "--", "notes.vault/README.md")
      #expect(!file.errorText.contains("vaulttool"), "\(file)")
      try setup(top, "notes.vault", "--passphrase-command", command)
      let opened = try git(top, "checkout", "-q", "old")
      #expect(!opened.errorText.contains("locked"), "\(opened)")
      try setup(top, "notes.vault", "--passphrase-command", "exit 3")
      let failing = try git(top, "checkout", "-q", "main")
      #expect(failing.errorText.contains("ended with status 3"), "\(failing)")
    }

    @Test(arguments: ["notes.vault", "deep/in the/tree", "."] as [Name])
    func fr090ARepositoryIsSetUpFromWhereverTheVaultLies(vault: Name) throws {
      let top = try repository(vault: vault)
      try setup(top / vault, "--passphrase-command", command)
      #expect(try git(top, "config", "--get", "vaulttool.vault").text == "\(vault)\n")
      try edit(top, vault: vault)
      let shown = try git(top, "show", "HEAD", "--", "*.sealed")
      #expect(shown.text.contains("+A later version of Welcome.md."), "\(shown)")
      try setup(top / vault, "--undo")
      #expect(try git.run(top, "config", "--get-regexp", "vaulttool").status == 1)
    }

    @Test func fr090ALinkedWorkTreeSharesWhatIsSetUp() throws {
      let top = try repository()
      let linked = place("linked")
      try git(top, "worktree", "add", "-q", linked, "-b", "side")
      try setup(linked / "notes.vault", "--hooks", "--passphrase-command", command)
      try edit(linked)
      for folder in [top, linked] {
        let shown = try git(folder, "show", "side", "--", "*.sealed")
        #expect(shown.text.contains("+A later version of Welcome.md."), "\(shown)")
      }
      try Disk.write("plain\n", to: linked / "notes.vault/plain.md")
      try git(linked, "add", "-A")
      #expect(try git.run(linked, "commit", "-q", "-m", "No").status == 1)
      try setup(top / "notes.vault", "--undo")
      #expect(try git.run(linked, "config", "--get-regexp", "vaulttool").status == 1)
    }

    @Test func fr090ASubmoduleIsSetUpByItself() throws {
      let inner = try repository("inner")
      let outer = place("outer")
      try Disk.makeFolder(outer)
      try Disk.write("x\n", to: outer / "x")
      try git.commitAll(outer)
      try git(outer, "submodule", "--quiet", "add", inner, "sub")
      let before = try configuration(outer)
      let sub = outer / "sub"
      try setup(sub / "notes.vault", "--hooks", "--passphrase-command", command)
      try edit(sub)
      let shown = try git(sub, "show", "HEAD", "--", "*.sealed")
      #expect(shown.text.contains("+A later version of Welcome.md."), "\(shown)")
      #expect(Disk.exists(outer / ".git/modules/sub/hooks/pre-commit"))
      #expect(try configuration(outer) == before)
      try setup(sub / "notes.vault", "--undo")
      #expect(try git.run(sub, "config", "--local", "--get-regexp", "vaulttool").status == 1)
    }

    @Test func whatGitNeedsToKnowOfTheVaultIsRestoredAsListed() throws {
      let top = try repository()
      let attributes = top / "notes.vault/.gitattributes"
      let content = try Disk.read(attributes)
      try Disk.remove(attributes)
      let restored = try setup(top, "notes.vault")
      #expect(restored.errorText.contains("restore .gitattributes"), "\(restored)")
      #expect(try Disk.read(attributes) == content)
      try Disk.write("* text\n", to: attributes)
      let warned = try Tool.run("git", "setup", "notes.vault", in: top)
      #expect(warned.status == 5 && warned.errorText.contains("verify --repair"), "\(warned)")
      #expect(try Disk.read(attributes) == Array("* text\n".utf8))
    }

    @Test func outsideARepositoryOrAVaultNothingIsSetUp() throws {
      let alone = try place.vault("alone")
      let outside = try Tool.run("git", "setup", alone, in: place.path)
      #expect(outside.status == 1 && outside.errorText.contains("no git repository"), "\(outside)")
      let top = try repository()
      let none = try Tool.run("git", "setup", in: top)
      #expect(none.status == 1, "\(none)")
      let both = try Tool.run("git", "setup", "--undo", "--hooks", "notes.vault", in: top)
      #expect(both.status == 2, "\(both)")
    }
  }
}
