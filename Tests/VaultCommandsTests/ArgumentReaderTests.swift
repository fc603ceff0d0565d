import Testing
import VaultCommands

@Suite struct ArgumentReaderTests {
  static let note = OptionSpec.value("note", "TEXT", help: "A note.")
  static let exclude = OptionSpec.value("exclude", "GLOB", repeatable: true, help: "Left out.")
  static let verbose = OptionSpec.flag("verbose", short: "v", help: "Names each change.")
  static let null = OptionSpec.flag("null", short: "0", help: "Zero bytes.")
  static let vault = OperandSpec("VAULT")
  static let paths = OperandSpec("PATH", .any)
  static let spec = CommandSpec(
    name: "try", summary: "Tries.", operands: [vault, paths],
    options: [note, exclude, verbose, null], examples: [])

  private func read(_ arguments: String...) throws(UsageError) -> ArgumentReader {
    try ArgumentReader(arguments.map { Array($0.utf8) }, for: Self.spec)
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func valuesStandInTheSameOrTheNextArgument() throws {
    let joined = try read("v", "--note=a=b")
    #expect(joined.value(of: Self.note) == bytes("a=b"))
    let apart = try read("--note", "-x", "v")
    #expect(apart.value(of: Self.note) == bytes("-x"))
    #expect(apart.operand(Self.vault) == bytes("v"))
  }

  @Test func optionsMayFollowOperandsAndShortOnesMayShareADash() throws {
    let arguments = try read("v", "p", "-v0", "q")
    #expect(arguments.has(Self.verbose) && arguments.has(Self.null))
    #expect(arguments.operands(Self.paths) == [bytes("p"), bytes("q")])
  }

  @Test func twoDashesEndTheOptions() throws {
    let arguments = try read("-v", "--", "-v", "--help", "--", "-")
    #expect(arguments.operand(Self.vault) == bytes("-v"))
    #expect(arguments.operands(Self.paths) == ["--help", "--", "-"].map(bytes))
    #expect(!arguments.wantsHelp)
  }

  @Test func aSingleDashIsAnOperandAndAValue() throws {
    let arguments = try read("-", "--note", "-")
    #expect(arguments.operand(Self.vault) == bytes("-"))
    #expect(arguments.value(of: Self.note) == bytes("-"))
  }

  @Test func namesThatAreNotUTF8StayAsTheyAre() throws {
    let name: [UInt8] = [0x62, 0xE4, 0xFF, 0x0A]
    let option: [UInt8] = Array("--exclude=".utf8) + name
    let arguments = try ArgumentReader([name, option], for: Self.spec)
    #expect(arguments.operand(Self.vault) == name)
    #expect(arguments.values(of: Self.exclude) == [name])
    let text = Array("--note=".utf8) + name
    #expect(throws: UsageError.invalidValue(option: "note", expected: "valid UTF-8")) {
      try ArgumentReader([name, text], for: Self.spec).text(of: Self.note)
    }
  }

  @Test func repeatableOptionsKeepTheirOrder() throws {
    let arguments = try read("v", "--exclude", "b", "--exclude=a")
    #expect(arguments.values(of: Self.exclude) == [bytes("b"), bytes("a")])
  }

  @Test func helpEndsTheParsing() throws {
    #expect(try read("--help", "--nonsense").wantsHelp)
    #expect(try read("-vh").wantsHelp)
  }

  @Test(arguments: [
    (["v", "--nte", "x"], UsageError.unknownOption(Array("--nte".utf8), nearest: "note")),
    (["v", "--exc=x"], .unknownOption(Array("--exc".utf8), nearest: "exclude")),
    (["v", "--secret=hunter2"], .unknownOption(Array("--secret".utf8), nearest: nil)),
    (["v", "-phunter2"], .unknownOption(Array("-p".utf8), nearest: nil)),
    (["v", "--note"], .missingValue(option: "note", valueName: "TEXT")),
    (["v", "--note", "--null"], .optionInsteadOfValue(option: "note", valueName: "TEXT")),
    (["v", "--note", "--"], .optionInsteadOfValue(option: "note", valueName: "TEXT")),
    (["v", "--null=1"], .unexpectedValue(option: "null")),
    (["v", "--note="], .emptyValue(option: "note")),
    (["v", "--note", ""], .emptyValue(option: "note")),
    (["v", "--note=a", "--note=a"], .repeatedOption("note")),
    ([], .missingOperand("VAULT")),
    (["-v"], .missingOperand("VAULT")),
    ([""], .emptyOperand("VAULT")),
    (["v", ""], .emptyOperand("PATH")),
  ])
  func whatIsWrongIsNamed(arguments: [String], expected: UsageError) {
    #expect(throws: expected) {
      try ArgumentReader(arguments.map { Array($0.utf8) }, for: Self.spec)
    }
  }

  @Test func anExtraOperandIsRefused() {
    let single = CommandSpec(
      name: "one", summary: "", operands: [Self.vault], options: [], examples: [])
    #expect(throws: UsageError.extraOperand(bytes("w"))) {
      try ArgumentReader([bytes("v"), bytes("w")], for: single)
    }
  }

  @Test func aRepeatingOperandMayBeNeededOnce() throws {
    let needed = OperandSpec("PATH", .atLeastOne)
    let spec = CommandSpec(
      name: "cat", summary: "", operands: [Self.vault, needed], options: [], examples: [])
    #expect(throws: UsageError.missingOperand("PATH")) {
      try ArgumentReader([bytes("v")], for: spec)
    }
    let arguments = try ArgumentReader([bytes("v"), bytes("p")], for: spec)
    #expect(arguments.operands(needed) == [bytes("p")])
  }

  @Test func anOptionalOperandStandsOnceAtMost() throws {
    let optional = OperandSpec("PATH", .optional)
    let spec = CommandSpec(
      name: "try", summary: "", operands: [Self.vault, optional], options: [], examples: [])
    let missing = try ArgumentReader([bytes("v")], for: spec)
    #expect(missing.operand(Self.vault) == bytes("v"))
    #expect(missing.optionalOperand(optional) == nil)
    let given = try ArgumentReader([bytes("v"), bytes("p")], for: spec)
    #expect(given.optionalOperand(optional) == bytes("p"))
    #expect(throws: UsageError.extraOperand(bytes("q"))) {
      try ArgumentReader([bytes("v"), bytes("p"), bytes("q")], for: spec)
    }
    #expect(throws: UsageError.emptyOperand("PATH")) {
      try ArgumentReader([bytes("v"), []], for: spec)
    }
    #expect(throws: UsageError.missingOperand("VAULT")) { try ArgumentReader([], for: spec) }
    #expect(HelpText.usage(of: spec) == "Usage: vaulttool try [OPTION]... VAULT [PATH]")
  }

  @Test func theOnlyOperandMayBeOptional() throws {
    let optional = OperandSpec("VAULT", .optional)
    let spec = CommandSpec(
      name: "try", summary: "", operands: [optional], options: [], examples: [])
    #expect(try ArgumentReader([], for: spec).optionalOperand(optional) == nil)
    #expect(try ArgumentReader([bytes("v")], for: spec).optionalOperand(optional) == bytes("v"))
  }
}

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("paswords-file", nil), ("paswphrse-file", "passphrase-file"),
    ("passphrase", "passphrase-file"),
    ("passphras-file", "passphrase-file"),
    ("dryrun", "dry-run"), ("dry-runs", "dry-run"), ("x", nil), ("", nil), ("overwriting", nil),
  ])
  func onlyACloseNameIsSuggested(typed: String, expected: String?) {
    let spec = CommandSpec(
      name: "c", summary: "", operands: [],
      options: ["passphrase-file", "dry-run", "yes"].map { .flag($0, help: "") }, examples: [])
    let option = Array("--\(typed)x".dropLast().utf8)
    guard !typed.isEmpty else { return }
    #expect(throws: UsageError.unknownOption(option, nearest: expected)) {
      try ArgumentReader([option], for: spec)
    }
  }
}
