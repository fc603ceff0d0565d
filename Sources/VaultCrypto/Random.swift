import COpenSSL

/// Bytes from libcrypto's generator, which the system's generator seeds.
package enum Random {
  /// `count` bytes that become public, as a salt or a nonce.
  /// - Throws: `outOfRange` from 2 GiB; `libraryFailure`.
  package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var output = bytes.mutableSpan
    try fill(&output)
    return bytes
  }

  /// Fills `output` with bytes that become public.
  /// - Throws: `outOfRange` from 2 GiB; `libraryFailure`.
  package static func fill(_ output: inout MutableSpan<UInt8>) throws(CryptoError) {
    let count = try CryptoError.count(output.count, of: "random bytes")
    let done = unsafe output.withUnsafeMutableBufferPointer {
      unsafe RAND_bytes($0.baseAddress, count)
    }
    guard done == 1 else { throw .failed("RAND_bytes") }
  }

  /// `count` bytes that stay secret, from a generator of their own: public output tells nothing about them.
  /// - Throws: `libraryFailure`, `memoryUnavailable`.
  package static func secret(_ count: Int) throws(CryptoError) -> SecretBytes {
    var secret = try SecretBytes(count: count)
    let narrow = try CryptoError.count(count, of: "random bytes")
    let done = secret.withMutableBytes { bytes in
      unsafe bytes.withUnsafeMutableBufferPointer {
        unsafe RAND_priv_bytes($0.baseAddress, narrow)
      }
    }
    guard done == 1 else { throw .failed("RAND_priv_bytes") }
    return secret
  }
}
