import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `recover`, `reset` and `phrase new`: what a person does who has forgotten or lost something.
  @Suite struct Recovering {
    private let place: Workplace
    private let new: Name

    init() throws {
      place = try Workplace()
      new = place("new")
      try Disk.write("another passphrase\n", to: new)
    }

    private func recover(_ vault: Name, _ more: Name...) throws -> Outcome {
      try Tool.run(
        ["recover", vault, "--phrase-file", place.sample.phraseFile, "--new-passphrase-file", new]
          + more)
    }

    private func listed(_ vault: Name, _ file: Name) throws -> Outcome {
      try Tool.run("ls", vault, "--passphrase-file", file)
    }

    private func passphraseFiles(_ vault: Name) throws -> [Name] {
      let slot = try #require(try SlotLines(vault).only("passphrase")["locator"].string)
      return ["index", "spare"].map { vault / $0 / Name(slot + ".slot") }
    }

    @Test(arguments: ["whole", "lost", "emptied", "altered", "cut", "only the spare"])
    func recoverWorksWhateverBecameOfThePassphraseSlot(state: String) throws {
      let vault = try place.vault()
      let files = try passphraseFiles(vault)
      for file in state == "only the spare" ? Array(files[..<1]) : files {
        var bytes = try Disk.read(file)
        switch state {
        case "lost", "only the spare": try Disk.remove(file)
        case "emptied": try Disk.write("", to: file)
        case "cut": try Disk.write(Array(bytes.prefix(40)), to: file)
        case "altered":
          bytes[bytes.count - 1] ^= 1
          try Disk.write(bytes, to: file)
        default: break
        }
      }
      let outcome = try recover(vault)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try listed(vault, new).status == 0)
      let verified = try place.verify(vault, "--quiet")
      #expect(verified.status == 0, "the listed slot ended too: \(verified)")
      #expect(try SlotLines(vault).all.count == 2)
    }

    @Test func recoverWorksWithDamagedNotesAndOneCopyOfThePhraseSlot() throws {
      let vault = try place.vault()
      for file in try Damage.files(of: vault) where file.text.hasSuffix(".sealed") {
        try Disk.write("", to: vault / file)
      }
      let slot = try #require(try SlotLines(vault).only("phrase")["locator"].string)
      try Disk.write("", to: vault / "index" / Name(slot + ".slot"))
      #expect(try recover(vault).status == 0)
      #expect(try place.run("ls", vault).status == 4)
      #expect(try listed(vault, new).status != 4)
    }

    @Test func recoverWithoutAnIndexMakesASlotAndSaysWhatComesNext() throws {
      let vault = try place.vault()
      try Disk.removeAll(vault / "index")
      let outcome = try recover(vault)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errorText.contains("index is lost"), "\(outcome)")
      #expect(
        outcome.errorText.contains("salvage") && outcome.errorText.contains("--repair --unlock"))
      let slots = try SlotLines(vault).all
      #expect(slots.count == 3 && slots.allSatisfy { $0["listed"].bool == false })
      #expect(try Disk.names(in: vault / "index").count == 1)
      #expect(try listed(vault, new).status == 5, "it opens, and has no index")
    }

    @Test func severalPassphrasesStayUnlessOneIsNamed() throws {
      let vault = try place.vault()
      try Disk.write("for the phone", to: place("phone"))
      try place.must(
        "slot", "add", vault, "--label", "phone", "--new-passphrase-file", place("phone"))
      let added = try recover(vault, "--label", "third")
      #expect(added.status == 0 && added.errorText.contains("the other passphrases still open it"))
      #expect(try SlotLines(vault).all.count == 4)
      try Disk.write("a fourth", to: new)
      #expect(try recover(vault, "--slot", "third").status == 0)
      #expect(try SlotLines(vault).labels == ["phone", "third"])
      for file in [new, place("phone"), place.sample.passphraseFile] {
        #expect(try listed(vault, file).status == 0)
      }
    }

    @Test func aPhraseOfAnotherVaultChangesNothing() throws {
      let vault = try place.vault()
      try place.must("init", place("other"), "--phrase-out", place("other phrase"))
      let before = try Tree(vault)
      let outcome = try Tool.run(
        "recover", vault, "--phrase-file", place("other phrase"), "--new-passphrase-file", new)
      #expect(outcome.status == 4, "\(outcome)")
      #expect(try Tree(vault) == before)
    }

    @Test func resetStartsAnewAndTheOldNotesStay() throws {
      let vault = try place.vault()
      let before = try Tree(vault)
      let arguments: [Name] = [
        "reset", vault, "--new-passphrase-file", new, "--phrase-out", place("p"),
      ]
      let refused = try Tool.run(arguments)
      #expect(refused.status == 1 && refused.errorText.contains("notes will stay locked"))
      #expect(refused.errorText.contains("recover") && refused.errorText.contains("--yes"))
      #expect(try Tree(vault) == before)
      #expect(!Disk.exists(place("p")))
      let done = try Tool.run(arguments + ["--yes"])
      #expect(done.status == 0, "\(done)")
      let source = try place.source(["new.md": "a new start"])
      try Disk.must([Tool.path, "pack", source, vault, "--passphrase-file", new])
      #expect(try listed(vault, new).text == "new.md\n")
      #expect(try place.must("ls", vault).text.contains("Welcome.md"))
      let phrase = try Tool.run("ls", vault, "--phrase-file", place("p"))
      #expect(phrase.text == "new.md\n", "\(phrase)")
      #expect(try place.verify(vault).status == 0)
    }

    @Test func aNewPhraseEndsTheOldOne() throws {
      let vault = try place.vault()
      let before = try Tree(vault)
      let taken = try place.run("phrase", "new", vault, "--phrase-out", place.sample.phraseFile)
      #expect(taken.status == 2, "\(taken)")
      let nowhere = try place.run("phrase", "new", vault)
      #expect(nowhere.status == 2, "there is no terminal to show it on: \(nowhere)")
      let wrong = try Tool.run(
        "phrase", "new", vault, "--phrase-out", place("p"), "--passphrase-file", new)
      #expect(wrong.status == 4 && !Disk.exists(place("p")), "\(wrong)")
      #expect(try Tree(vault) == before)
      let done = try place.run("phrase", "new", vault, "--phrase-out", place("p"))
      #expect(done.status == 0 && done.errorText.contains("old copies"), "\(done)")
      #expect(try Tool.run("phrase", "check", vault, "--phrase-file", place("p")).status == 0)
      let old: [Name] = ["phrase", "check", vault, "--phrase-file", place.sample.phraseFile]
      #expect(try Tool.run(old).status == 4)
      #expect(try place.verify(vault, "--quiet").allBytes.isEmpty)
      let again = try Tool.run(
        "phrase", "new", vault, "--phrase-out", place("q"), "--phrase-file", place("p"))
      #expect(again.status == 0, "the old phrase itself will do: \(again)")
      #expect(try SlotLines(vault).all.count == 2)
    }
  }
}
