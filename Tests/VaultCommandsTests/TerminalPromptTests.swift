import Glibc
import Testing
import VaultCommands
import VaultStore
import VaultTestSupport

extension SecretInputTests {
  @Suite struct TerminalPromptTests {
    private let terminal: PseudoTerminal
    private let console: Console

    init() throws {
      terminal = try PseudoTerminal()
      console = Console.recording(.init(terminalPath: terminal.path))
    }

    /// Types each answer when its question is shown; tells what was shown and whether it echoed.
    private func driver(
      _ answers: [(question: String, answer: String)], then end: String
    ) throws -> BackgroundTask<(shown: String, echoed: [Bool]), Never> {
      let terminal = self.terminal
      return try BackgroundTask { () -> (shown: String, echoed: [Bool]) in
        var shown = ""
        var echoed: [Bool] = []
        for (question, answer) in answers {
          shown += terminal.wait(for: question)
          echoed.append(terminal.echoes)
          terminal.type(answer)
        }
        return (shown + terminal.wait(for: end), echoed)
      }
    }

    @Test func aSecretIsReadWithoutEchoAndTheTerminalIsAsBefore() throws {
      let before = terminal.modes
      let driver = try driver([("Passphrase: ", " hunter3\u{7F}2 \n")], then: "\r\n")
      let secret = try TerminalPrompt(on: console).askSecret("Passphrase", as: .passphrase)
      let seen = driver.wait()
      #expect(text(of: secret) == " hunter2 ")
      #expect(seen.shown == "Passphrase: \r\n")
      #expect(seen.echoed == [false])
      #expect(terminal.modes == before && terminal.echoes)
      #expect(console.recorded.output.isEmpty && console.recorded.errors.isEmpty)
    }

    @Test func anEmptyLineAndTheEndOfInputGiveNoSecret() throws {
      for answer in ["\n", "\u{04}"] {
        let driver = try driver([("P: ", answer)], then: answer == "\n" ? "\r\n" : "")
        #expect(throws: SecretError.nothingReceived(.passphrase)) {
          _ = try TerminalPrompt(on: console).askSecret("P", as: .passphrase)
        }
        _ = driver.wait()
        #expect(terminal.echoes)
      }
    }

    @Test(arguments: [(4_000, true), (4_001, false), (4_095, false), (6_000, false)])
    func aLineThatMayHaveBeenCutIsRefused(byteCount: Int, isTaken: Bool) throws {
      let line = String(repeating: "x", count: byteCount)
      let driver = try driver([("P: ", line + "\n")], then: "\r\n")
      let prompt = try TerminalPrompt(on: console)
      if isTaken {
        #expect(text(of: try prompt.askSecret("P", as: .passphrase)) == line)
      } else {
        let limit = TerminalPrompt.maximumByteCount
        #expect(throws: SecretError.tooLong(.passphrase, limit: limit)) {
          _ = try prompt.askSecret("P", as: .passphrase)
        }
      }
      _ = driver.wait()
      #expect(terminal.echoes)
    }

    @Test func aNewSecretIsAskedForTwiceUntilBothAgree() throws {
      let first = "New: "
      let again = "New (again): "
      let driver = try driver(
        [(first, "alpha\n"), (again, "Alpha\n"), (first, "beta\n"), (again, "beta\n")], then: "\r\n"
      )
      let secret = try TerminalPrompt(on: console).askNewSecret("New", as: .newPassphrase)
      let seen = driver.wait()
      #expect(text(of: secret) == "beta")
      #expect(seen.echoed == [false, false, false, false])
      #expect(seen.shown.contains("The two were not the same.\r\nNew: "))
      #expect(!["alpha", "Alpha", "beta"].contains { seen.shown.contains($0) })
    }

    @Test func afterThreeDifferentRepetitionsItEnds() throws {
      let pair = [("New: ", "one\n"), ("New (again): ", "One\n")]
      let driver = try driver(pair + pair + pair, then: "not the same.\r\n")
      #expect(throws: SecretError.repetitionDiffers(.newPassphrase)) {
        _ = try TerminalPrompt(on: console).askNewSecret("New", as: .newPassphrase)
      }
      _ = driver.wait()
    }

    @Test(arguments: [
      ("y\n", true), ("YES\n", true), ("\n", false), ("no\n", false), ("yesterday\n", false),
      ("\u{04}", false),
    ])
    func aQuestionIsAnsweredNoUnlessYesIsTyped(answer: String, expected: Bool) throws {
      let driver = try driver([("Go on? [y/N] ", answer)], then: "")
      #expect(try TerminalPrompt(on: console).confirm("Go on?") == expected)
      let echoed = driver.wait().echoed
      #expect(echoed == [true])
    }

    @Test func aWordIsAskedForVisiblyAndSecretsAreShownOnTheTerminalOnly() throws {
      let driver = try driver([("Word 7: ", "abandon\n")], then: "shown\r\n")
      let prompt = try TerminalPrompt(on: console)
      let word = try prompt.askVisibly("Word 7", as: .phrase)
      try prompt.show(word)
      try prompt.show(" shown")
      #expect(text(of: word) == "abandon")
      let shown = driver.wait().shown
      #expect(shown == "Word 7: abandon\r\nabandon shown\r\n")
      #expect(console.recorded.output.isEmpty && console.recorded.errors.isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalEndsTheQuestionAndRestoresTheTerminal(signal: CInt) throws {
      let terminal = self.terminal
      let before = terminal.modes
      expectSignal(signal)
      let driver = try BackgroundTask { () -> Bool in
        _ = terminal.wait(for: "P: ")
        let echoed = terminal.echoes
        kill(getpid(), signal)
        return echoed
      }
      #expect(throws: SecretError.interrupted(signal: signal)) {
        _ = try TerminalPrompt(on: console).askSecret("P", as: .passphrase)
      }
      let echoed = driver.wait()
      #expect(!echoed)
      #expect(terminal.modes == before && terminal.echoes)
      #expect(SecretError.interrupted(signal: signal).exitCode.status == 128 + signal)
    }

    @Test func aStopIsFollowedByTheSameQuestion() async {
      await #expect(processExitsWith: .exitCode(0)) {
        expectSignal(SIGTSTP)
        let terminal = try PseudoTerminal()
        let process = getpid()
        let continuing = "(while kill -CONT \(process); do sleep 0.05; done) &"
        _ = TemporaryFolder.run(["/bin/sh", "-c", continuing])
        let driver = try BackgroundTask { () -> Bool in
          _ = terminal.wait(for: "P: ")
          kill(process, SIGTSTP)
          let shown = terminal.wait(for: "P: ")
          let echoed = terminal.echoes
          terminal.type("hunter2\n")
          return shown == "\r\nP: " && !echoed
        }
        let prompt = try TerminalPrompt(on: .recording(.init(terminalPath: terminal.path)))
        let secret = try prompt.askSecret("P", as: .passphrase)
        let isRight = driver.wait() && text(of: secret) == "hunter2" && terminal.echoes
        exit(isRight ? 0 : 1)
      }
    }

    @Test func withoutATerminalItEndsAtOnce() async {
      #expect(throws: SecretError.noTerminal) { _ = try TerminalPrompt(on: .recording()) }
      #expect(throws: SecretError.noTerminal) {
        _ = try TerminalPrompt(on: .recording(.init(terminalPath: "/dev/null")))
      }
      await #expect(processExitsWith: .exitCode(4)) {
        setsid()
        do throws(SecretError) {
          _ = try TerminalPrompt(on: .recording(.init(terminalPath: "/dev/tty")))
        } catch {
          exit(error == .noTerminal ? error.exitCode.status : 1)
        }
      }
    }
  }
}

extension SecretInputTests {
  @Suite struct PhraseEntryTests {
    @Test func aStopRestoresTheTerminalAndGoesOnWhereItWas() async {
      await #expect(processExitsWith: .exitCode(0)) {
        expectSignal(SIGTSTP)
        let terminal = try PseudoTerminal()
        let process = getpid()
        let continuing = "(while kill -CONT \(process); do sleep 0.05; done) &"
        _ = TemporaryFolder.run(["/bin/sh", "-c", continuing])
        let driver = try BackgroundTask { () -> Bool in
          _ = terminal.wait(for: "Word 1 of 24: ")
          terminal.type("abandon ab")
          _ = terminal.wait(for: "Word 2 of 24: ab")
          kill(process, SIGTSTP)
          let shown = terminal.wait(for: "Word 2 of 24: ab")
          let echoed = terminal.echoes
          terminal.type("andon " + String(repeating: "abandon ", count: 21) + "art\n")
          return shown.hasSuffix("\r\nWord 2 of 24: ab") && !echoed
        }
        let prompt = try TerminalPrompt(on: .recording(.init(terminalPath: terminal.path)))
        let phrase = try prompt.askPhrase()
        let expected = String(repeating: "abandon ", count: 23) + "art"
        let isRight = driver.wait() && text(of: phrase) == expected && terminal.echoes
        exit(isRight ? 0 : 1)
      }
    }
  }
}
