import Glibc
import Testing
import VaultTestSupport

/// What a test of slots sees of them.
struct SlotLines {
  let all: [JSON]

  init(_ vault: Name) throws {
    let outcome = try Tool.run("slot", "list", vault, "--json")
    all = try JSON(outcome.output)["slots"].list ?? []
  }

  func only(_ purpose: String) throws -> JSON {
    let found = all.filter { $0["purpose"].string == purpose }
    try #require(found.count == 1)
    return found[0]
  }

  var labels: [String] { all.compactMap { $0["label"].string }.sorted() }
}

extension BuiltProgram {
  /// `rewrap`: another passphrase for the same keys (field cases FR-052, FR-057, FR-111).
  @Suite struct Rewrapping {
    private let place: Workplace
    private let new: Name

    init() throws {
      place = try Workplace()
      new = place("new")
      try Disk.write("another passphrase\n", to: new)
      // One file for both would have to hold two lines.
      try Disk.copy(new, to: place("again"))
    }

    private func opens(_ vault: Name, _ file: Name) throws -> Bool {
      let outcome = try Tool.run("ls", vault, "--passphrase-file", file)
      #expect([0, 4, 5].contains(outcome.status), "\(outcome)")
      return outcome.status != 4
    }

    @Test func theNewPassphraseOpensAndNoNoteIsTouched() throws {
      let vault = try place.vault()
      let notes = try Tree(vault / "notes")
      let segments = try Disk.names(in: vault / "index").filter { $0.text.hasSuffix(".seg") }
      let outcome = try place.run("rewrap", vault, "--new-passphrase-file", new)
      #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errorText.contains("old copies of the vault still open"), "\(outcome)")
      #expect(outcome.errorText.contains("rekey") && !outcome.errorText.contains("git"))
      #expect(outcome.errorText.contains("the hint of the old passphrase is gone"), "\(outcome)")
      #expect(try opens(vault, new) && !opens(vault, place.sample.passphraseFile))
      #expect(try Tree(vault / "notes") == notes)
      let after = try Disk.names(in: vault / "index").filter { $0.text.hasSuffix(".seg") }
      #expect(after.count == segments.count + 1 && Set(segments).isSubset(of: after))
      #expect(try Disk.names(in: vault / "spare").count == 2)
      let verified = try place.verify(vault, "--quiet")
      #expect(verified.status == 0 && verified.allBytes.isEmpty, "\(verified)")
      #expect(try SlotLines(vault).only("passphrase")["hint"].string == nil)
    }

    @Test func labelsStayAndHintsAreSetAnew() throws {
      let vault = place("labelled")
      try place.must("init", vault, "--label", "desk", "--phrase-out", place("p"))
      try place.must("rewrap", vault, "--new-passphrase-file", new, "--hint", "the second comic")
      let slot = try SlotLines(vault).only("passphrase")
      #expect(slot["label"].string == "desk" && slot["hint"].string == "the second comic")
      let disclosing = try Tool.run(
        "rewrap", vault, "--passphrase-file", new, "--new-passphrase-file",
        place.sample.passphraseFile, "--hint", Name("it is \(Sample.passphrase)"))
      #expect(disclosing.status == 2, "\(disclosing)")
      // The same passphrase again is allowed: it makes a new slot.
      let same = try Tool.run(
        "rewrap", vault, "--passphrase-file", new, "--new-passphrase-file", place("again"),
        "--label", "shelf")
      #expect(same.status == 0, "\(same)")
      #expect(try SlotLines(vault).labels == ["shelf"])
    }

    @Test func fr057TheOldAndTheNewStandOnTwoLines() throws {
      let vault = try place.vault()
      let before = try Tree(vault)
      let wrong = [
        "\(Sample.passphrase)\n", Sample.passphrase, "\(Sample.passphrase)\nnew\nmore\n",
        "\(Sample.passphrase)\n\n", "new\n\(Sample.passphrase)\n", "", "\n",
      ]
      for text in wrong {
        try Disk.write(text, to: place("both"))
        let outcome = try Tool.run(
          "rewrap", vault, "--passphrase-file", "-", "--new-passphrase-file", "-",
          input: place("both"))
        #expect(outcome.status == 4, "\(text): \(outcome)")
        #expect(try Tree(vault) == before, "\(text)")
      }
      try Disk.write("\(Sample.passphrase)\r\nanother passphrase", to: place("both"))
      let outcome = try Tool.run(
        "rewrap", vault, "--passphrase-file", "-", "--new-passphrase-file", "-",
        input: place("both"))
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try opens(vault, new))
    }

    @Test func aPhraseReplacesTheOnlyPassphraseOrTheOneThatIsNamed() throws {
      let vault = try place.vault()
      let phrase: [Name] = ["--phrase-file", place.sample.phraseFile, "--new-passphrase-file", new]
      try place.must("slot", "add", vault, "--label", "phone", "--new-passphrase-file", new)
      let before = try Tree(vault)
      let refused = try Tool.run(["rewrap", vault] + phrase)
      #expect(refused.status == 2 && refused.errorText.contains("'phone'"), "\(refused)")
      #expect(try Tree(vault) == before)
      try Disk.must([Tool.path, "rewrap", vault, "--slot", "phone", "--label", "tablet"] + phrase)
      #expect(try SlotLines(vault).labels == ["tablet"])
      #expect(try opens(vault, new) && opens(vault, place.sample.passphraseFile))
      try place.must("slot", "remove", vault, "tablet")
      try Disk.must([Tool.path, "rewrap", vault] + phrase)
      #expect(try opens(vault, new) && !opens(vault, place.sample.passphraseFile))
    }

    @Test func onePassphraseOfSeveralCompartmentsChangesInEach() throws {
      let vault = try place.vault()
      try Disk.must([
        Tool.path, "reset", vault, "--yes", "--phrase-out", place("p"), "--new-passphrase-file",
        place.sample.passphraseFile,
      ])
      try place.must("rewrap", vault, "--new-passphrase-file", new)
      #expect(try !opens(vault, place.sample.passphraseFile))
      let info = try Tool.run("info", vault, "--unlock", "--json", "--passphrase-file", new)
      let opened = try JSON(info.output)["unlocked"]["opened_compartments"].list
      #expect(opened?.count == 2, "\(info)")
      #expect(try place.verify(vault).status == 0)
    }

    @Test func fr052AnOldSlotFromHistoryOpensWithTheOldPassphrase() throws {
      let git = try Git(home: place("home"))
      let vault = try place.vault()
      try git.commitAll(vault)
      let home = ["HOME": place("home").text, "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere"]
      let first = try Tool.run(
        "rewrap", vault, "--passphrase-file", place.sample.passphraseFile,
        "--new-passphrase-file", new, environment: home)
      #expect(first.status == 0, "\(first)")
      #expect(first.errorText.contains("git's history holds 1 earlier slot;"), "\(first)")
      try git.commitAll(vault)
      try Disk.write("a third\n", to: place("third"))
      let second = try Tool.run(
        "rewrap", vault, "--passphrase-file", new, "--new-passphrase-file", place("third"),
        environment: home)
      #expect(second.errorText.contains("git's history holds 2 earlier slots;"), "\(second)")
      try git.commitAll(vault)
      try git(place.path, "clone", "-q", vault, place("clone"))
      #expect(try !opens(place("clone"), place.sample.passphraseFile))
      try git(place("clone"), "checkout", "-q", "HEAD~2", "--", "index", "spare")
      #expect(try opens(place("clone"), place.sample.passphraseFile))
    }

    @Test func aRepositoryThatGitRefusesIsNoError() throws {
      let vault = try place.vault()
      try Disk.makeFolder(vault / ".git")
      try Disk.write(
        "[core]\n  fsmonitor = touch \(place("ran"))\n[broken\n", to: vault / ".git/config")
      let outcome = try place.run("rewrap", vault, "--new-passphrase-file", new)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(!Disk.exists(place("ran")))
      let without = try Tool.run(
        "rewrap", vault, "--passphrase-file", new, "--new-passphrase-file", place("again"),
        environment: ["PATH": "/nowhere"])
      #expect(
        without.status == 0 && without.errorText.contains("git is not installed"), "\(without)")
    }

    @Test(arguments: ["target", "../target", "link", "nothing"])
    func fr111ALinkInPlaceOfASlotIsNeverWrittenThrough(target: String) throws {
      let vault = try place.vault()
      let slot = try #require(try SlotLines(vault).only("passphrase")["locator"].string)
      let file = vault / "index" / Name(slot + ".slot")
      try Disk.move(file, to: vault / "index/target")
      try Disk.copy(vault / "index/target", to: vault / "target")
      try Disk.setMode(0o640, of: vault / "index/target")
      try Disk.makeLink(vault / "index/link", to: place("v") / "target")
      try Disk.makeLink(file, to: Name(target))
      let bytes = try Disk.read(vault / "index/target")
      let outcome = try place.run("rewrap", vault, "--new-passphrase-file", new)
      #expect(outcome.status == 0, "the spare opens it: \(outcome)")
      #expect(try opens(vault, new))
      #expect(try Disk.read(vault / "index/target") == bytes)
      #expect(try Disk.read(vault / "target") == bytes)
      #expect(try Disk.status(vault / "index/target").st_mode & 0o777 == 0o640)
      #expect(!Disk.exists(vault / "index/nothing"))
    }

    @Test func fr111TheVaultMayBeReachedThroughALink() throws {
      let vault = try place.vault()
      try Disk.makeLink(place("link"), to: "vault")
      try place.must("rewrap", place("link"), "--new-passphrase-file", new)
      #expect(try Disk.target(of: place("link")) == "vault")
      #expect(try opens(vault, new))
    }
  }
}
