import Testing
import VaultTestSupport

extension BuiltProgram {
  /// What branches do to a vault, each as a story; `Tests/Histories` makes random ones.
  @Suite struct Branches {
    private let place: Workplace
    private let git: Git
    private let vault: Name

    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
      vault = try place.vault("origin")
      try git.commitAll(vault)
    }

    /// Changes the notes of a branch as `change` says, packs them and commits.
    private func commit(on branch: Name, _ change: (Name) throws -> Void) throws {
      try git(vault, "checkout", "-q", branch)
      let notes = place("notes of a branch")
      try Disk.removeAll(notes)
      try Disk.removeAll(vault / "local")
      try place.must("unpack", vault, notes)
      try change(notes)
      try place.must("pack", notes, vault, "--yes")
      try git.commitAll(vault)
    }

    private func write(_ text: String, to file: Name) -> (Name) throws -> Void {
      { try Disk.write(text, to: $0 / file) }
    }

    private func expectClean(_ comment: Comment = "") throws {
      let outcome = try place.verify(vault)
      #expect(outcome.status == 0, "\(comment) \(outcome)")
    }

    private func reconcile(_ options: Name...) throws -> Outcome {
      try Tool.run(
        ["git", "reconcile"] + options + [vault, "--passphrase-file", place.sample.passphraseFile],
        in: place.path)
    }

    private func contents() throws -> [Name: [UInt8]] {
      let out = place("out")
      try Disk.removeAll(out)
      return try place.unpacked(vault, to: "out").contents
    }

    @Test func aServerMergesDifferentNotesWithoutAnythingOfOurs() throws {
      try git(vault, "branch", "side")
      try commit(on: "main", write("main\n", to: "main.md"))
      try commit(on: "side", write("side\n", to: "side.md"))
      let bare = place("bare.git")
      try git("/", "clone", "-q", "--bare", vault, bare)
      let tree = try git(bare, "merge-tree", "--write-tree", "main", "side").text.prefix {
        $0 != "\n"
      }
      let merge = try git(
        bare, "commit-tree", Name(String(tree)), "-p", "main", "-p", "side", "-m", "merge"
      ).text.prefix { $0 != "\n" }
      try git(bare, "update-ref", "refs/heads/main", Name(String(merge)))
      try git(vault, "checkout", "-q", "main")
      try git(vault, "pull", "-q", "--ff-only", bare, "main")
      try expectClean()
      let contents = try contents()
      #expect(contents["main.md"] == Array("main\n".utf8))
      #expect(contents["side.md"] == Array("side\n".utf8))
    }

    @Test func oneSideCompactedAndTheOtherPacked() throws {
      let notes = try place.notes()
      for number in 0..<17 {
        try Disk.write("\(number)\n", to: notes / "count.md")
        try place.must("pack", notes, vault, "--yes")
        try git.commitAll(vault)
      }
      try git(vault, "branch", "side")
      try place.must("compact", vault)
      try git.commitAll(vault)
      try commit(on: "side", write("side\n", to: "side.md"))
      try git(vault, "merge", "-q", "--no-edit", "main")
      try expectClean()
      let contents = try contents()
      #expect(contents["count.md"] == Array("16\n".utf8))
      #expect(contents["side.md"] == Array("side\n".utf8))
    }

    @Test func bothSidesRenamedAFolder() throws {
      try git(vault, "branch", "side")
      try commit(on: "main") { try Disk.move($0 / "recipes", to: $0 / "cooking") }
      try commit(on: "side") { try Disk.move($0 / "recipes", to: $0 / "kitchen") }
      try git(vault, "merge", "-q", "--no-edit", "main")
      try expectClean()
      let names = Set(try contents().keys.map(\.text))
      let folders = ["cooking", "kitchen", "recipes"].filter { folder in
        names.contains { $0.hasPrefix(folder + "/") }
      }
      #expect(
        folders.count == 1 && folders != ["recipes"], "one name was taken for all: \(folders)")
      #expect(names.count { $0.hasSuffix("Rye bread.md") } == 1)
    }

    @Test(arguments: [true, false])
    func oneSideDeletedWhatTheOtherEdited(isKept: Bool) throws {
      try git(vault, "branch", "side")
      try commit(on: "main") { try Disk.remove($0 / "Welcome.md") }
      try commit(on: "side", write("edited\n", to: "Welcome.md"))
      #expect(try git.run(vault, "merge", "-q", "--no-edit", "main").status == 1)
      if !isKept {
        for line in try git(vault, "diff", "--name-only", "--diff-filter=U").text.split(
          separator: "\n")
        {
          try git(vault, "rm", "-q", "--", Name(String(line)))
        }
      }
      let outcome = try reconcile()
      #expect(outcome.status == 0, "\(outcome)")
      try expectClean()
      #expect(try contents()["Welcome.md"] == (isKept ? Array("edited\n".utf8) : nil))
    }

    @Test func anOctopusACrissCrossAndARebaseEndClean() throws {
      for branch: Name in ["one", "two"] { try git(vault, "branch", branch) }
      for branch: Name in ["main", "one", "two"] {
        try commit(on: branch, write(branch.text, to: branch + ".md"))
      }
      try git(vault, "checkout", "-q", "main")
      try git(vault, "merge", "-q", "--no-edit", "one", "two")
      try expectClean("octopus")
      // One and main merge each other: two merge bases.
      try git(vault, "branch", "before", "main")
      try commit(on: "one", write("later", to: "later.md"))
      try git(vault, "checkout", "-q", "main")
      try git(vault, "merge", "-q", "--no-edit", "one")
      try git(vault, "checkout", "-q", "one")
      try git(vault, "merge", "-q", "--no-ff", "--no-edit", "before")
      try git(vault, "checkout", "-q", "main")
      try git(vault, "merge", "-q", "--no-ff", "--no-edit", "one")
      try expectClean("criss-cross")
      try commit(on: "two", write("rebased", to: "rebased.md"))
      try git(vault, "rebase", "-q", "main")
      try expectClean("rebase")
      let contents = try contents()
      for name: Name in ["main.md", "one.md", "two.md", "later.md", "rebased.md"] {
        #expect(contents[name] != nil, "\(name)")
      }
    }

    @Test func aCherryPickAndARevertAreSettledWhenAccepted() throws {
      try git(vault, "branch", "side")
      try commit(on: "side", write("left out", to: "left out.md"))
      try commit(on: "side", write("picked", to: "picked.md"))
      try git(vault, "checkout", "-q", "main")
      try git(vault, "cherry-pick", "side")
      let asked = try reconcile()
      #expect(asked.status == 5, "\(asked)")
      #expect(asked.text.contains("left segment-missing"), "\(asked)")
      #expect(try reconcile("--all").status == 0)
      try git.commitAll(vault)
      #expect(try contents()["picked.md"] == Array("picked".utf8))

      try commit(on: "main", write("first", to: "picked.md"))
      try commit(on: "main", write("more", to: "more.md"))
      try git(vault, "revert", "--no-edit", "HEAD~1")
      #expect(try reconcile("--all").status == 0)
      try expectClean()
      let contents = try contents()
      #expect(contents["picked.md"] == Array("picked".utf8))
      #expect(contents["more.md"] == Array("more".utf8))
    }

    @Test func bothSidesSettleOneConflictAndMerge() throws {
      try git(vault, "branch", "side")
      try commit(on: "main", write("main\n", to: "Welcome.md"))
      try commit(on: "side", write("side\n", to: "Welcome.md"))
      for (branch, other): (Name, Name) in [("main", "side"), ("again", "main~1")] {
        if branch == "again" { try git(vault, "checkout", "-q", "-b", "again", "side") }
        try git(vault, "checkout", "-q", branch)
        _ = try git.run(vault, "merge", "-q", "--no-edit", other)
        try git(vault, "checkout", "-q", "--ours", "--", "notes")
        #expect(try reconcile().status == 0)
        try git.commitAll(vault)
      }
      #expect(try git.run(vault, "merge", "-q", "--no-edit", "main").status == 1)
      try git(vault, "checkout", "-q", "--theirs", "--", "notes")
      #expect(try reconcile().status == 0)
      #expect(try contents()["Welcome.md"] == Array("main\n".utf8))
    }

    @Test func aSparseCheckoutIsNamedAsOne() throws {
      try git(vault, "sparse-checkout", "set", "--no-cone", "/*", "!/notes/*")
      let outcome = try place.verify(vault)
      #expect(outcome.status == 5)
      #expect(outcome.text.contains("note-missing"), "\(outcome)")
      #expect(outcome.text.contains("git sparse-checkout disable"), "\(outcome)")
      try git(vault, "sparse-checkout", "disable")
      try expectClean()
    }

    @Test(arguments: ["077", "000"])
    func aShallowCloneUnderAnyUmaskIsClean(umask: String) throws {
      try commit(on: "main", write("second\n", to: "second.md"))
      let clone = place("clone")
      try Disk.must([
        "/bin/sh", "-c",
        Name("umask \(umask); git clone -q --depth 1 'file://\(vault.text)' '\(clone.text)'"),
      ])
      #expect(try place.verify(clone).status == 0)
    }
  }
}
