/// One option that a command takes. The parser and the help text both read this value, so they
/// cannot say different things.
package struct OptionSpec: Hashable, Sendable {
  /// Where the help text lists the option.
  package enum Group: Hashable, Sendable {
    case general
    case secrets
  }

  /// The long name without its dashes.
  package let name: String
  /// The one-byte alias without its dash; only options without a value have one.
  package let short: Character?
  /// What the help text calls the value, such as `FILE`; nil if the option takes none.
  package let valueName: String?
  /// Whether the option may stand more than once.
  package let isRepeatable: Bool
  /// Where the help text lists the option.
  package let group: Group
  /// What the option does, for people.
  package let help: String

  /// An option without a value.
  package static func flag(_ name: String, short: Character? = nil, help: String) -> OptionSpec {
    precondition(short.map { $0.isASCII && $0 != "-" } ?? true, "a short name is one ASCII letter")
    return OptionSpec(
      name: name, short: short, valueName: nil, isRepeatable: false, group: .general, help: help)
  }

  /// An option with a value that is never empty.
  package static func value(
    _ name: String, _ valueName: String, repeatable: Bool = false, group: Group = .general,
    help: String
  ) -> OptionSpec {
    OptionSpec(
      name: name, short: nil, valueName: valueName, isRepeatable: repeatable, group: group,
      help: help)
  }

  /// The same option, for a command that takes it more than once.
  package var repeatable: OptionSpec {
    OptionSpec(
      name: name, short: short, valueName: valueName, isRepeatable: true, group: group, help: help)
  }

  /// `--help`, which every command takes.
  package static let help = OptionSpec.flag("help", short: "h", help: "Show this text.")
}

/// One operand that a command takes.
package struct OperandSpec: Hashable, Sendable {
  /// How often the operand stands; only the last operand of a command may repeat or be missing.
  package enum Count: Hashable, Sendable {
    case one
    case optional
    case any
    case atLeastOne

    var mayBeNone: Bool { self == .optional || self == .any }
    var mayRepeat: Bool { self == .any || self == .atLeastOne }
  }

  /// What usage lines and errors call it, such as `VAULT`.
  package let name: String
  /// How often it stands.
  package let count: Count

  package init(_ name: String, _ count: Count = .one) {
    self.name = name
    self.count = count
  }
}

/// What a command is called, takes and does: the table from which its arguments are parsed and
/// its help text is made.
package struct CommandSpec: Hashable, Sendable {
  /// A command line and what it is good for.
  package struct Example: Hashable, Sendable {
    package let line: String
    package let purpose: String

    package init(_ line: String, _ purpose: String) {
      self.line = line
      self.purpose = purpose
    }
  }

  /// One word, or two where a group of commands shares the first: `phrase check`.
  package let name: String
  /// One sentence: what the command does.
  package let summary: String
  package let operands: [OperandSpec]
  package let options: [OptionSpec]
  /// Paragraphs that follow the options.
  package let notes: [String]
  /// The statuses the command can end with, besides 0, 1, 2 and interruption.
  package let statuses: [ExitCode]
  package let examples: [Example]

  package init(
    name: String, summary: String, operands: [OperandSpec], options: [OptionSpec],
    notes: [String] = [], statuses: [ExitCode] = [], examples: [Example]
  ) {
    precondition(
      Set(options.map(\.name)).count == options.count, "two options of \(name) share a name")
    precondition(
      operands.dropLast().allSatisfy { $0.count == .one },
      "only the last operand may repeat or be missing")
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options + [.help]
    self.notes = notes
    self.statuses = statuses
    self.examples = examples
  }

  /// The words of the name.
  package var words: [String] { name.split(separator: " ").map(String.init) }
}
