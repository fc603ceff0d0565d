import COpenSSL

extension Ed25519 {
  /// A private key, held and wiped by libcrypto. Threads may share one: signing only reads it.
  @safe package struct SigningKey: ~Copyable {
    private let pointer: OpaquePointer
    /// The public key that belongs to it.
    package let publicKey: Digest32

    /// Derives the key pair from a seed.
    /// - Throws: `wrongByteCount` unless the seed has 32 bytes; `libraryFailure`.
    package init(seed: borrowing SecretBytes) throws(CryptoError) {
      try CryptoError.check("seed", Ed25519.seedByteCount, seed.count)
      let key = unsafe seed.withBytes { seed in
        unsafe seed.withUnsafeBufferPointer {
          unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count)
        }
      }
      guard let key = unsafe key else { throw .failed("EVP_PKEY_new_raw_private_key") }
      do {
        publicKey = try Digest32 { output throws(CryptoError) in
          var count = output.count
          let done = unsafe output.withUnsafeMutableBufferPointer {
            unsafe EVP_PKEY_get_raw_public_key(key, $0.baseAddress, &count)
          }
          guard done == 1 else { throw .failed("EVP_PKEY_get_raw_public_key") }
        }
      } catch {
        unsafe EVP_PKEY_free(key)
        throw error
      }
      unsafe pointer = key
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// The 64-byte signature over `message`; the same message always gives the same one.
    /// - Throws: `libraryFailure`.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
      guard let context = unsafe EVP_MD_CTX_new() else { throw .failed("EVP_MD_CTX_new") }
      defer { unsafe EVP_MD_CTX_free(context) }
      guard unsafe EVP_DigestSignInit(context, nil, nil, nil, pointer) == 1 else {
        throw .failed("EVP_DigestSignInit")
      }
      var signature = [UInt8](repeating: 0, count: Ed25519.signatureByteCount)
      var count = signature.count
      let done = unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
      }
      guard done == 1, count == signature.count else { throw .failed("EVP_DigestSign") }
      return signature
    }
  }
}

/// Safe to share between threads: libcrypto counts references atomically and signing does not change a key.
extension Ed25519.SigningKey: @unchecked Sendable {}
