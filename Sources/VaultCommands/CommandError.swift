package import VaultStore

/// Why a command could not do its work, whatever layer said so.
package enum CommandError: Error, Equatable {
  case usage(UsageError)
  case secret(SecretError)
  case store(StoreError)
  case output(OutputError)
  /// The command itself would not go on, with what to do about it.
  case refused(String, ExitCode, hint: String?)
}

extension CommandError {
  /// How the run ends.
  package var exitCode: ExitCode {
    switch self {
    case .usage: .usage
    case .secret(let error): error.exitCode
    case .store(let error): error.exitCode
    case .output(let error): error.exitCode
    case .refused(_, let code, _): code
    }
  }
}

extension CommandError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .usage(let error): "\(error)"
    case .secret(let error): "\(error)"
    case .store(let error): error.text
    case .output(let error): "\(error)"
    case .refused(let reason, _, _): reason
    }
  }
}
