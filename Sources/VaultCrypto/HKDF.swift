import COpenSSL

/// The two steps of HKDF (RFC 5869) with HMAC-SHA-512 (spec §5.1).
package enum HKDF {
  /// Bytes of a pseudorandom key.
  package static let extractedByteCount = 64
  /// The most that one expansion gives: 255 blocks of 64 bytes.
  package static let maximumExpandedByteCount = 255 * 64

  /// Concentrates `key` into a pseudorandom key of 64 bytes.
  /// - Throws: `libraryFailure`, `memoryUnavailable`.
  package static func extract(
    salt: Span<UInt8>, key: borrowing SecretBytes
  ) throws(CryptoError) -> SecretBytes {
    var result = try SecretBytes(count: extractedByteCount)
    let none = Span<UInt8>()
    try key.withBytes { key throws(CryptoError) in
      try result.withMutableBytes { output throws(CryptoError) in
        try run(EVP_KDF_HKDF_MODE_EXTRACT_ONLY, key, salt: salt, info: none, into: &output)
      }
    }
    return result
  }

  /// Derives `count` secret bytes from a pseudorandom key.
  /// - Throws: `outOfRange` unless `count` is 1 to 16,320; `libraryFailure`, `memoryUnavailable`.
  package static func expand(
    _ prk: borrowing SecretBytes, info: Span<UInt8>, count: Int
  ) throws(CryptoError) -> SecretBytes {
    try checkExpandedCount(count)
    var result = try SecretBytes(count: count)
    try result.withMutableBytes { output throws(CryptoError) in
      try expand(prk, info: info, into: &output)
    }
    return result
  }

  /// Fills `output` from a pseudorandom key: for public values (commitments, locators) and for secret buffers
  /// that are used again.
  /// - Throws: `outOfRange` unless `output` has 1 to 16,320 bytes; `libraryFailure`.
  package static func expand(
    _ prk: borrowing SecretBytes, info: Span<UInt8>, into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    try checkExpandedCount(output.count)
    let none = Span<UInt8>()
    try prk.withBytes { prk throws(CryptoError) in
      try run(EVP_KDF_HKDF_MODE_EXPAND_ONLY, prk, salt: none, info: info, into: &output)
    }
  }

  private static func checkExpandedCount(_ count: Int) throws(CryptoError) {
    guard (1...maximumExpandedByteCount).contains(count) else {
      throw .outOfRange(name: "the byte count of an expansion", found: UInt64(max(0, count)))
    }
  }

  private static func run(
    _ mode: CInt, _ key: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>,
    into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    let done = unsafe key.withUnsafeBufferPointer { key in
      unsafe salt.withUnsafeBufferPointer { salt in
        unsafe info.withUnsafeBufferPointer { info in
          unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe vt_hkdf(
              "SHA512", mode, key.baseAddress, key.count, salt.baseAddress, salt.count,
              info.baseAddress, info.count, output.baseAddress, output.count)
          }
        }
      }
    }
    guard done == 1 else { throw .failed("EVP_KDF_derive") }
  }
}
