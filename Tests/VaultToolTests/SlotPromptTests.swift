import Glibc
import Testing
import VaultTestSupport

extension BuiltProgram {
  /// What a person sees and types who changes passphrases on a terminal.
  @Suite struct SlotsOnATerminal {
    private let place: Workplace
    private let folder: TemporaryFolder
    private let terminal: PseudoTerminal
    private let vault: Name

    init() throws {
      place = try Workplace()
      folder = try TemporaryFolder()
      terminal = try PseudoTerminal()
      vault = try place.vault()
    }

    private func start(_ line: String) throws -> pid_t {
      try BuiltTool.start("exec $TOOL \(line) >out 2>err", in: folder, on: terminal)
    }

    private func errors() throws -> String {
      String(decoding: try Disk.read(folder.path / "err"), as: UTF8.self)
    }

    private func answer(_ question: String, _ text: String) {
      _ = terminal.wait(for: question)
      terminal.type(text + "\r")
    }

    private func opens(_ passphrase: String) throws -> Bool {
      try Disk.write(passphrase, to: place("typed"))
      return try Tool.run("ls", vault, "--passphrase-file", place("typed")).status == 0
    }

    @Test func rewrapAsksForTheNewPassphraseOnceTheOldOneIsRight() throws {
      let child = try start("rewrap '\(vault)'")
      answer("Passphrase: ", "wrong")
      answer("Passphrase: ", Sample.passphrase)
      answer("New passphrase: ", "typed twice")
      answer("again): ", "typed twice")
      #expect(BuiltTool.wait(for: child) == 0)
      #expect(try opens("typed twice") && !opens(Sample.passphrase))
    }

    @Test func recoverTakesThePaperAndSetsAPassphrase() throws {
      let words = String(decoding: try Disk.read(place.sample.phraseFile), as: UTF8.self)
        .split { $0 == " " || $0.isNewline }
      let child = try start("recover '\(vault)'")
      for (index, word) in words.enumerated() {
        _ = terminal.wait(for: "Word \(index + 1) of 24: ")
        terminal.type(word.uppercased() + "\r")
      }
      answer("New passphrase: ", "after the paper")
      answer("again): ", "after the paper")
      #expect(BuiltTool.wait(for: child) == 0)
      #expect(try opens("after the paper"))
    }

    @Test func thePaperOfANewPhraseIsProvedBeforeTheOldPhraseEnds() throws {
      let before = try Tree(vault)
      let child = try start("phrase new '\(vault)'")
      answer("Passphrase: ", Sample.passphrase)
      for _ in 0..<3 { answer("of the phrase: ", "zzzz") }
      #expect(BuiltTool.wait(for: child) == 4)
      #expect(try Tree(vault) == before)
    }

    @Test func resetAndTheOnlyPhraseAreAskedAbout() throws {
      let before = try Tree(vault)
      let child = try start("reset '\(vault)'")
      answer("Go on? [y/N] ", "n")
      #expect(BuiltTool.wait(for: child) == 1)
      #expect(try errors().contains("stay locked"))
      #expect(try Tree(vault) == before)
      let phrase = try #require(try SlotLines(vault).only("phrase")["locator"].string)
      let remove = try start("slot remove '\(vault)' \(phrase)")
      answer("Passphrase: ", Sample.passphrase)
      answer("Go on? [y/N] ", "y")
      #expect(BuiltTool.wait(for: remove) == 0)
      #expect(try SlotLines(vault).all.count == 1)
    }
  }
}
