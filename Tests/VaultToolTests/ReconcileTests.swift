import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `git reconcile` after real merges.
  @Suite struct Reconciled {
    private let place: Workplace
    private let git: Git
    private let left: Name

    /// Two clones that changed one note, merged on the left as far as git can.
    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
      let origin = try place.vault("origin")
      try git.commitAll(origin)
      left = place("left")
      let right = place("right")
      for side in [left, right] {
        try git("/", "clone", "-q", origin, side)
        let notes = try place.notes("notes of " + (side == left ? "left" : "right"))
        try Disk.write(side == left ? "left\n" : "right\n", to: notes / "Welcome.md")
        try place.must("pack", notes, side, "--yes")
        try git.commitAll(side)
      }
      let merge = try git.run(left, "pull", "-q", "--no-rebase", "--no-edit", right, "main")
      try #require(merge.status != 0, "git sees that both changed the note")
    }

    private func take(_ side: Name) throws {
      try git(left, "checkout", "-q", side, "--", "notes")
      try git(left, "add", "-A")
    }

    private func reconcile(_ options: Name...) throws -> Outcome {
      try Tool.run(
        ["git", "reconcile"] + options + [left, "--passphrase-file", place.sample.passphraseFile],
        in: place.path)
    }

    @Test(arguments: [true, false])
    func theSideThatWasTakenCounts(isOurs: Bool) throws {
      try take(isOurs ? "--ours" : "--theirs")
      let outcome = try reconcile()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.text.contains("settled note-conflict Welcome.md"), "\(outcome)")
      #expect(try place.verify(left).status == 0)
      let text = isOurs ? "left\n" : "right\n"
      #expect(try place.unpacked(left).contents["Welcome.md"] == Array(text.utf8))
    }

    @Test func aDryRunWritesNothingAndSaysWhatWouldBeDone() throws {
      try take("--ours")
      let before = try Tree(left)
      let outcome = try reconcile("--dry-run", "--json")
      let report = try JSON(outcome.output)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(report["schema"].string == "vaulttool-reconcile/1")
      #expect(report["dry_run"].bool == true)
      let items = report["items"].list ?? []
      #expect(items.compactMap { $0["path"].string } == ["Welcome.md"])
      #expect(items.compactMap { $0["step"].string } == ["reseal"])
      #expect(try Tree(left).contents == before.contents)
    }

    @Test func whatIsNoConflictIsSettledOnlyWhenAccepted() throws {
      try git(left, "merge", "--abort")
      try git(left, "checkout", "-q", "HEAD~1", "--", "notes")
      let first = try reconcile()
      #expect(first.status == 5, "\(first)")
      #expect(first.text.contains("left note-superseded Welcome.md"), "\(first)")
      #expect(first.errorText.contains("--accept 'Welcome.md'"), "\(first)")
      let wrong = try reconcile("--accept", "welcome.md")
      #expect(wrong.status == 2, "\(wrong)")
      let second = try reconcile("--accept", "Welcome.md")
      #expect(second.status == 0, "\(second)")
      #expect(try place.verify(left).status == 0)
    }

    /// Both clones change a note of several lines; the right one is merged into the left one with the driver.
    private func merge(
      left ours: String, right theirs: String, settings: [(Name, Name)] = []
    ) throws -> Outcome {
      try git(left, "merge", "--abort")
      try git(left, "reset", "-q", "--hard", "HEAD~1")
      let right = place("right")
      try git(right, "reset", "-q", "--hard", "HEAD~1")
      let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
      let notes = try place.notes("driver notes")
      try Disk.write(text, to: notes / "lines.md")
      try place.must("pack", notes, left, "--yes")
      try git.commitAll(left)
      try git(right, "pull", "-q", "--no-rebase", left, "main")
      for (side, change) in [(left, ours), (right, theirs)] {
        try Disk.removeAll(side / "local")
        try Disk.write(change, to: notes / "lines.md")
        try place.must("pack", notes, side, "--yes")
        try git.commitAll(side)
      }
      let command = Name("cat '\(place.sample.passphraseFile)'")
      let driver = Name("'\(Tool.path)' git merge %O %A %B %L %P")
      for (key, value) in [
        ("vaulttool.passphraseCommand", command), ("vaulttool.vault", "."),
        ("merge.vaulttool.driver", driver),
      ] + settings {
        try git(left, "config", key, value)
      }
      return try git.run(left, "pull", "-q", "--no-rebase", "--no-edit", right, "main")
    }

    @Test func theDriverMergesWhatBothChangedInDifferentLines() throws {
      let outcome = try merge(
        left: "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n",
        right: "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try place.verify(left).status == 5)
      let settled = try reconcile()
      #expect(settled.status == 0, "\(settled)")
      #expect(settled.text.contains("settled note-conflict lines.md"), "\(settled)")
      let merged = "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
      #expect(try place.unpacked(left).contents["lines.md"] == Array(merged.utf8))
    }

    @Test func theSameLinesGetMarkersAsGitsConfigurationSays() throws {
      let outcome = try merge(
        left: "one\ntwo\nthree\nleft\nfive\nsix\nseven\n",
        right: "one\ntwo\nthree\nright\nfive\nsix\nseven\n",
        settings: [("merge.conflictStyle", "diff3")])
      #expect(outcome.status == 1, "\(outcome)")
      #expect(try reconcile().status == 0)
      let text = try place.unpacked(left).contents["lines.md"].map {
        String(decoding: $0, as: UTF8.self)
      }
      #expect(
        text == """
          one
          two
          three
          <<<<<<< ours
          left
          ||||||| base
          four
          =======
          right
          >>>>>>> theirs
          five
          six
          seven

          """)
    }

    @Test func withVersionsWantedAPersonTakesASide() throws {
      let outcome = try merge(
        left: "left\n", right: "right\n", settings: [("vaulttool.conflict", "versions")])
      #expect(outcome.status == 1, "\(outcome)")
      try take("--theirs")
      #expect(try reconcile().status == 0)
      #expect(try place.unpacked(left).contents["lines.md"] == Array("right\n".utf8))
    }

    @Test func withoutASecretTheDriverLeavesTheConflictToAPerson() throws {
      let outcome = try merge(
        left: "left\n", right: "right\n", settings: [("vaulttool.passphraseCommand", "exit 1")])
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errorText.contains("not merged"), "\(outcome)")
      #expect(try git(left, "status", "--porcelain").text.contains("UU notes/"))
    }
  }
}
