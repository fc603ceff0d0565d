import COpenSSL

/// HMAC-SHA-512 (RFC 2104).
package enum HMACSHA512 {
  /// Bytes of a result.
  package static let byteCount = 64

  /// The secret result for a secret message, as in the preparation of a passphrase (spec §5.2).
  /// - Throws: `outOfRange` for a key from 2 GiB; `libraryFailure`, `memoryUnavailable`.
  package static func authenticate(
    key: Span<UInt8>, message: borrowing SecretBytes
  ) throws(CryptoError) -> SecretBytes {
    var result = try SecretBytes(count: byteCount)
    try message.withBytes { message throws(CryptoError) in
      try result.withMutableBytes { output throws(CryptoError) in
        try authenticate(key: key, message: message, into: &output)
      }
    }
    return result
  }

  /// Writes the 64 bytes for a message into `output`.
  /// - Throws: `wrongByteCount` unless `output` has 64 bytes; `outOfRange` for a key from 2 GiB;
  ///   `libraryFailure`.
  package static func authenticate(
    key: Span<UInt8>, message: Span<UInt8>, into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    try CryptoError.check("output", byteCount, output.count)
    let keyCount = try CryptoError.count(key.count, of: "a key")
    let done = unsafe key.withUnsafeBufferPointer { key in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe HMAC(
            EVP_sha512(), key.baseAddress, keyCount, message.baseAddress, message.count,
            output.baseAddress, nil) != nil
        }
      }
    }
    guard done else { throw .failed("HMAC") }
  }
}
