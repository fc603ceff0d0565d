import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `slot list`, `add` and `remove`, and what all commands that change slots promise (FR-108).
  @Suite struct SlotCommands {
    private let place: Workplace
    private let phone: Name

    init() throws {
      place = try Workplace()
      phone = place("phone")
      try Disk.write("for the phone\n", to: phone)
    }

    @Test func slotsAreListedWithoutASecret() throws {
      let vault = try place.vault()
      let slots = try SlotLines(vault)
      let passphrase = try slots.only("passphrase")
      #expect(passphrase["hint"].string == "the comic" && passphrase["iterations"].int == 600_000)
      for slot in slots.all {
        #expect(slot["listed"].bool == true && slot["spare"].bool == true)
        #expect(slot["in_index"].bool == true && slot["locator"].string?.count == 64)
      }
      let locator = try #require(passphrase["locator"].string)
      try Disk.remove(vault / "spare" / Name(locator + ".slot"))
      let phrase = try #require(try slots.only("phrase")["locator"].string)
      try Disk.remove(vault / "index" / Name(phrase + ".slot"))
      let shown = try Tool.run("slot", "list", vault)
      #expect(shown.text.contains("no equal spare") && shown.text.contains("missing in index/"))
      #expect(shown.text.contains("  \(locator.prefix(8))   passphrase, 600000 iterations"))
      let after = try SlotLines(vault)
      #expect(try after.only("passphrase")["spare"].bool == false)
      #expect(try after.only("phrase")["in_index"].bool == false)
    }

    @Test func aPassphraseComesAndGoes() throws {
      let vault = try place.vault()
      let unnamed = try place.run("slot", "add", vault, "--new-passphrase-file", phone)
      #expect(unnamed.status == 2, "\(unnamed)")
      let add: [Name] = ["slot", "add", vault, "--label", "phone", "--new-passphrase-file", phone]
      try Disk.must([Tool.path] + add + ["--passphrase-file", place.sample.passphraseFile])
      #expect(try Tool.run("ls", vault, "--passphrase-file", phone).status == 0)
      #expect(try place.verify(vault, "--quiet").allBytes.isEmpty)
      try Disk.copy(phone, to: place("again"))
      let twice = try Tool.run(add + ["--passphrase-file", place("again")])
      #expect(twice.status == 2 && twice.errorText.contains("this label"), "\(twice)")
      let removed = try Tool.run("slot", "remove", vault, "phone", "--passphrase-file", phone)
      #expect(removed.status == 0 && removed.errorText.contains("old copies"), "\(removed)")
      #expect(try Tool.run("ls", vault, "--passphrase-file", phone).status == 4)
      #expect(try place.verify(vault, "--quiet").allBytes.isEmpty)
    }

    @Test func theOnlyPhraseNeedsAYesAndTheLastSlotStays() throws {
      let vault = try place.vault()
      let locators = try SlotLines(vault)
      let phrase = Name(
        String(try #require(try locators.only("phrase")["locator"].string?.prefix(6))))
      let last = Name(try #require(try locators.only("passphrase")["locator"].string))
      let before = try Tree(vault)
      let asked = try place.run("slot", "remove", vault, phrase)
      #expect(asked.status == 1 && asked.errorText.contains("only recovery phrase"), "\(asked)")
      #expect(try Tree(vault) == before)
      try place.must("slot", "remove", vault, phrase, "--yes")
      let refused = try place.run("slot", "remove", vault, last, "--yes")
      #expect(refused.status == 1, "\(refused)")
      try place.must("ls", vault)
    }

    @Test func aNameOfNoneOrSeveralIsRefusedWithAList() throws {
      let vault = try place.vault()
      let locator = try #require(try SlotLines(vault).only("phrase")["locator"].string)
      // A label that looks like the start of another slot's locator names both.
      let label = Name(String(locator.prefix(8)))
      try place.must("slot", "add", vault, "--label", label, "--new-passphrase-file", phone)
      for name: Name in [label, "nothing", "", "abc"] where name != "" {
        let outcome = try place.run("slot", "remove", vault, name, "--yes")
        #expect(outcome.status == 2 && outcome.errorText.contains(label.text), "\(outcome)")
      }
      #expect(try SlotLines(vault).all.count == 3)
    }

    @Test func aSlotOfALockedCompartmentNeedsItsOwnSecret() throws {
      let vault = try place.vault()
      try Disk.must([
        Tool.path, "reset", vault, "--yes", "--phrase-out", place("p"), "--label", "after",
        "--new-passphrase-file", phone,
      ])
      let outcome = try place.run("slot", "remove", vault, "after", "--yes")
      #expect(outcome.status == 4 && outcome.errorText.contains("'after'"), "\(outcome)")
      let several = try Tool.run(
        "slot", "remove", vault, "after", "--passphrase-file", phone, "--yes")
      #expect(several.status == 0, "its phrase is left: \(several)")
    }

    @Test func fr108NoFailingCommandChangesAByte() throws {
      let vault = try place.vault()
      let before = try Tree(vault)
      try Disk.write("wrong", to: place("wrong"))
      try Disk.write("bad\u{7}bell", to: place("unusable"))
      let (wrong, right) = (place("wrong"), place.sample.passphraseFile)
      let lines: [[Name]] = [
        ["rewrap", vault, "--passphrase-file", wrong, "--new-passphrase-file", phone],
        ["rewrap", vault, "--passphrase-file", right, "--new-passphrase-file", place("unusable")],
        ["rewrap", vault, "--passphrase-file", right],
        ["rewrap", vault, "--passphrase-file", right, "--new-passphrase-file", place("none")],
        [
          "rewrap", vault, "--passphrase-file", right, "--new-passphrase-file", phone, "--slot",
          "nothing",
        ],
        ["rewrap", vault, "--new-passphrase-file", phone], ["rewrap"],
        ["recover", vault, "--phrase-file", right, "--new-passphrase-file", phone],
        ["recover", vault, "--passphrase-file", right, "--new-passphrase-file", phone],
        ["recover", vault, "--phrase-file", place.sample.phraseFile],
        ["recover", vault, "--new-passphrase-file", phone],
        [
          "slot", "add", vault, "--label", "x", "--passphrase-file", wrong,
          "--new-passphrase-file", phone,
        ],
        [
          "slot", "add", vault, "--label", "x", "--passphrase-file", right,
          "--new-passphrase-file", phone, "--compartment", "zz",
        ],
        ["slot", "remove", vault, "x", "--passphrase-file", right],
        ["slot", "remove", vault, "--passphrase-file", right], ["slot", "list"],
        ["phrase", "new", vault, "--passphrase-file", wrong, "--phrase-out", place("p")],
        ["phrase", "new", vault, "--passphrase-file", right],
        ["reset", vault, "--new-passphrase-file", phone, "--phrase-out", place("p")],
        ["reset", vault, "--yes", "--phrase-out", place("p")],
      ]
      for line in lines {
        let outcome = try Tool.run(line)
        #expect([1, 2, 4].contains(outcome.status), "\(line): \(outcome)")
        #expect(outcome.output.isEmpty && !outcome.errorBytes.isEmpty, "\(line): \(outcome)")
        #expect(try Tree(vault) == before, "\(line)")
      }
      #expect(!Disk.exists(place("p")))
    }
  }
}
