import COpenSSL

/// PBKDF2 with HMAC-SHA-512 (RFC 8018 §5.2; spec §5.2).
package enum PBKDF2 {
  /// Bytes of a result: one block. More would cost the owner twice and an attacker nothing.
  package static let byteCount = 64

  /// Stretches `password`. Takes about 0.7 µs an iteration; bounding them is the caller's part (spec §11).
  /// - Throws: `outOfRange` unless `iterations` is 1 to 2,147,483,647; `libraryFailure`, `memoryUnavailable`.
  package static func derive(
    password: borrowing SecretBytes, salt: Span<UInt8>, iterations: UInt32
  ) throws(CryptoError) -> SecretBytes {
    var result = try SecretBytes(count: byteCount)
    try result.withMutableBytes { output throws(CryptoError) in
      try derive(password: password, salt: salt, iterations: iterations, into: &output)
    }
    return result
  }

  /// The same for an output of any length, which only test vectors need.
  static func derive(
    password: borrowing SecretBytes, salt: Span<UInt8>, iterations: UInt32,
    into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    guard let rounds = CInt(exactly: iterations), rounds > 0 else {
      throw .outOfRange(name: "the iteration count", found: UInt64(iterations))
    }
    let passwordCount = try CryptoError.count(password.count, of: "a password")
    let saltCount = try CryptoError.count(salt.count, of: "a salt")
    let outputCount = try CryptoError.count(output.count, of: "an output")
    let done = password.withBytes { password in
      unsafe password.withUnsafeBufferPointer { password in
        unsafe salt.withUnsafeBufferPointer { salt in
          unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe password.withMemoryRebound(to: CChar.self) { password in
              unsafe PKCS5_PBKDF2_HMAC(
                password.baseAddress, passwordCount, salt.baseAddress, saltCount, rounds,
                EVP_sha512(), outputCount, output.baseAddress)
            }
          }
        }
      }
    }
    guard done == 1 else { throw .failed("PKCS5_PBKDF2_HMAC") }
  }
}
