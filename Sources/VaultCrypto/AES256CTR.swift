import COpenSSL

/// AES-256 in counter mode, starting at counter block 0: the mask of a segment's lists (spec §7).
package enum AES256CTR {
  /// Combines `bytes` with the key stream by exclusive or; applied twice it gives the same bytes back.
  /// - Throws: `wrongByteCount` unless the key has 32 bytes; `outOfRange` from 2 GiB; `libraryFailure`.
  package static func xor(
    key: Span<UInt8>, with bytes: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    try CryptoError.check("key", 32, key.count)
    let context = try unsafe CipherContext(EVP_aes_256_ctr(), .encrypting)
    try context.setKey(key)
    let counter: InlineArray<16, UInt8> = .init(repeating: 0)
    try context.start(nonce: counter.span)
    try unsafe bytes.withUnsafeMutableBufferPointer { bytes throws(CryptoError) in
      let input = unsafe UnsafePointer(bytes.baseAddress)
      try unsafe context.transform(input, count: bytes.count, into: bytes.baseAddress)
    }
  }
}
