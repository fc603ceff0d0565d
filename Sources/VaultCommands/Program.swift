import VaultStore

/// The whole program: a command line in, a status out.
package enum Program {
  /// The version of the tool; the format has a version of its own.
  package static let version = "0.1.0"

  /// Runs one command line and says on the console what came of it.
  /// - Returns: the exit status.
  package static func run(_ arguments: [[UInt8]], on console: Console) -> CInt {
    var code = execute(arguments, console)
    do { try console.flush() } catch {
      code = code.combined(with: report(.output(error), console))
    }
    return code.status
  }

  private static func execute(_ arguments: [[UInt8]], _ console: Console) -> ExitCode {
    let specs = CommandList.all.map { $0.spec }
    do {
      switch try Invocation(arguments, commands: specs) {
      case .overview: try console.write(Array(HelpText.overview(of: specs).utf8))
      case .help(let spec): try console.write(Array(HelpText.of(spec).utf8))
      case .groupHelp(let name, let members):
        try console.write(Array(HelpText.group(name, of: members).utf8))
      case .version: try console.writeLine("vaulttool \(version) (reads vault format 1)")
      case .run(let arguments):
        guard let command = CommandList.all.first(where: { $0.spec == arguments.spec }) else {
          preconditionFailure("a command was parsed that is not in the list")
        }
        return try command.run(arguments, console)
      }
      return .done
    } catch let error as UsageError {
      console.report(error, for: Invocation.helpTopic(of: arguments, in: specs))
      return .usage
    } catch let error as CommandError {
      return report(error, console)
    } catch let error as OutputError {
      return report(.output(error), console)
    } catch {
      console.error("\(error)")
      return .failed
    }
  }

  private static func report(_ error: CommandError, _ console: Console) -> ExitCode {
    switch error {
    case .output(.readerGone): break
    case .usage(let error): console.report(error, for: nil)
    case .store(.interrupted): console.note("interrupted")
    case .store(let cause):
      console.error("\(error)")
      if let hint = cause.hint { console.hint(hint) }
    case .secret(let cause):
      console.error("\(error)")
      if let hint = cause.hint { console.hint(hint) }
    case .refused(let reason, _, let hint):
      console.error(reason)
      if let hint { console.hint(hint) }
    case .output: console.error("\(error)")
    }
    return error.exitCode
  }
}
