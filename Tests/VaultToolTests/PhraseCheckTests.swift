import Glibc
import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `phrase check` (spec/command-line.md): a drill that writes nothing.
  @Suite struct PhraseChecks {
    private let place: Workplace
    private let words: [String]

    init() throws {
      place = try Workplace()
      let text = String(decoding: try Disk.read(place.sample.phraseFile), as: UTF8.self)
      words = text.split { $0 == " " || $0.isNewline }.map(String.init)
    }

    private func check(_ phrase: String, _ vault: Name? = nil) throws -> Outcome {
      try Disk.write(phrase, to: place("p"))
      return try Tool.run(
        "phrase", "check", vault ?? place.sample.vault, "--phrase-file", place("p"))
    }

    /// The names of the phrase's and the passphrase's slot.
    private func slotNames() throws -> (phrase: Name, passphrase: Name) {
      let info = try JSON(try Tool.run("info", place.sample.vault, "--json").output)
      let slots = try #require(info["slots"].list)
      func name(_ purpose: String) throws -> Name {
        let slot = try #require(slots.first { $0["purpose"].string == purpose })
        return Name(try #require(slot["locator"].string) + ".slot")
      }
      return (try name("phrase"), try name("passphrase"))
    }

    @Test func theRightPhraseOpensAndNothingIsWritten() throws {
      let before = try Tree(place.sample.vault)
      let outcome = try check(words.joined(separator: " "))
      #expect(outcome.status == 0 && outcome.errorBytes.isEmpty, "\(outcome)")
      #expect(outcome.text.hasPrefix("the phrase opens this vault: slot "))
      #expect(try Tree(place.sample.vault) == before)
    }

    @Test func theReportHasTheDocumentedFields() throws {
      let outcome = try Tool.run(
        "phrase", "check", place.sample.vault, "--phrase-file", place.sample.phraseFile, "--json")
      let report = try JSON(outcome.output)
      #expect(report["schema"].string == "vaulttool-phrase-check/1")
      #expect(report.keys == ["compartments", "schema", "slots"])
      #expect(report["slots"].list?.count == 1 && report["compartments"].list?.count == 1)
      #expect(
        report["slots"][0].keys == ["compartment", "copies", "listed", "locator", "unfinished"])
      #expect(report["slots"][0]["copies"].list?.compactMap(\.string) == ["index", "spare"])
      #expect(report["slots"][0]["compartment"].string == report["compartments"][0].string)
    }

    @Test func fr060To069WhatIsTypedFromPaperOpensOrIsToldApart() throws {
      let vault = try place.vault()
      let before = try Tree(vault)
      let swapped = [words[1], words[0]] + words[2...]
      let cases: [(phrase: String, status: Int32, said: String)] = [
        ("\t " + words.joined(separator: " \r\n ") + "\r\n\r\n", 0, ""),
        (words.map { $0.uppercased() }.joined(separator: "  "), 0, ""),
        ("\u{FEFF}" + words.joined(separator: "\u{A0}\u{200B}"), 0, ""),
        (words.map { String($0.prefix(4)) }.joined(separator: " "), 0, ""),
        ((["qqqqq"] + words.dropFirst()).joined(separator: " "), 4, "word 1 "),
        ((words.dropLast() + ["qqqqq"]).joined(separator: " "), 4, "word 24 "),
        (words[..<12].joined(separator: " "), 4, "12 words instead of 24"),
        (Array(repeating: "\u{E1}baco", count: 24).joined(separator: " "), 4, "another word list"),
        (String(repeating: "abandon ", count: 23) + "zoo", 4, "do not belong together"),
        // One of 256 wrong phrases has a sound checksum; this one does.
        (
          String(repeating: "abandon ", count: 23) + "art", 4,
          "a sound phrase, but not this vault's"
        ),
      ]
      for (phrase, status, said) in cases {
        let outcome = try check(phrase, vault)
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errorText.contains(said), "\(outcome)")
        for word in words where word.count > 6 {
          #expect(!(outcome.text + outcome.errorText).contains(word))
        }
      }
      // Words that are swapped are refused, by checksum or because they open nothing.
      if swapped != words { #expect(try check(swapped.joined(separator: " "), vault).status == 4) }
      #expect(try Tree(vault) == before)
    }

    @Test func damagedNotesAndSegmentsDoNotMatter() throws {
      let vault = try place.vault()
      for file in try Damage.files(of: vault) where !file.text.hasSuffix(".slot") {
        if file.text.hasSuffix(".sealed") || file.text.hasSuffix(".seg") {
          try Disk.write("garbage", to: vault / file)
        }
      }
      let before = try Tree(vault)
      let outcome = try check(words.joined(separator: " "), vault)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errorText.contains("does not list"), "\(outcome)")
      #expect(try Tree(vault) == before)
    }

    @Test(arguments: ["index", "spare"]) func oneCopyOfTheSlotIsEnoughAndSaid(folder: String)
      throws
    {
      let vault = try place.vault()
      let slots = try slotNames()
      try Disk.remove(vault / Name(folder) / slots.phrase)
      try Disk.write("", to: vault / "index" / slots.passphrase)
      let outcome = try check(words.joined(separator: " "), vault)
      #expect(outcome.status == 0, "\(outcome)")
      let other = folder == "index" ? "spare" : "index"
      #expect(outcome.errorText.contains("only one copy of this slot is left, \(other)/"))
    }

    @Test func withoutAnyCopyNothingOpens() throws {
      let vault = try place.vault()
      let slots = try slotNames()
      for folder: Name in ["index", "spare"] { try Disk.remove(vault / folder / slots.phrase) }
      #expect(try check(words.joined(separator: " "), vault).status == 4)
      for folder: Name in ["index", "spare"] {
        try Disk.write("garbage", to: vault / folder / slots.phrase)
      }
      #expect(try check(words.joined(separator: " "), vault).status == 5)
    }

    @Test func withoutATerminalTheOptionsForAPhraseAreNamed() throws {
      let outcome = try Tool.run("phrase", "check", place.sample.vault)
      #expect(outcome.status == 4 && outcome.output.isEmpty)
      #expect(outcome.errorText.contains("no terminal"))
      #expect(outcome.errorText.contains("give --phrase-file or --phrase-fd"))
    }

    @Test func theFirstWordAloneIsWrongUsage() throws {
      let alone = try Tool.run("phrase")
      #expect(alone.status == 2 && alone.errorText.contains("phrase check"), "\(alone)")
      let unknown = try Tool.run("phrase", "chek", place.sample.vault)
      #expect(unknown.status == 2, "\(unknown)")
      #expect(unknown.errorText.contains("did you mean 'phrase check'?"), "\(unknown)")
      let help = try Tool.run("phrase", "--help")
      #expect(help.status == 0 && help.text.contains("\n  phrase check  "), "\(help)")
    }
  }

  /// The recovery phrase as it is typed on a terminal.
  @Suite struct PhrasesOnATerminal {
    private let place: Workplace
    private let folder: TemporaryFolder
    private let terminal: PseudoTerminal
    private let words: [String]

    init() throws {
      place = try Workplace()
      folder = try TemporaryFolder()
      terminal = try PseudoTerminal()
      let text = String(decoding: try Disk.read(place.sample.phraseFile), as: UTF8.self)
      words = text.split { $0 == " " || $0.isNewline }.map(String.init)
    }

    private func start() throws -> pid_t {
      try BuiltTool.start(
        "exec $TOOL phrase check '\(place.sample.vault)' >out 2>err", in: folder, on: terminal)
    }

    private func written(_ name: String) throws -> String {
      String(decoding: try Disk.read(folder.path / Name(name)), as: UTF8.self)
    }

    @Test func wordByWordWithAMistakeAndAWayBack() throws {
      let child = try start()
      for (index, word) in words.enumerated() {
        _ = terminal.wait(for: "Word \(index + 1) of 24: ")
        #expect(!terminal.echoes)
        if index == 3 {
          terminal.type("qqqqq ")
          #expect(terminal.wait(for: "Word 4 of 24: ").contains("not on the word list"))
          terminal.type("zoo ")
          _ = terminal.wait(for: "Word 5 of 24: ")
          terminal.type("\u{7F}")
          #expect(terminal.wait(for: "Word 4 of 24: zoo").contains("zoo"))
          terminal.type("\u{15}")
        }
        terminal.type(word.prefix(4).uppercased() + (index % 2 == 0 ? "\t" : "\r"))
      }
      #expect(BuiltTool.wait(for: child) == 0)
      #expect(terminal.echoes)
      #expect(try written("out").hasPrefix("the phrase opens this vault"))
      #expect(try written("err").isEmpty)
    }

    @Test func aPasteWithLineBreaksAndCapitals() throws {
      let child = try start()
      _ = terminal.wait(for: "Word 1 of 24: ")
      terminal.type(
        words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "\n\n ") + "\n")
      #expect(BuiltTool.wait(for: child) == 0)
      #expect(terminal.echoes)
    }

    @Test func aPhraseOfAnotherVaultIsRefused() throws {
      let child = try start()
      _ = terminal.wait(for: "Word 1 of 24: ")
      terminal.type(String(repeating: "abandon ", count: 24))
      #expect(terminal.wait(for: "starts again: ").contains("do not belong together"))
      terminal.type("<")
      _ = terminal.wait(for: "Word 24 of 24: abandon")
      terminal.type("\u{15}art\r")
      #expect(BuiltTool.wait(for: child) == 4)
      #expect(try written("err").contains("a sound phrase, but not this vault's"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalRestoresTheTerminal(signal: Int32)
      throws
    {
      let before = terminal.modes
      let child = try start()
      _ = terminal.wait(for: "Word 1 of 24: ")
      #expect(!terminal.echoes)
      if signal == SIGINT { terminal.type("ab\u{3}") } else { kill(child, signal) }
      #expect(BuiltTool.wait(for: child) == 128 + signal)
      #expect(terminal.modes == before)
    }

    @Test func givingUpIsNoPhrase() throws {
      let before = terminal.modes
      let child = try start()
      _ = terminal.wait(for: "Word 1 of 24: ")
      terminal.type("\u{4}")
      #expect(BuiltTool.wait(for: child) == 4)
      #expect(terminal.modes == before)
      #expect(try written("err").contains("no recovery phrase received"))
    }
  }
}
