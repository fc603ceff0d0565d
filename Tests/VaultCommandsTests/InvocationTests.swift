import Testing
import VaultCommands

@Suite struct InvocationTests {
  private static let commands = [
    CommandSpec(
      name: "pack", summary: "Packs a folder.",
      operands: [OperandSpec("SOURCE"), OperandSpec("VAULT")], options: [], examples: []),
    CommandSpec(
      name: "ls", summary: "Lists.", operands: [OperandSpec("VAULT")], options: [], examples: []),
    CommandSpec(
      name: "phrase check", summary: "Checks.", operands: [OperandSpec("VAULT")], options: [],
      examples: []),
    CommandSpec(
      name: "phrase new", summary: "Makes.", operands: [OperandSpec("VAULT")], options: [],
      examples: []),
  ]

  private func outcome(_ arguments: String...) throws(UsageError) -> String {
    switch try Invocation(arguments.map { Array($0.utf8) }, commands: Self.commands) {
    case .overview: "overview"
    case .help(let command): "help \(command.name)"
    case .groupHelp(let name, let members):
      "help \(name): \(members.map(\.name).joined(separator: ", "))"
    case .version: "version"
    case .run(let arguments): "run \(arguments.spec.name)"
    }
  }

  @Test func helpIsReachedByEveryUsualWay() throws {
    #expect(try outcome("--help") == "overview")
    #expect(try outcome("-h") == "overview")
    #expect(try outcome("help") == "overview")
    #expect(try outcome("help", "--help") == "overview")
    #expect(try outcome("help", "pack") == "help pack")
    #expect(try outcome("pack", "--help") == "help pack")
    #expect(try outcome("pack", "a", "-h") == "help pack")
  }

  @Test func commandsAndVersionAreTold() throws {
    #expect(try outcome("--version") == "version")
    #expect(try outcome("ls", "v") == "run ls")
    #expect(try outcome("ls", "--", "--help") == "run ls")
  }

  @Test func aCommandMayHaveTwoWords() throws {
    #expect(try outcome("phrase", "check", "v") == "run phrase check")
    #expect(try outcome("phrase", "new", "--help") == "help phrase new")
    #expect(try outcome("help", "phrase", "new") == "help phrase new")
  }

  @Test func theFirstOfTwoWordsListsWhatMayFollow() throws {
    for line in [["phrase", "--help"], ["phrase", "-h"], ["help", "phrase"]] {
      let invocation = try Invocation(line.map { Array($0.utf8) }, commands: Self.commands)
      guard case .groupHelp("phrase", let members) = invocation else {
        Issue.record("\(line)")
        continue
      }
      let text = HelpText.group("phrase", of: members)
      #expect(text.hasPrefix("Usage: vaulttool phrase COMMAND"))
      #expect(text.contains("\n  phrase check  Checks.\n  phrase new    Makes.\n"))
    }
  }

  @Test func theSecondOfTwoWordsIsNeededAndKnown() {
    let known = ["phrase check", "phrase new"]
    let missing = UsageError.missingSubcommand("phrase", known: known)
    #expect(throws: missing) { try outcome("phrase") }
    #expect("\(missing)" == "'phrase' is the first word of: phrase check, phrase new")
    for (word, hint) in [
      ("chekc", "did you mean 'phrase check'?"), ("ne", "did you mean 'phrase new'?"),
      ("zzzzzzzzzzzz", "there are: phrase check, phrase new"),
    ] {
      let unknown = UsageError.unknownSubcommand("phrase", Array(word.utf8), known: known)
      #expect(throws: unknown) { try outcome("phrase", word, "v") }
      #expect(throws: unknown) { try outcome("help", "phrase", word) }
      #expect("\(unknown)" == "unknown command 'phrase \(word)'")
      #expect(unknown.hint == hint)
    }
    #expect(throws: UsageError.unknownCommand(Array("phras".utf8), nearest: "phrase")) {
      try outcome("phras", "check", "v")
    }
    #expect(throws: UsageError.extraOperand(Array("x".utf8))) {
      try outcome("help", "phrase", "new", "x")
    }
  }

  @Test func whatIsWrongIsNamed() {
    let pcak = Array("pcak".utf8)
    #expect(throws: UsageError.missingCommand) { try outcome() }
    #expect(throws: UsageError.unknownCommand(pcak, nearest: "pack")) { try outcome("pcak") }
    #expect(throws: UsageError.unknownCommand(pcak, nearest: "pack")) {
      try outcome("help", "pcak")
    }
    #expect(throws: UsageError.unknownOption(Array("--verbose".utf8), nearest: nil)) {
      try outcome("--verbose", "pack")
    }
    #expect(throws: UsageError.extraOperand(Array("x".utf8))) { try outcome("--version", "x") }
    #expect(throws: UsageError.extraOperand(Array("x".utf8))) { try outcome("help", "ls", "x") }
    #expect(throws: UsageError.unknownCommand([], nearest: nil)) { try outcome("") }
  }

  @Test func aUsageErrorLeadsToTheHelpTextOfItsCommand() {
    let arguments = ["pack", "--bogus"].map { Array($0.utf8) }
    let console = Console.recording()
    console.report(
      .unknownOption(Array("--excl\u{1B}".utf8), nearest: "exclude"),
      for: Invocation.helpTopic(of: arguments, in: Self.commands))
    console.report(.missingCommand, for: Invocation.helpTopic(of: [], in: Self.commands))
    let group = Invocation.helpTopic(of: [Array("phrase".utf8)], in: Self.commands)
    console.report(.missingOperand("VAULT"), for: group)
    #expect(console.recorded.output.isEmpty)
    #expect(
      String(decoding: console.recorded.errors, as: UTF8.self) == """
        vaulttool: error: unknown option '--excl\\x1b'
        vaulttool: hint: did you mean '--exclude'?
        vaulttool: hint: see 'vaulttool help pack'
        vaulttool: error: no command given
        vaulttool: hint: see 'vaulttool --help'
        vaulttool: error: VAULT is missing
        vaulttool: hint: see 'vaulttool help phrase'

        """)
  }
}

@Suite struct HelpTextTests {
  private static let command = CommandSpec(
    name: "unpack",
    summary: "Writes the notes of VAULT, or those at or below each PATH, into the folder TARGET.",
    operands: [OperandSpec("VAULT"), OperandSpec("TARGET"), OperandSpec("PATH", .any)],
    options: [
      .flag("overwrite", help: "Replace existing files."),
      .flag("verbose", short: "v", help: "Name each note."),
      .value("exclude", "GLOB", repeatable: true, help: "Leave out what matches."),
    ] + SecretSources.options,
    statuses: [.damaged, .skipped], examples: [.init("vaulttool unpack v t", "Writes all.")])

  @Test func theTextIsMadeFromTheTableOfTheParser() {
    let text = HelpText.of(Self.command)
    #expect(text.hasPrefix("Usage: vaulttool unpack [OPTION]... VAULT TARGET [PATH]...\n\nWrites"))
    for option in Self.command.options {
      #expect(text.contains("--\(option.name)\(option.valueName.map { " \($0)" } ?? "")"))
    }
    #expect(text.contains("\n  -v, --verbose             Name each note.\n"))
    #expect(
      text.contains("\n      --exclude GLOB        Leave out what matches. May be repeated.\n"))
    #expect(text.contains("\n  -h, --help                Show this text.\n\nSecrets"))
    #expect(text.contains("\n  3  done, but some inputs were skipped; each was named\n  5  damage"))
    #expect(text.contains("\n  vaulttool unpack v t\n      Writes all.\n"))
  }

  @Test func noLineIsWiderThanATerminal() {
    for text in [HelpText.of(Self.command), HelpText.overview(of: [Self.command])] {
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
      #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    }
  }

  @Test func theOverviewListsEveryCommand() {
    let text = HelpText.overview(of: [Self.command])
    #expect(text.contains("\n  unpack  Writes the notes of VAULT"))
  }
}

@Suite struct ExitCodeTests {
  @Test func theNumbersAreAsPromised() {
    let codes: [ExitCode] = [
      .done, .failed, .usage, .skipped, .secretRefused, .damaged, .busy, .newerVersion,
    ]
    #expect(codes.map(\.status) == [0, 1, 2, 3, 4, 5, 6, 7])
    #expect(ExitCode.interrupted(signal: 15).status == 143)
  }

  @Test func whereSeveralApplyTheWorstIsTold() {
    let order: [ExitCode] = [
      .done, .newerVersion, .skipped, .failed, .busy, .secretRefused, .damaged, .usage,
      .interrupted(signal: 2),
    ]
    for (index, weaker) in order.enumerated() {
      for stronger in order[index...] {
        #expect(weaker.combined(with: stronger) == stronger)
        #expect(stronger.combined(with: weaker) == stronger)
      }
    }
  }
}
