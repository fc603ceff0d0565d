import Testing
import VaultTestSupport

/// How the built program deals with its standard streams (spec/command-line.md).
@Suite struct StreamTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func theVersionIsDataAndComesAlone() throws {
    let outcome = try BuiltTool.shell("$TOOL --version", in: folder)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("vaulttool "))
  }

  @Test func everyCommandOfTheOverviewHasAHelpText() throws {
    let overview = try BuiltTool.shell("$TOOL --help", in: folder)
    let lines = String(decoding: overview.output, as: UTF8.self).split(separator: "\n")
    let commands = lines.drop { $0 != "Commands:" }.dropFirst()
      .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.firstMatch(of: /^  ([a-z]+(?: [a-z]+)?)\s/)?.output.1 }
    #expect(commands.contains("init"))
    for command in commands {
      let help = try BuiltTool.shell("$TOOL \(command) --help", in: folder)
      let same = try BuiltTool.shell("$TOOL help \(command)", in: folder)
      #expect(help == same && help.status == 0 && help.errors.isEmpty)
      let text = String(decoding: help.output, as: UTF8.self)
      #expect(text.hasPrefix("Usage: vaulttool \(command) "))
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
  }

  @Test func aFullDeviceIsAFailure() throws {
    let outcome = try BuiltTool.shell("$TOOL --help >/dev/full", in: folder)
    #expect(outcome.status == 1)
    #expect(
      outcome.errorText
        == "vaulttool: error: cannot write the output: No space left on device\n")
  }

  @Test func aClosedOutputIsAFailure() throws {
    let outcome = try BuiltTool.shell("$TOOL --help >&-", in: folder)
    #expect(outcome.status == 1)
    #expect(
      outcome.errorText == "vaulttool: error: cannot write the output: Bad file descriptor\n")
  }

  @Test func aReaderThatWentAwayIsMetInSilence() throws {
    // The reading end is gone before the program starts.
    let outcome = try BuiltTool.shell(
      "mkfifo f; exec 3<>f 4>f; exec 3>&-; $TOOL --help >&4", in: folder)
    #expect(outcome.status == 141 && outcome.errors.isEmpty)
  }

  @Test(arguments: [
    "", "pcak a b", "--verbose", "info", "info v w", "info ''", "info v --jsn", "init v --hint",
    "init v --passphrase-fd 77", "init v --passphrase-file a --passphrase-file b",
    "init v --passphrase-file a --passphrase-command b", "info v --json=yes",
  ])
  func wrongUsageHasStatusTwoAndTouchesNothing(line: String) throws {
    let outcome = try BuiltTool.shell("$TOOL \(line); s=$?; ls; exit $s", in: folder)
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errorText.hasPrefix("vaulttool: error: "))
    #expect(outcome.errorText.contains("vaulttool: hint: see 'vaulttool "))
  }
}

/// How the built program asks for secrets, or does without.
@Suite struct SecretAskingTests {
  private let folder: TemporaryFolder
  private let terminal: PseudoTerminal

  init() throws {
    folder = try TemporaryFolder()
    terminal = try PseudoTerminal()
  }

  @Test func withoutATerminalItEndsAtOnceAndMakesNothing() throws {
    let outcome = try BuiltTool.shell("$TOOL init v --phrase-out p; s=$?; ls; exit $s", in: folder)
    #expect(outcome.status == 4)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errorText == """
        vaulttool: error: no terminal to ask on
        vaulttool: hint: give --passphrase-file, --passphrase-fd or --passphrase-command

        """)
  }

  @Test(arguments: ["--passphrase-file -", "--passphrase-fd 0", "--passphrase-file empty"])
  func nothingReceivedIsNotAWrongPassphrase(option: String) throws {
    let outcome = try BuiltTool.shell(
      ": >empty; $TOOL init v --phrase-out p \(option); s=$?; ls; exit $s", in: folder)
    #expect(outcome.status == 4)
    #expect(outcome.errorText == "vaulttool: error: no passphrase received\n")
    #expect(outcome.output == Array("empty\n".utf8))
  }

  @Test func theInterruptKeyRestoresTheTerminalAndNothingIsMade() throws {
    let before = terminal.modes
    let child = try BuiltTool.start(
      "exec $TOOL init v --phrase-out p", in: folder, on: terminal)
    #expect(terminal.wait(for: "passphrase: ").hasSuffix("passphrase: "))
    #expect(!terminal.echoes)
    terminal.type("hunter2\u{03}")
    #expect(BuiltTool.wait(for: child) == 130)
    #expect(terminal.modes == before && terminal.echoes)
    #expect(try BuiltTool.shell("ls", in: folder).output.isEmpty)
    #expect(!terminal.wait(for: "signal 2").contains("hunter"))
  }
}
