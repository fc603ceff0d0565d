import Testing

extension BuiltProgram {
  /// Packing again: only what changed is written.
  @Suite struct PackingAgain {
    private let place: Workplace
    private let notes: Name
    private let vault: Name

    /// Its own notes and vault, packed once, so that this machine has a base.
    init() throws {
      place = try Workplace()
      notes = try place.notes()
      vault = try place.emptyVault()
      try place.must("pack", notes, vault)
    }

    private func tree() throws -> Tree { try Tree(vault, leavingOut: ["local"]) }

    /// Packs, and says which vault files came, went or changed.
    private func changes(_ more: Name...) throws -> (
      added: [Name], removed: [Name], changed: [Name], outcome: Outcome
    ) {
      let before = try tree()
      let outcome = try place.run(["pack", notes, vault, "--json"] + more)
      let after = try tree()
      let files = (before.contents, after.contents)
      return (
        files.1.keys.filter { files.0[$0] == nil }.sorted(),
        files.0.keys.filter { files.1[$0] == nil }.sorted(),
        files.0.keys.filter { files.1[$0] != nil && files.0[$0] != files.1[$0] }.sorted(),
        outcome
      )
    }

    private func expectOut(_ source: Comment = "") throws {
      let out = try place.unpacked(vault)
      #expect(out.differences(from: try Tree(notes)) == [], source)
      #expect(try place.verify(vault).status == 0)
    }

    @Test func unchangedNotesWriteNothing() throws {
      let before = try tree()
      let outcome = try place.run("pack", notes, vault, "--json")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try tree().differences(from: before) == [])
      let report = try JSON(outcome.output)
      #expect(report["schema"].string == "vaulttool-pack/1")
      for count in ["added", "changed", "renamed", "removed", "skipped", "excluded"] {
        #expect(report[count].int == 0, "\(count)")
      }
      #expect(report["bytes_sealed"].int == 0)
    }

    @Test func anEditWritesOneNoteAndOneSegment() throws {
      try Disk.write("edited\n", to: notes / "Welcome.md")
      let made = try changes()
      #expect(made.outcome.status == 0, "\(made.outcome)")
      #expect(made.added.count == 1 && made.added[0].text.hasSuffix(".seg"))
      #expect(made.removed.isEmpty)
      #expect(made.changed.count == 1 && made.changed[0].text.hasSuffix(".sealed"))
      #expect(try JSON(made.outcome.output)["changed"].int == 1)
      try expectOut()
    }

    @Test func aRenameWritesOnlyASegment() throws {
      try Disk.move(notes / "Welcome.md", to: notes / "Hello.md")
      let made = try changes()
      #expect(made.outcome.status == 0, "\(made.outcome)")
      #expect(made.added.count == 1 && made.removed.isEmpty && made.changed.isEmpty, "\(made)")
      #expect(try JSON(made.outcome.output)["renamed"].int == 1)
      let names = try place.must("ls", vault).text.split(separator: "\n")
      #expect(names.contains("Hello.md") && !names.contains("Welcome.md"))
    }

    @Test func aDeletionRemovesOneNote() throws {
      try Disk.remove(notes / "Welcome.md")
      let made = try changes()
      #expect(made.outcome.status == 0, "\(made.outcome)")
      #expect(made.added.count == 1 && made.removed.count == 1 && made.changed.isEmpty, "\(made)")
      #expect(made.removed[0].text.hasSuffix(".sealed"))
      #expect(try JSON(made.outcome.output)["removed"].int == 1)
      #expect(try place.verify(vault).status == 0)
      let names = try place.must("ls", vault).text.split(separator: "\n")
      #expect(!names.contains("Welcome.md"))
    }

    @Test func anExecuteBitWritesOnlyASegment() throws {
      try Disk.setMode(0o755, of: notes / "Welcome.md")
      let made = try changes()
      #expect(made.outcome.status == 0, "\(made.outcome)")
      #expect(made.added.count == 1 && made.removed.isEmpty && made.changed.isEmpty, "\(made)")
      let out = try place.unpacked(vault)
      guard case .file(_, let isExecutable)? = out.entries["Welcome.md"]?.kind else {
        Issue.record("Welcome.md did not come back")
        return
      }
      #expect(isExecutable)
    }

    @Test func aTimeAloneWritesNothing() throws {
      let before = try tree()
      for path in try Tree(notes).paths { try Disk.setTime(1_600_000_000, 5, of: notes / path) }
      let outcome = try place.run("pack", notes, vault, "--json")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try tree().differences(from: before) == [])
    }

    @Test func aDryRunTellsAndWritesNothing() throws {
      try Disk.write("edited\n", to: notes / "Welcome.md")
      try Disk.remove(notes / "latest.md")
      let made = try changes("--dry-run")
      #expect(made.outcome.status == 0, "\(made.outcome)")
      #expect(made.added.isEmpty && made.removed.isEmpty && made.changed.isEmpty, "\(made)")
      let report = try JSON(made.outcome.output)
      #expect(report["changed"].int == 1 && report["removed"].int == 1)
    }

    @Test func keepMissingLeavesWhatIsGoneFromTheSource() throws {
      try Disk.remove(notes / "Welcome.md")
      let made = try changes("--keep-missing")
      #expect(made.outcome.status == 0, "\(made.outcome)")
      #expect(made.removed.isEmpty && made.changed.isEmpty)
      let names = try place.must("ls", vault).text.split(separator: "\n")
      #expect(names.contains("Welcome.md"))
    }

    @Test func withoutABaseNothingIsRemovedUnasked() throws {
      try Disk.removeAll(vault / "local")
      try Disk.remove(notes / "Welcome.md")
      let refused = try changes()
      #expect(refused.outcome.status == 1, "\(refused.outcome)")
      #expect(refused.added.isEmpty && refused.removed.isEmpty && refused.changed.isEmpty)
      let agreed = try changes("--yes")
      #expect(agreed.outcome.status == 0, "\(agreed.outcome)")
      #expect(agreed.removed.count == 1)
    }

    @Test func originalsGoOnlyWhenTheyCanBeReadBack() throws {
      let before = try Tree(notes)
      let outcome = try place.run("pack", notes, vault, "--remove-source")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try !Disk.exists(notes) || Tree(notes).contents.isEmpty)
      let out = try place.unpacked(vault)
      #expect(out.contents == before.contents)
    }

    @Test func compactingChangesNoNote() throws {
      for round in 0..<17 {
        try Disk.write("round \(round)\n", to: notes / "Welcome.md")
        try place.must("pack", notes, vault)
      }
      let before = try Disk.names(in: vault / "index").count
      try place.must("compact", vault)
      #expect(try Disk.names(in: vault / "index").count <= before)
      try expectOut()
    }
  }
}

extension Workplace {
  /// Runs `vaulttool` with the passphrase.
  func run(_ arguments: [Name]) throws -> Outcome {
    try Tool.run(arguments + ["--passphrase-file", sample.passphraseFile], in: path)
  }
}
