import Glibc

/// What a whole command line asks for.
package enum Invocation: Sendable {
  /// `vaulttool --help`, `vaulttool help`: the list of commands.
  case overview
  /// `vaulttool help COMMAND`, `vaulttool COMMAND --help`.
  case help(CommandSpec)
  /// `vaulttool help phrase`, `vaulttool phrase --help`: the commands whose names begin with this word.
  case groupHelp(String, [CommandSpec])
  /// `vaulttool --version`.
  case version
  /// A command with its checked arguments.
  case run(ArgumentReader)

  /// Takes a command line apart; `arguments` does not hold the program's name.
  ///
  /// - Throws: the first thing that is wrong with it.
  package init(_ arguments: [[UInt8]], commands: [CommandSpec]) throws(UsageError) {
    guard let first = arguments.first else { throw .missingCommand }
    let rest = arguments.dropFirst()
    switch String(decoding: first, as: UTF8.self) {
    case "--help", "-h":
      self = .overview
    case "--version":
      if let extra = rest.first { throw .extraOperand(extra) }
      self = .version
    case "help":
      try self.init(helpOn: rest, commands)
    default:
      switch try Self.topic(arguments, commands) {
      case .command(let command, let rest):
        let arguments = try ArgumentReader(Array(rest), for: command)
        self = arguments.wantsHelp ? .help(command) : .run(arguments)
      case .group(let name, let members, let rest):
        guard let next = rest.first else {
          throw .missingSubcommand(name, known: members.map(\.name))
        }
        guard Self.asksForHelp(next) else {
          throw .unknownSubcommand(name, next, known: members.map(\.name))
        }
        self = .groupHelp(name, members)
      }
    }
  }

  /// What follows the word `help`.
  private init(helpOn words: ArraySlice<[UInt8]>, _ commands: [CommandSpec]) throws(UsageError) {
    guard let first = words.first, !Self.asksForHelp(first) else {
      self = .overview
      return
    }
    let extra: [UInt8]?
    switch try Self.topic(Array(words), commands) {
    case .command(let command, let rest):
      self = .help(command)
      extra = rest.first
    case .group(let name, let members, let rest):
      if let next = rest.first {
        throw .unknownSubcommand(name, next, known: members.map(\.name))
      }
      self = .groupHelp(name, members)
      extra = nil
    }
    if let extra { throw .extraOperand(extra) }
  }

  /// The name whose help text answers a usage error in `arguments`, nil if that is the overview.
  package static func helpTopic(of arguments: [[UInt8]], in commands: [CommandSpec]) -> String? {
    // What is wrong with the name is the error that is reported already.
    switch try? topic(arguments, commands) {
    case .command(let command, _): command.name
    case .group(let name, _, _): name
    case nil: nil
    }
  }
}

// MARK: - Names

extension Invocation {
  /// What the first words name, and what follows them.
  private enum Topic {
    case command(CommandSpec, ArraySlice<[UInt8]>)
    /// A word that begins the names of several commands, such as `phrase`; none of them was found.
    case group(String, [CommandSpec], ArraySlice<[UInt8]>)
  }

  private static func topic(
    _ arguments: [[UInt8]], _ commands: [CommandSpec]
  ) throws(UsageError) -> Topic {
    let first = arguments.first ?? []
    var group: [CommandSpec] = []
    for command in commands {
      let words = command.words
      if words.count <= arguments.count,
        zip(words, arguments).allSatisfy({ $0.utf8.elementsEqual($1) })
      {
        return .command(command, arguments.dropFirst(words.count))
      }
      if words.count > 1, words[0].utf8.elementsEqual(first) { group.append(command) }
    }
    if let member = group.first {
      return .group(member.words[0], group, arguments.dropFirst())
    }
    guard !first.starts(with: "-".utf8) else { throw .unknownOption(first, nearest: nil) }
    let names = commands.map { $0.words[0] }
    throw .unknownCommand(first, nearest: nearestName(to: first, among: names))
  }

  private static func asksForHelp(_ argument: [UInt8]) -> Bool {
    argument.elementsEqual("--help".utf8) || argument.elementsEqual("-h".utf8)
  }
}

extension Invocation {
  /// The arguments of this process as bytes, without the program's name.
  package static func processArguments() -> [[UInt8]] {
    let pointers = unsafe UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return unsafe pointers.dropFirst().compactMap { pointer in
      guard let start = unsafe pointer else { return nil }
      let byteCount = unsafe strlen(start)
      return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: byteCount))
    }
  }
}
