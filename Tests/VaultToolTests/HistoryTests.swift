import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `log` and `diff`: the history of notes by their names.
  @Suite struct NoteHistories {
    private let place: Workplace
    private let git: Git
    private let repository: Name
    private let vault: Name
    private let notes: Name

    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
      repository = place("repository")
      vault = repository / "deep [folder]/vault"
      try Disk.makeFolder(repository)
      try Disk.makeFolder(repository / "deep [folder]")
      try Disk.copy(place.sample.vault, to: vault)
      notes = try place.notes()
      try git.commitAll(repository, message: "First")
    }

    private func commit(_ message: Name) throws {
      try place.must("pack", notes, vault, "--yes")
      try git.commitAll(repository, message: message)
    }

    private func diff(_ more: Name...) throws -> Outcome {
      try Tool.run(
        ["diff", vault, "--passphrase-file", place.sample.passphraseFile] + more, in: place.path)
    }

    private func log(_ path: Name, _ more: Name...) throws -> Outcome {
      try Tool.run(
        ["log", vault, path, "--passphrase-file", place.sample.passphraseFile] + more,
        in: place.path)
    }

    /// `SUBJECT: ACTION FROM PATH, …` for each commit.
    private func history(_ path: Name) throws -> [String] {
      let outcome = try log(path, "--json")
      try #require(outcome.status == 0, "\(outcome)")
      return (try JSON(outcome.output)["commits"].list ?? []).map { commit in
        let changes = (commit["changes"].list ?? []).map { change in
          [change["action"].string, change["from"]["path"].string, change["path"].string]
            .compactMap { $0 }.joined(separator: " ")
        }
        return "\(commit["subject"].string ?? ""): \(changes.joined(separator: ", "))"
      }
    }

    @Test func changesAreToldByName() throws {
      try Disk.write("A new beginning.\n", to: notes / "Welcome.md")
      try Disk.move(notes / "recipes/Rye bread.md", to: notes / "recipes/Bread.md")
      try Disk.write("new\n", to: notes / "new.md")
      try Disk.remove(notes / "latest.md")
      try place.must("pack", notes, vault, "--yes")
      let text = try diff("HEAD")
      #expect(text.status == 0)
      #expect(
        text.text.split(separator: "\n") == [
          "M   Welcome.md", "D   latest.md", "A   new.md",
          "R   recipes/Rye bread.md -> recipes/Bread.md",
        ], "\(text)")
      let raw = try diff("HEAD", "--null")
      #expect(raw.text.contains("R\0recipes/Rye bread.md\0recipes/Bread.md\0"))
      try git.commitAll(repository)
      #expect(try diff("HEAD").output.isEmpty)
      #expect(try diff("HEAD~1", "HEAD").output == text.output)
      let json = try JSON(diff("HEAD", "HEAD~1", "--json").output)
      #expect(json["schema"].string == "vaulttool-diff/1")
      #expect(
        json.keys == ["changes", "locked_compartments", "new", "old", "schema"])
      #expect(json["changes"].list?.count == 4)
      let edit = json["changes"].list?.first { $0["path"].string == "Welcome.md" }
      #expect(edit?["actions"][0].string == "changed" && edit?["old_bytes"].int == 17)
    }

    @Test func textsAreShownAsDiffDoesAndOthersInOneLine() throws {
      try Disk.write("one\ntwo\nthree\n", to: notes / "text.md")
      try Disk.write([0, 1, 2, 3], to: notes / "data.bin")
      try commit("Second")
      try Disk.write("one\n2\nthree\n", to: notes / "text.md")
      try Disk.write([0, 1, 2], to: notes / "data.bin")
      try Disk.makeFolder(place("tmp"))
      try place.must("pack", notes, vault, "--yes")
      let outcome = try Tool.run(
        ["diff", vault, "HEAD", "-p", "--passphrase-file", place.sample.passphraseFile],
        environment: ["TMPDIR": place("tmp").text])
      #expect(outcome.status == 0)
      #expect(
        outcome.text.contains(
          """
          diff a/text.md b/text.md
          --- a/text.md
          +++ b/text.md
          @@ -1,3 +1,3 @@
           one
          -two
          +2
           three

          """), "\(outcome)")
      #expect(outcome.text.contains("binary: 4 bytes -> 3 bytes\n"), "\(outcome)")
      #expect(try Disk.names(in: place("tmp")).isEmpty)
    }

    @Test func aNoteIsFollowedThroughRenamesDeletionAndReturn() throws {
      try Disk.write("one\n", to: notes / "first name.md")
      try commit("Add")
      try Disk.move(notes / "first name.md", to: notes / "second name.md")
      try commit("Rename")
      try Disk.write("two\n", to: notes / "second name.md")
      try commit("Edit")
      try Disk.write("unrelated\n", to: notes / "Welcome.md")
      try commit("Other")
      let whole = [
        "Edit: changed second name.md", "Rename: renamed first name.md second name.md",
        "Add: added first name.md",
      ]
      #expect(try history("second name.md") == whole)
      #expect(try history("first name.md") == whole)
      try Disk.remove(notes / "second name.md")
      try commit("Delete")
      #expect(try history("first name.md") == ["Delete: deleted second name.md"] + whole)
      #expect(try history("second name.md").count == 4)
      let patches = try log("second name.md", "-p")
      #expect(patches.status == 0)
      for part in ["-two\n", "-one\n+two\n", "+one\n", "--- a/second name.md\n+++ /dev/null"] {
        #expect(patches.text.contains(part), "\(patches)")
      }
      let newest = try log("second name.md", "--max-count", "1")
      #expect(newest.text.contains("    Delete\n\ndeleted 'second name.md'\n"), "\(newest)")
      #expect(!newest.text.contains("Edit"))
    }

    @Test func aCompactionIsNoChangeAndAMergeOnlyWhatIsNew() throws {
      for round in 0..<17 {
        try Disk.write("round \(round)\n", to: notes / "Welcome.md")
        try place.must("pack", notes, vault, "--yes")
      }
      try git.commitAll(repository, message: "Many")
      try place.must("compact", vault)
      try git.commitAll(repository, message: "Compact")
      try git(repository, "checkout", "-q", "-b", "side")
      try Disk.write("from the side\n", to: notes / "Welcome.md")
      try commit("Side")
      try git(repository, "checkout", "-q", "main")
      try git(repository, "merge", "-q", "--no-ff", "-m", "Merge", "side")
      let history = try history("Welcome.md")
      #expect(history.map { $0.split(separator: ":")[0] } == ["Side", "Many", "First"])
      let many = try log("Welcome.md", "-p", "--max-count", "2")
      #expect(many.text.contains("+round 16\n") && !many.text.contains("round 15"), "\(many)")
    }

    @Test func afterAReKeyingTheOldHistoryIsStillRead() throws {
      try Disk.write("before\n", to: notes / "Welcome.md")
      try commit("Before")
      try place.must("rekey", vault, "--yes", "--phrase-out", place("words"))
      try git.commitAll(repository, message: "Re-key")
      #expect(try diff("HEAD~1").output.isEmpty)
      let patch = try diff("HEAD~2", "-p")
      #expect(patch.status == 0 && patch.text.contains("\n+before\n"), "\(patch)")
    }

    @Test func hostileNamesOfCommitsAndNotesAreMadeVisible() throws {
      try Disk.write("x\n", to: notes / "odd\u{1B}[31m\nname.md")
      try commit("Subject \u{1B}[31mred")
      let outcome = try log("odd\u{1B}[31m\nname.md", "-p")
      #expect(outcome.status == 0)
      #expect(!outcome.output.contains(0x1B), "\(outcome)")
      #expect(outcome.text.contains("Subject \\x1b[31mred"))
      #expect(outcome.text.contains("+++ b/odd\\x1b[31m\\x0aname.md\n"), "\(outcome)")
    }

    @Test func whatCannotBeShownIsAnError() throws {
      #expect(try log("none.md").status == 1)
      #expect(try log("recipes/none").errorText.contains("no note at"))
      for revision: Name in ["-h", "none", "HEAD:"] {
        let outcome = try diff("--", revision)
        #expect(
          outcome.status == 1 && outcome.errorText.contains("is no commit here"), "\(outcome)")
      }
      #expect(try Tool.run("diff", vault, "HEAD").status == 4)
      #expect(try Tool.run("log", vault, "Welcome.md").status == 4)
      #expect(try diff("HEAD", "-p", "--json").status == 2)
      try Disk.write("wrong\n", to: place("wrong"))
      #expect(try Tool.run("diff", vault, "HEAD", "--passphrase-file", place("wrong")).status == 4)
    }

    @Test func aShallowCloneSaysWhatItLacks() throws {
      try Disk.write("two\n", to: notes / "Welcome.md")
      try commit("Second")
      try git("/", "clone", "-q", "--depth", "1", "file://" + repository, place("shallow"))
      let clone = place("shallow") / "deep [folder]/vault"
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let log = try Tool.run(["log", clone, "Welcome.md"] + secret)
      #expect(log.status == 0 && log.errorText.contains("this clone is shallow"), "\(log)")
      let diff = try Tool.run(["diff", clone, "HEAD~1"] + secret)
      #expect(diff.status == 1)
      #expect(diff.errorText.contains("this clone is shallow: fetch more with"), "\(diff)")
    }

    @Test func aBareRepositoryIsReadByNamedCommits() throws {
      try Disk.write("two\n", to: notes / "Welcome.md")
      try commit("Second")
      try git("/", "clone", "-q", "--bare", repository, place("bare.git"))
      let there = place("bare.git") / "deep [folder]/vault"
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let diff = try Tool.run(["diff", there, "HEAD~1", "HEAD", "-p"] + secret)
      #expect(diff.status == 0 && diff.text.contains("\n+two\n"), "\(diff)")
      let log = try Tool.run(["log", there, "Welcome.md", "-p"] + secret)
      #expect(log.status == 0 && log.text.contains("    Second\n\nchanged Welcome.md\n"), "\(log)")
      #expect(try Tool.run(["diff", there, "HEAD~1"] + secret).status == 2)
      #expect(try Tool.run(["verify", there, "--since", "HEAD"]).status == 1)
      let none = try Tool.run(["log", place("bare.git") / "none", "Welcome.md"] + secret)
      #expect(none.status == 1 && none.errorText.contains("there is no vault"), "\(none)")
    }

    @Test func aLinkedWorkTreeAndASubmoduleAreNoDifferent() throws {
      try Disk.write("two\n", to: notes / "Welcome.md")
      try commit("Second")
      try git(repository, "worktree", "add", "-q", place("linked"), "-b", "linked")
      try Disk.makeFolder(place("outer"))
      try git(place("outer"), "init", "-q")
      try git(place("outer"), "submodule", "--quiet", "add", "file://" + repository, "inner")
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      for top in [place("linked"), place("outer/inner")] {
        let there = top / "deep [folder]/vault"
        let diff = try Tool.run(["diff", there, "HEAD~1"] + secret)
        #expect(diff.text == "M   Welcome.md\n", "\(diff)")
        let log = try Tool.run(["log", there, "Welcome.md", "--json"] + secret)
        #expect(try JSON(log.output)["commits"].list?.count == 2, "\(log)")
      }
    }
  }
}
