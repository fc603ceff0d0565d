/// What is wrong with a command line; the program ends with status 2 and has touched nothing.
///
/// No case holds the value of an option: somebody may have typed a secret there.
package enum UsageError: Error, Equatable, Sendable {
  case missingCommand
  case unknownCommand([UInt8], nearest: String?)
  /// Only the first word of commands with two; `known` are their names.
  case missingSubcommand(String, known: [String])
  /// The first word is known, the second is not.
  case unknownSubcommand(String, [UInt8], known: [String])
  /// `option` is as typed, without what follows `=`.
  case unknownOption([UInt8], nearest: String?)
  case missingValue(option: String, valueName: String)
  /// The next argument looks like an option, so it is not taken as the value.
  case optionInsteadOfValue(option: String, valueName: String)
  case unexpectedValue(option: String)
  case emptyValue(option: String)
  case invalidValue(option: String, expected: String)
  case repeatedOption(String)
  case conflictingOptions(String, String)
  case missingOperand(String)
  case extraOperand([UInt8])
  case emptyOperand(String)
  /// A rule of one command that no table can hold.
  case refused(String)
}

extension UsageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missingCommand: "no command given"
    case .unknownCommand(let name, _): "unknown command \(DisplayName(name).quoted)"
    case .missingSubcommand(let group, let known):
      "'\(group)' is the first word of: \(known.joined(separator: ", "))"
    case .unknownSubcommand(let group, let word, _):
      "unknown command \(DisplayName(Array("\(group) ".utf8) + word).quoted)"
    case .unknownOption(let name, _): "unknown option \(DisplayName(name).quoted)"
    case .missingValue(let option, let valueName): "option '--\(option)' needs a \(valueName)"
    case .optionInsteadOfValue(let option, let valueName):
      "option '--\(option)' needs a \(valueName), but an option follows"
    case .unexpectedValue(let option): "option '--\(option)' takes no value"
    case .emptyValue(let option): "the value of option '--\(option)' is empty"
    case .invalidValue(let option, let expected): "option '--\(option)' needs \(expected)"
    case .repeatedOption(let option): "option '--\(option)' is given more than once"
    case .conflictingOptions(let first, let second):
      "options '--\(first)' and '--\(second)' exclude each other"
    case .missingOperand(let name): "\(name) is missing"
    case .extraOperand(let operand): "unexpected argument \(DisplayName(operand).quoted)"
    case .emptyOperand(let name): "\(name) is empty"
    case .refused(let reason): reason
    }
  }

  /// The next step, if there is a better one than reading the help text.
  package var hint: String? {
    switch self {
    case .unknownCommand(_, let nearest?): "did you mean '\(nearest)'?"
    case .unknownSubcommand(let group, let word, let known):
      nearestName(to: Array("\(group) ".utf8) + word, among: known)
        .map { "did you mean '\($0)'?" } ?? "there are: \(known.joined(separator: ", "))"
    case .unknownOption(_, let nearest?): "did you mean '--\(nearest)'?"
    case .optionInsteadOfValue(let option, let valueName):
      "a \(valueName) that starts with '--' is written '--\(option)=\(valueName)'"
    case .unknownCommand, .unknownOption, .missingCommand, .missingSubcommand, .missingValue,
      .unexpectedValue, .emptyValue, .invalidValue, .repeatedOption, .conflictingOptions,
      .missingOperand,
      .extraOperand, .emptyOperand, .refused:
      nil
    }
  }
}
