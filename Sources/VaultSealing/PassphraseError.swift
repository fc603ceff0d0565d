package import VaultCrypto

/// Why a passphrase was not accepted. Holds places and kinds, never a character of it.
package enum PassphraseError: Error, Equatable {
  /// There is no passphrase: no byte was received.
  case empty
  /// The bytes are not UTF-8; `offset` is the first byte of the first bad sequence.
  case invalidUTF8(offset: Int)
  /// More bytes than a passphrase may have.
  case tooLong(found: Int, limit: Int)
  /// A new passphrase holds a control character; `position` counts code points from 1.
  case controlCharacter(position: Int)
  /// A new passphrase holds a code point without a character, whose normal form could still
  /// change; `position` counts code points from 1.
  case unassigned(position: Int)
  /// The file has a second line.
  case secondLine
  /// The file has a carriage return that does not belong to the final line end.
  case strayCarriageReturn(offset: Int)
  /// The file begins with a byte order mark, which nobody would type at a prompt.
  case byteOrderMark
  /// The machine could not provide memory for secrets.
  case crypto(CryptoError)
}

extension PassphraseError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "no passphrase received"
    case .invalidUTF8(let offset): "the passphrase is not UTF-8 at byte \(offset)"
    case .tooLong(let found, let limit):
      "the passphrase has \(found) bytes, but at most \(limit) are allowed"
    case .controlCharacter(let position):
      "character \(position) of the new passphrase is a control character"
    case .unassigned(let position):
      "character \(position) of the new passphrase is not assigned in Unicode"
    case .secondLine: "the passphrase has a second line"
    case .strayCarriageReturn(let offset):
      "the passphrase has a carriage return at byte \(offset), before its end"
    case .byteOrderMark: "the passphrase begins with a byte order mark"
    case .crypto(let error): "\(error)"
    }
  }
}
