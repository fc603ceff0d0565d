import COpenSSL

/// What can go wrong below the format: a refused input, or a library or system call that failed.
///
/// No case holds a secret, a key byte or decrypted text.
package enum CryptoError: Error, Equatable, Sendable {
  /// The key, the nonce, the associated data, the ciphertext or the tag is not what was sealed.
  case authenticationFailed
  /// An argument has the wrong length; both counts are bytes.
  case wrongByteCount(name: String, expected: Int, found: Int)
  /// An argument lies outside what the algorithm takes.
  case outOfRange(name: String, found: UInt64)
  /// A call into libcrypto failed, for want of memory as a rule.
  case libraryFailure(call: String)
  /// The system gave no memory for a secret; `code` is an `errno` value.
  case memoryUnavailable(code: Int32)
}

extension CryptoError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .authenticationFailed: "the sealed bytes do not authenticate"
    case .wrongByteCount(let name, let expected, let found):
      "\(name) has \(found) bytes where \(expected) are needed"
    case .outOfRange(let name, let found): "\(name) cannot be \(found)"
    case .libraryFailure(let call): "libcrypto's \(call) failed"
    case .memoryUnavailable(let code): "no memory for a secret (error \(code))"
    }
  }
}

extension CryptoError {
  /// Throws unless `found` is the byte count that `name` must have.
  static func check(_ name: String, _ expected: Int, _ found: Int) throws(CryptoError) {
    guard found == expected else {
      throw .wrongByteCount(name: name, expected: expected, found: found)
    }
  }

  /// The count as libcrypto takes it.
  /// - Throws: `outOfRange` at 2 GiB and above.
  static func count(_ count: Int, of name: String) throws(CryptoError) -> CInt {
    guard let narrow = CInt(exactly: count) else {
      throw .outOfRange(name: "the byte count of \(name)", found: UInt64(count))
    }
    return narrow
  }

  /// The error for a failed call; also empties the thread's error queue, where it left a trace.
  static func failed(_ call: String) -> CryptoError {
    ERR_clear_error()
    return .libraryFailure(call: call)
  }
}
