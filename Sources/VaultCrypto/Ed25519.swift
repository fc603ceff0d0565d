import COpenSSL

/// Ed25519 signatures (RFC 8032), checked strictly (spec §7).
package enum Ed25519 {
  /// Bytes of a signature.
  package static let signatureByteCount = 64
  /// Bytes of a seed.
  package static let seedByteCount = 32

  /// Whether `signature` is one by `publicKey` over `message` (RFC 8032 §5.1.7).
  ///
  /// libcrypto refuses S ≥ L, a public key that is no point, and an R whose bytes are not those of the point it
  /// computes, so that R is canonical too; it checks the equation without the cofactor. Refused here, because
  /// libcrypto takes both: a public key whose y is not below p, and the public keys of small order, under which
  /// one signature fits many messages. A signature that has not 64 bytes is not valid.
  /// - Throws: `libraryFailure`, for want of memory.
  package static func isValid(
    signature: Span<UInt8>, message: Span<UInt8>, publicKey: Digest32
  ) throws(CryptoError) -> Bool {
    guard signature.count == signatureByteCount, isAcceptable(publicKey) else { return false }
    return try isAcceptedByLibrary(signature: signature, message: message, publicKey: publicKey)
  }

  /// What libcrypto alone says, which is apart so that tests can show what the rules above add.
  static func isAcceptedByLibrary(
    signature: Span<UInt8>, message: Span<UInt8>, publicKey: Digest32
  ) throws(CryptoError) -> Bool {
    let key = unsafe publicKey.span.withUnsafeBufferPointer {
      unsafe EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, $0.baseAddress, $0.count)
    }
    guard let key = unsafe key else { throw .failed("EVP_PKEY_new_raw_public_key") }
    defer { unsafe EVP_PKEY_free(key) }
    guard let context = unsafe EVP_MD_CTX_new() else { throw .failed("EVP_MD_CTX_new") }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else {
      throw .failed("EVP_DigestVerifyInit")
    }
    let verdict = unsafe signature.withUnsafeBufferPointer { signature in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestVerify(
          context, signature.baseAddress, signature.count, message.baseAddress, message.count)
      }
    }
    ERR_clear_error()
    return verdict == 1
  }

  /// Whether a public key is canonical and not of small order.
  static func isAcceptable(_ publicKey: Digest32) -> Bool {
    var y = publicKey.bytes
    y[31] &= 0x7f  // the sign of x: both signs of a small-order y are of small order
    return !isAtLeastPrime(y) && !smallOrderY.contains(y)
  }

  /// p = 2^255 - 19 in little-endian bytes: ed, thirty times ff, 7f.
  private static func isAtLeastPrime(_ y: [UInt8]) -> Bool {
    y[31] == 0x7f && y[1..<31].allSatisfy { $0 == 0xff } && y[0] >= 0xed
  }

  /// The y of the eight points whose order divides 8, in little-endian bytes. With both signs of x these are
  /// ten encodings; four more, with y = p and y = p + 1, fail for being at least p.
  private static let smallOrderY: [[UInt8]] = [
    [1] + [UInt8](repeating: 0, count: 31),  // order 1: (0, 1)
    [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],  // order 2: (0, -1)
    [UInt8](repeating: 0, count: 32),  // order 4: (±√-1, 0)
    [  // order 8
      0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
      0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
      0x03, 0x7a,
    ],
    [  // order 8, the negative of the one above
      0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
      0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
      0xfc, 0x05,
    ],
  ]
}
