package import VaultCrypto
package import VaultStore

/// What a secret is for; decides what messages call it.
package enum SecretKind: String, Hashable, Sendable {
  case passphrase = "passphrase"
  case phrase = "recovery phrase"
  case newPassphrase = "new passphrase"
  case newPhrase = "new recovery phrase"
}

/// Why no secret could be had; the program ends with status 4. Never says that a secret is wrong,
/// and holds nothing of it.
package enum SecretError: Error, Equatable, Sendable {
  /// There is no terminal to ask on, and no source was named.
  case noTerminal
  /// The same, where what is wanted is not the present passphrase.
  case noTerminalFor(SecretKind)
  /// The source held no byte, or nothing but a line end.
  case nothingReceived(SecretKind)
  /// More than `limit` bytes; nothing is cut.
  case tooLong(SecretKind, limit: Int)
  /// The system would not open or read the source.
  case unreadable(SecretSource, ErrorCode)
  /// The source is a terminal, which would show what is typed.
  case sourceIsTerminal(SecretSource)
  /// The command ended with a status other than 0.
  case commandFailed(status: Int)
  /// A signal ended the command.
  case commandKilled(signal: Int)
  /// One source serves several secrets, but does not hold one line for each.
  case wrongLineCount(SecretSource, expected: Int, found: Int)
  /// What was typed the second time differed, as often as was asked.
  case repetitionDiffers(SecretKind)
  /// The terminal could not be read or set.
  case terminal(ErrorCode)
  /// A signal asked for the end while a secret was awaited.
  case interrupted(signal: CInt)
  /// There was no memory for it.
  case crypto(CryptoError)

  /// How the run ends.
  package var exitCode: ExitCode {
    if case .interrupted(let signal) = self { .interrupted(signal: signal) } else { .secretRefused }
  }
}

extension SecretError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noTerminal, .noTerminalFor: "no terminal to ask on"
    case .nothingReceived(let kind): "no \(kind.rawValue) received"
    case .tooLong(let kind, let limit): "the \(kind.rawValue) has more than \(limit) bytes"
    case .unreadable(let source, let code): "cannot read \(source): \(code)"
    case .sourceIsTerminal(let source):
      "\(source) is a terminal, which would show what is typed"
    case .commandFailed(let status): "the passphrase command ended with status \(status)"
    case .commandKilled(let signal): "the passphrase command was ended by signal \(signal)"
    case .wrongLineCount(let source, let expected, let found):
      "\(source) holds \(found) \(found == 1 ? "line" : "lines") where \(expected) are needed, "
        + "one for each secret"
    case .repetitionDiffers(let kind): "the \(kind.rawValue) was not repeated as typed first"
    case .terminal(let code): "the terminal cannot be used: \(code)"
    case .interrupted(let signal): "interrupted by signal \(signal)"
    case .crypto(let error): "\(error)"
    }
  }

  /// The next step, where there is one.
  package var hint: String? {
    switch self {
    case .noTerminal, .noTerminalFor(.passphrase):
      "give --passphrase-file, --passphrase-fd or --passphrase-command"
    case .noTerminalFor(.newPassphrase):
      "give --new-passphrase-file, --new-passphrase-fd or --new-passphrase-command"
    case .noTerminalFor(.phrase): "give --phrase-file or --phrase-fd"
    case .noTerminalFor(.newPhrase): "give --new-phrase-file or --new-phrase-fd"
    case .sourceIsTerminal: "leave the option out to be asked without echo"
    case .wrongLineCount:
      "the secrets stand in the order of their options, a new one after the present ones"
    case .nothingReceived, .tooLong, .unreadable, .commandFailed, .commandKilled,
      .repetitionDiffers, .terminal, .interrupted, .crypto:
      nil
    }
  }
}
