import Glibc

/// What a whole command line asks for.
package enum Invocation: Sendable {
  /// `vaulttool --help`, `vaulttool help`: the list of commands.
  case overview
  /// `vaulttool help COMMAND`, `vaulttool COMMAND --help`.
  case help(CommandSpec)
  /// `vaulttool --version`.
  case version
  /// A command with its checked arguments.
  case run(ArgumentReader)

  /// Takes a command line apart; `arguments` does not hold the program's name.
  ///
  /// - Throws: the first thing that is wrong with it.
  package init(_ arguments: [[UInt8]], commands: [CommandSpec]) throws(UsageError) {
    guard let first = arguments.first else { throw .missingCommand }
    let rest = Array(arguments.dropFirst())
    switch String(decoding: first, as: UTF8.self) {
    case "--help", "-h":
      self = .overview
    case "--version":
      guard rest.isEmpty else { throw .extraOperand(rest[0]) }
      self = .version
    case "help":
      guard rest.count <= 1 else { throw .extraOperand(rest[1]) }
      guard let name = rest.first, !name.elementsEqual("--help".utf8) else {
        self = .overview
        return
      }
      self = .help(try Self.command(named: name, in: commands))
    default:
      let command = try Self.command(named: first, in: commands)
      let arguments = try ArgumentReader(rest, for: command)
      self = arguments.wantsHelp ? .help(arguments.spec) : .run(arguments)
    }
  }

  /// The command whose help text answers a usage error in `arguments`, nil if that is the
  /// overview.
  package static func command(
    of arguments: [[UInt8]], in commands: [CommandSpec]
  ) -> CommandSpec? {
    commands.first { $0.name.utf8.elementsEqual(arguments.first ?? []) }
  }

  private static func command(
    named name: [UInt8], in commands: [CommandSpec]
  ) throws(UsageError) -> CommandSpec {
    if let command = commands.first(where: { $0.name.utf8.elementsEqual(name) }) { return command }
    guard !name.starts(with: "-".utf8) else { throw .unknownOption(name, nearest: nil) }
    throw .unknownCommand(name, nearest: nearestName(to: name, among: commands.map(\.name)))
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
