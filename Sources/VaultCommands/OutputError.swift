import Glibc
package import VaultStore

/// Why results did not reach stdout.
package enum OutputError: Error, Equatable, Sendable {
  /// The reader of a pipe went away; nothing is said about it, as with other tools.
  case readerGone
  /// The system refused a write, with its error number.
  case failed(ErrorCode)
  /// A report could not be written as JSON.
  case notEncodable(String)

  /// How the run ends.
  package var exitCode: ExitCode {
    switch self {
    case .readerGone: .interrupted(signal: SIGPIPE)
    case .failed, .notEncodable: .failed
    }
  }
}

extension OutputError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .readerGone: "the reader of the output went away"
    case .failed(let code): "cannot write the output: \(code)"
    case .notEncodable(let reason): "cannot write the report as JSON: \(reason)"
    }
  }
}
