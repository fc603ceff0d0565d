import Glibc
import Testing
import VaultTestSupport

extension BuiltProgram {
  /// What a person sees and types.
  @Suite struct OnATerminal {
    private let place: Workplace
    private let folder: TemporaryFolder
    private let terminal: PseudoTerminal

    init() throws {
      place = try Workplace()
      folder = try TemporaryFolder()
      terminal = try PseudoTerminal()
    }

    private func start(_ line: String) throws -> pid_t {
      try BuiltTool.start("exec $TOOL \(line) >out 2>err", in: folder, on: terminal)
    }

    private func written(_ name: String) throws -> String {
      String(decoding: try Disk.read(folder.path / Name(name)), as: UTF8.self)
    }

    @Test func fr055NobodyIsAskedWhereAVariableTakesTheTerminalAway() throws {
      let line = "VAULTTOOL_TERMINAL_PROMPT=0 exec $TOOL ls '\(place.sample.vault)' >out 2>err"
      let child = try BuiltTool.start(line, in: folder, on: terminal)
      #expect(BuiltTool.wait(for: child) == 4)
      #expect(try written("err").contains("no terminal to ask on"))
    }

    @Test func initShowsThePhraseOnceAndAsksTwoWordsBack() throws {
      let child = try start("init v --hint 'the comic'")
      let first = terminal.wait(for: "assphrase: ")
      #expect(!first.contains("1. "))
      #expect(!terminal.echoes)
      terminal.type("correct horse\r")
      _ = terminal.wait(for: "again): ")
      terminal.type("correct horse\r")
      let shown = terminal.wait(for: "of the phrase: ")
      let words = Dictionary(
        uniqueKeysWithValues: shown.matches(of: /([0-9]+)\. ([a-z]+)/).map {
          (Int($0.output.1) ?? 0, String($0.output.2))
        })
      #expect(words.count == 24 && !shown.contains("correct horse"))
      let position = try #require(
        shown.firstMatch(of: /Word ([0-9]+) of the phrase/).flatMap { Int($0.output.1) })
      terminal.type((words[position] == "zoo" ? "zone" : "zoo") + "\r")
      let again = terminal.wait(for: "Word \(position) of the phrase: ")
      #expect(again.contains("not word \(position)"))
      terminal.type(try #require(words[position]) + "\r")
      let second = terminal.wait(for: "of the phrase: ")
      let next = try #require(
        second.firstMatch(of: /Word ([0-9]+) of the phrase/).flatMap { Int($0.output.1) })
      #expect(next != position)
      terminal.type(try #require(words[next]).uppercased() + "\r")
      #expect(BuiltTool.wait(for: child) == 0)
      let said = try written("out") + written("err")
      #expect(try written("out").isEmpty)
      #expect(said.contains("signer fingerprint: "))
      for word in words.values where word.count > 6 { #expect(!said.contains(word)) }

      let phrase = (1...24).compactMap { words[$0] }.joined(separator: " ")
      try Disk.write(phrase, to: place("phrase"))
      let opened = try Tool.run("ls", folder.path / "v", "--phrase-file", place("phrase"))
      #expect(opened.status == 0, "\(opened)")
    }

    @Test func aDifferingRepetitionMakesNoVault() throws {
      let child = try start("init v --phrase-out p")
      for _ in 0..<3 {
        _ = terminal.wait(for: "assphrase: ")
        terminal.type("one\r")
        _ = terminal.wait(for: "again): ")
        terminal.type("another\r")
      }
      #expect(BuiltTool.wait(for: child) == 4)
      #expect(!Disk.exists(folder.path / "v") && !Disk.exists(folder.path / "p"))
    }

    @Test func threeWrongPassphrasesShowTheHint() throws {
      // Messages go to the terminal too, so that it shows when the hint came.
      let child = try BuiltTool.start(
        "exec $TOOL ls '\(place.sample.vault)' >out", in: folder, on: terminal)
      for _ in 0..<3 {
        let seen = terminal.wait(for: "assphrase: ")
        #expect(!seen.contains("the comic"))
        terminal.type("wrong\r")
      }
      #expect(terminal.wait(for: "the hint that was set: 'the comic'").contains("the comic"))
      #expect(BuiltTool.wait(for: child) == 4)
      #expect(try written("out").isEmpty)
    }

    @Test func aPhraseOfAnotherVaultAtThePromptIsCalledThat() throws {
      let child = try start("ls '\(place.sample.vault)'")
      _ = terminal.wait(for: "assphrase: ")
      terminal.type(String(repeating: "abandon ", count: 23) + "art\r")
      _ = terminal.wait(for: "assphrase: ")
      terminal.type(Sample.passphrase + "\r")
      #expect(BuiltTool.wait(for: child) == 0)
      #expect(try written("err").contains("a sound phrase, but not this vault's; try again"))
    }

    @Test func aRightPassphraseAfterAWrongOneOpens() throws {
      let child = try start("cat '\(place.sample.vault)' Welcome.md")
      _ = terminal.wait(for: "assphrase: ")
      terminal.type("wrong\r")
      _ = terminal.wait(for: "assphrase: ")
      terminal.type(Sample.passphrase + "\r")
      #expect(BuiltTool.wait(for: child) == 0)
      #expect(try Disk.read(folder.path / "out") == Disk.read(place.sample.notes / "Welcome.md"))
    }

    @Test func fr133ProgressNeverMixesWithData() throws {
      let secret = "--passphrase-file '\(place.sample.passphraseFile)'"
      for command in ["ls", "verify --unlock"] {
        let child = try BuiltTool.start(
          "exec $TOOL \(command) --json \(secret) '\(place.sample.vault)' >out", in: folder,
          on: terminal)
        #expect(BuiltTool.wait(for: child) == 0)
        let report = try JSON(try Disk.read(folder.path / "out"))
        #expect(report["schema"].string?.hasPrefix("vaulttool-") == true)
      }
    }

    @Test func fr147BinaryContentNeedsAFlagOnATerminal() throws {
      let secret = "--passphrase-file '\(place.sample.passphraseFile)'"
      let vault = place.sample.vault
      let refused = try BuiltTool.start(
        "exec $TOOL cat \(secret) '\(vault)' attachments/grain.png", in: folder, on: terminal)
      #expect(terminal.wait(for: "--binary").contains("--binary"))
      #expect(BuiltTool.wait(for: refused) == 1)
    }

    @Test func aQuestionIsAskedBeforeNotesGo() throws {
      let vault = try place.vault()
      let notes = try place.source(["only.md": "one"])
      let secret = "--passphrase-file '\(place.sample.passphraseFile)'"
      for (answer, status): (String, Int32) in [("n", 1), ("y", 0)] {
        let child = try start("pack '\(notes)' '\(vault)' \(secret)")
        _ = terminal.wait(for: "Go on?")
        terminal.type(answer + "\r")
        #expect(BuiltTool.wait(for: child) == status)
      }
      #expect(try place.must("ls", vault).text == "only.md\n")
    }
  }
}
