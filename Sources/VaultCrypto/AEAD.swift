import COpenSSL

/// AES-256-GCM with 12-byte nonces and 16-byte tags (spec §3.4).
///
/// A sealed message is its ciphertext with the tag behind it. Keep one value per worker, set a key per file and
/// seal or open chunk after chunk: no memory is taken after `init`. Several threads use one value each.
/// A (key, nonce) pair MUST NOT seal two messages; keeping it unique is the caller's part.
@safe package struct AEAD: ~Copyable {
  /// Bytes of a key.
  package static let keyByteCount = 32
  /// Bytes of a nonce.
  package static let nonceByteCount = 12
  /// Bytes that sealing adds.
  package static let tagByteCount = 16

  private let encryption: CipherContext
  private let decryption: CipherContext
  private var hasKey = false

  /// Makes a context without a key.
  /// - Throws: `libraryFailure`.
  package init() throws(CryptoError) {
    let encryption = try unsafe CipherContext(EVP_aes_256_gcm(), .encrypting)
    let decryption = try unsafe CipherContext(EVP_aes_256_gcm(), .decrypting)
    self.encryption = encryption
    self.decryption = decryption
  }

  /// Replaces the key.
  /// - Throws: `wrongByteCount` unless the key has 32 bytes; `libraryFailure`.
  package mutating func setKey(_ key: borrowing SecretBytes) throws(CryptoError) {
    try key.withBytes { bytes throws(CryptoError) in try setKey(bytes) }
  }

  /// Replaces the key.
  /// - Throws: `wrongByteCount` unless the key has 32 bytes; `libraryFailure`.
  package mutating func setKey(_ key: Span<UInt8>) throws(CryptoError) {
    try CryptoError.check("key", AEAD.keyByteCount, key.count)
    try encryption.setKey(key)
    try decryption.setKey(key)
    hasKey = true
  }

  // MARK: - Sealing

  /// Seals `plaintext` into `output`, which has exactly 16 bytes more. The associated data is `label` followed
  /// by `rest`, as if they were one: the rest can be large and is not copied.
  /// - Throws: `wrongByteCount` for the nonce or the output; `libraryFailure`.
  package mutating func seal(
    nonce: Span<UInt8>, authenticating label: Span<UInt8>, and rest: Span<UInt8> = Span(),
    _ plaintext: Span<UInt8>, into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    try CryptoError.check("output", plaintext.count + AEAD.tagByteCount, output.count)
    try begin(encryption, nonce, label, rest)
    try unsafe plaintext.withUnsafeBufferPointer { input throws(CryptoError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(CryptoError) in
        try unsafe seal(input.baseAddress, count: input.count, into: output)
      }
    }
  }

  /// Seals the bytes of `buffer` up to its last 16 in place; the last 16 become the tag.
  /// - Throws: `wrongByteCount` for the nonce or a buffer under 16 bytes; `libraryFailure`.
  package mutating func sealInPlace(
    nonce: Span<UInt8>, authenticating label: Span<UInt8>, and rest: Span<UInt8> = Span(),
    _ buffer: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    let count = try AEAD.plaintextCount(buffer.count)
    try begin(encryption, nonce, label, rest)
    try unsafe buffer.withUnsafeMutableBufferPointer { buffer throws(CryptoError) in
      try unsafe seal(UnsafePointer(buffer.baseAddress), count: count, into: buffer)
    }
  }

  private func seal(
    _ input: UnsafePointer<UInt8>?, count: Int, into output: UnsafeMutableBufferPointer<UInt8>
  ) throws(CryptoError) {
    try unsafe encryption.transform(input, count: count, into: output.baseAddress)
    guard encryption.finish() else { throw .failed("EVP_CipherFinal_ex") }
    let tag = unsafe output.baseAddress.map { unsafe $0 + count }
    let tagCount = CInt(AEAD.tagByteCount)
    guard
      unsafe EVP_CIPHER_CTX_ctrl(encryption.pointer, EVP_CTRL_AEAD_GET_TAG, tagCount, tag) == 1
    else { throw .failed("EVP_CIPHER_CTX_ctrl") }
  }

  // MARK: - Opening

  /// Opens `sealed` into `output`, which has exactly 16 bytes less. On a failure `output` holds zeros.
  /// - Throws: `authenticationFailed` when anything is not what was sealed, also a `sealed` under 16 bytes;
  ///   `wrongByteCount` for the nonce or the output; `libraryFailure`.
  package mutating func open(
    nonce: Span<UInt8>, authenticating label: Span<UInt8>, and rest: Span<UInt8> = Span(),
    _ sealed: Span<UInt8>, into output: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    guard sealed.count >= AEAD.tagByteCount else { throw .authenticationFailed }
    try CryptoError.check("output", sealed.count - AEAD.tagByteCount, output.count)
    try begin(decryption, nonce, label, rest)
    try unsafe sealed.withUnsafeBufferPointer { sealed throws(CryptoError) in
      try unsafe output.withUnsafeMutableBufferPointer { output throws(CryptoError) in
        try unsafe open(sealed, into: output.baseAddress)
      }
    }
  }

  /// Opens `buffer` in place: its bytes up to the last 16 become the plaintext. On a failure they are zeros.
  /// - Throws: `authenticationFailed` when anything is not what was sealed, also a buffer under 16 bytes;
  ///   `wrongByteCount` for the nonce; `libraryFailure`.
  package mutating func openInPlace(
    nonce: Span<UInt8>, authenticating label: Span<UInt8>, and rest: Span<UInt8> = Span(),
    _ buffer: inout MutableSpan<UInt8>
  ) throws(CryptoError) {
    guard buffer.count >= AEAD.tagByteCount else { throw .authenticationFailed }
    try begin(decryption, nonce, label, rest)
    try unsafe buffer.withUnsafeMutableBufferPointer { buffer throws(CryptoError) in
      try unsafe open(UnsafeBufferPointer(buffer), into: buffer.baseAddress)
    }
  }

  private func open(
    _ sealed: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>?
  ) throws(CryptoError) {
    let count = sealed.count - AEAD.tagByteCount
    do throws(CryptoError) {
      try unsafe decryption.transform(sealed.baseAddress, count: count, into: output)
      let tag = unsafe UnsafeMutablePointer(mutating: sealed.baseAddress).map { unsafe $0 + count }
      let tagCount = CInt(AEAD.tagByteCount)
      guard
        unsafe EVP_CIPHER_CTX_ctrl(decryption.pointer, EVP_CTRL_AEAD_SET_TAG, tagCount, tag) == 1
      else { throw .failed("EVP_CIPHER_CTX_ctrl") }
      guard decryption.finish() else { throw .authenticationFailed }
    } catch {
      if let output = unsafe output { unsafe OPENSSL_cleanse(output, count) }
      throw error
    }
  }

  // MARK: - Both

  private func begin(
    _ context: borrowing CipherContext, _ nonce: Span<UInt8>, _ label: Span<UInt8>,
    _ rest: Span<UInt8>
  ) throws(CryptoError) {
    precondition(hasKey, "an AEAD needs a key before its first message")
    try CryptoError.check("nonce", AEAD.nonceByteCount, nonce.count)
    try context.start(nonce: nonce)
    try context.authenticate(label)
    try context.authenticate(rest)
  }

  private static func plaintextCount(_ sealedCount: Int) throws(CryptoError) -> Int {
    guard sealedCount >= tagByteCount else {
      throw .wrongByteCount(name: "buffer", expected: tagByteCount, found: sealedCount)
    }
    return sealedCount - tagByteCount
  }
}

/// Safe to hand to another thread: the contexts have one owner, and every use is exclusive.
extension AEAD: @unchecked Sendable {}
