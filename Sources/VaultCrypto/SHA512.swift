import COpenSSL

/// SHA-512 of bytes that lie in one piece.
package enum SHA512 {
  /// Bytes of a digest.
  package static let byteCount = 64

  /// The 64-byte digest of `bytes`.
  /// - Throws: `libraryFailure`.
  package static func digest(_ bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    var hasher = try SHA512Hasher()
    try hasher.update(bytes)
    return try hasher.finish()
  }
}

/// SHA-512 of bytes that come in pieces. After `finish` it begins anew.
package struct SHA512Hasher: ~Copyable {
  private let context: DigestContext

  /// Begins a hash.
  /// - Throws: `libraryFailure`.
  package init() throws(CryptoError) { context = try unsafe DigestContext(EVP_sha512()) }

  /// Adds `bytes` at the end.
  /// - Throws: `libraryFailure`.
  package mutating func update(_ bytes: Span<UInt8>) throws(CryptoError) {
    try context.update(bytes)
  }

  /// The 64-byte digest of everything added since the start or the last `finish`.
  /// - Throws: `libraryFailure`.
  package mutating func finish() throws(CryptoError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: SHA512.byteCount)
    var output = digest.mutableSpan
    try context.finish(into: &output)
    return digest
  }
}

/// Safe to hand to another thread: the context has one owner, and every use is exclusive.
extension SHA512Hasher: @unchecked Sendable {}
