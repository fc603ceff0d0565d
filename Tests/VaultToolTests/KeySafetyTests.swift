import Glibc
import Testing
import VaultTestSupport

extension BuiltProgram {
  /// What a slip, or whoever kept an old key, must not cost (spec §7.5, spec/command-line.md).
  @Suite struct KeySafety {
    private let place: Workplace
    private let vault: Name
    private let another: Name

    init() throws {
      place = try Workplace()
      vault = try place.vault()
      another = place("another")
      try Disk.write("another passphrase\n", to: another)
    }

    private func putBackSlots() throws {
      for folder: Name in ["index", "spare"] {
        for name in try Disk.names(in: place.sample.vault / folder)
        where name.text.hasSuffix(".slot") {
          try Disk.copy(place.sample.vault / folder / name, to: vault / folder / name)
        }
      }
    }

    @Test func anOldSecretWhoseSlotIsPutBackWritesNothing() throws {
      try Disk.must([
        Tool.path, "rekey", vault, "--passphrase-file", place.sample.passphraseFile,
        "--new-passphrase-file", another, "--phrase-out", place("words"), "--yes",
      ])
      try putBackSlots()
      let before = try Tree(vault)
      try Disk.write("a third one\n", to: place("third"))
      let new: [Name] = ["--new-passphrase-file", place("third")]
      let commands: [[Name]] = [
        ["pack", place.sample.notes, vault, "--yes"], ["compact", vault],
        ["rewrap", vault] + new, ["slot", "add", vault, "--label", "x"] + new,
        ["phrase", "new", vault, "--phrase-out", place("more words")],
        ["rekey", vault, "--phrase-out", place("more words"), "--yes"],
      ]
      for command in commands {
        let refused = try Tool.run(
          command + ["--passphrase-file", place.sample.passphraseFile])
        #expect(refused.status == 5, "\(refused)")
        #expect(refused.errorText.contains("closed-compartment"), "\(refused)")
        #expect(try Tree(vault).contents == before.contents, "\(command)")
      }
      #expect(try place.run("ls", vault).status == 5)
    }

    @Test func aPassphraseThatWasKeptMakesNoSlotForTheFormerKey() throws {
      try place.must("rekey", vault, "--phrase-out", place("words"), "--yes")
      try putBackSlots()
      let done = try place.run("rewrap", vault, "--new-passphrase-file", another)
      #expect(done.status == 0, "\(done)")
      #expect(done.errorText.contains("closed-compartment"), "\(done)")
      let slots = try SlotLines(vault)
      let current = Set(
        slots.all.filter { $0["listed"].bool == true }.map { $0["compartment"].string })
      #expect(current.count == 1)
      // The two that were put back, and those of now.
      #expect(slots.all.count == 4, "\(slots.all)")
    }

    @Test func aPublicTextHoldsNoSecretThatTheCommandWasGiven() throws {
      let before = try Tree(vault)
      let phrase = String(decoding: try Disk.read(place.sample.phraseFile), as: UTF8.self)
        .split { $0 == " " || $0.isNewline }.joined(separator: " ")
      let new: [Name] = ["--new-passphrase-file", another]
      let passphrase: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let words: [Name] = ["--phrase-file", place.sample.phraseFile]
      let was = Name("was: \(Sample.passphrase.uppercased())")
      let commands: [[Name]] = [
        ["slot", "add", vault, "--label", "x", "--hint", was] + passphrase + new,
        ["slot", "add", vault, "--label", was] + passphrase + new,
        ["rewrap", vault, "--hint", was] + passphrase + new,
        ["recover", vault, "--hint", Name(phrase)] + words + new,
        ["rekey", vault, "--hint", was, "--phrase-out", place("w"), "--yes"] + passphrase + new,
      ]
      for command in commands {
        let refused = try Tool.run(command)
        #expect(refused.status == 2 && refused.errorText.contains("present"), "\(refused)")
        #expect(!refused.errorText.contains(Sample.passphrase.uppercased()))
      }
      #expect(try Tree(vault) == before)
    }

    @Test func aNewPhraseIsNeverWrittenIntoAVault() throws {
      let before = try Tree(vault)
      for out in [vault / "words", vault / "notes" / "words", vault / "notes" / ".." / "words"] {
        let commands: [[Name]] = [
          ["phrase", "new", vault, "--passphrase-file", place.sample.passphraseFile],
          ["reset", vault, "--new-passphrase-file", another, "--yes"],
          ["rekey", vault, "--passphrase-file", place.sample.passphraseFile, "--yes"],
        ]
        for command in commands {
          let refused = try Tool.run(command + ["--phrase-out", out])
          #expect(refused.status == 2 && refused.errorText.contains("vault"), "\(refused)")
        }
      }
      #expect(try Tree(vault) == before)
      try Disk.makeFolder(place("empty"))
      let made = try place.run("init", place("empty"), "--phrase-out", place("empty") / "words")
      #expect(made.status == 2, "\(made)")
      #expect(try Disk.names(in: place("empty")).isEmpty)
    }

    @Test func thePhraseOfARunThatStoppedIsNoPhraseOfTheVault() throws {
      // What a run leaves that stopped right before its commit: slots that it announced.
      let copy = try place.vault("copy")
      try place.must("phrase", "new", copy, "--phrase-out", place("words"))
      let slot = try #require(try SlotLines(copy).only("phrase")["locator"].string)
      for folder: Name in ["index", "spare"] {
        let file = folder / Name(slot + ".slot")
        try Disk.copy(copy / file, to: vault / file)
      }
      let run = vault / "staging" / Name(String(repeating: "0", count: 32) + ".part")
      try Disk.makeFolder(vault / "staging")
      try Disk.makeFolder(run)
      let bytes = stride(from: 0, to: 64, by: 2).compactMap { start -> UInt8? in
        let from = slot.index(slot.startIndex, offsetBy: start)
        return UInt8(slot[from..<slot.index(from, offsetBy: 2)], radix: 16)
      }
      try Disk.write(bytes, to: run / "slots")
      let checked = try Tool.run("phrase", "check", vault, "--phrase-file", place("words"))
      #expect(checked.status == 5, "\(checked)")
      #expect(checked.text.hasPrefix("the phrase belongs to a run that did not finish"))
      #expect(checked.errorText.contains("keep the phrase of before"))
      let json = try Tool.run("phrase", "check", vault, "--phrase-file", place("words"), "--json")
      #expect(try JSON(json.output)["slots"][0]["unfinished"].bool == true)
      let old = try Tool.run("phrase", "check", vault, "--phrase-file", place.sample.phraseFile)
      #expect(old.status == 0, "\(old)")
      try place.must("compact", vault)
      #expect(
        try Tool.run("phrase", "check", vault, "--phrase-file", place("words")).status == 4)
    }

    @Test func whatASegmentThatIsLostForGoodListedIsListedAgain() throws {
      let segments = { try Disk.names(in: vault / "index").filter { $0.text.hasSuffix(".seg") } }
      let first = try #require(
        try Disk.names(in: place.sample.empty / "index").first { $0.text.hasSuffix(".seg") })
      #expect(try segments().contains(first))
      try Disk.remove(vault / "index" / first)
      let repaired = try place.run("verify", vault, "--repair", "--yes", "--unlock")
      #expect(
        repaired.status == 5 && (repaired.text + repaired.errorText).contains("git reconcile"),
        "\(repaired)")
      #expect(!(repaired.text + repaired.errorText).contains("move the file out"))
      let settled = try place.run("git", "reconcile", vault, "--all")
      #expect(settled.status == 0, "\(settled)")
      let verified = try place.run("verify", vault, "--unlock")
      #expect(verified.status == 0, "\(verified)")
      #expect(try Tool.run("ls", vault, "--phrase-file", place.sample.phraseFile).status == 0)
    }

    @Test func aFolderOrLinkWhoseFileIsLostOrDamagedIsNamed() throws {
      let notes = try JSON(place.run("ls", vault, "--json").output)["notes"].list ?? []
      for kind in ["folder", "link"] {
        let note = try #require(notes.first { $0["type"].string == kind })
        let id = try #require(note["id"].string)
        let path = try #require(note["path"].string)
        let file = vault / "notes" / Name(String(id.prefix(2))) / Name(id + ".sealed")
        let whole = try Disk.read(file)
        var altered = whole
        altered[altered.count - 1] ^= 1
        for content in [nil, altered] {
          if let content { try Disk.write(content, to: file) } else { try Disk.remove(file) }
          let target = place(Name("out \(kind) \(content == nil)"))
          let unpacked = try place.run("unpack", vault, target)
          #expect(unpacked.status == 5 && unpacked.errorText.contains(path), "\(unpacked)")
        }
        try Disk.write(whole, to: file)
      }
    }

    @Test func aSlotThatCameWhileAPersonWasAskedDoesNotEndUnnamed() throws {
      let terminal = try PseudoTerminal()
      let folder = try TemporaryFolder()
      let child = try BuiltTool.start(
        "exec $TOOL rekey '\(vault)' --passphrase-file '\(place.sample.passphraseFile)' "
          + "--phrase-out '\(place("words"))' >out 2>err", in: folder, on: terminal)
      _ = terminal.wait(for: "Go on? [y/N] ")
      try place.must("slot", "add", vault, "--label", "x", "--new-passphrase-file", another)
      terminal.type("y\r")
      #expect(BuiltTool.wait(for: child) == 1)
      #expect(try Tool.run("ls", vault, "--passphrase-file", another).status == 0)
      #expect(!Disk.exists(place("words")))
      #expect(try place.verify(vault, "--quiet").allBytes.isEmpty)
    }
  }
}
