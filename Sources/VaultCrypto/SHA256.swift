import COpenSSL

/// SHA-256 of bytes that lie in one piece.
package enum SHA256 {
  /// The digest of `bytes`.
  /// - Throws: `libraryFailure`.
  package static func digest(_ bytes: Span<UInt8>) throws(CryptoError) -> Digest32 {
    var hasher = try SHA256Hasher()
    try hasher.update(bytes)
    return try hasher.finish()
  }
}

/// SHA-256 of bytes that come in pieces. After `finish` it begins anew: keep one per worker.
package struct SHA256Hasher: ~Copyable {
  private let context: DigestContext

  /// Begins a hash.
  /// - Throws: `libraryFailure`.
  package init() throws(CryptoError) { context = try unsafe DigestContext(EVP_sha256()) }

  /// Adds `bytes` at the end.
  /// - Throws: `libraryFailure`.
  package mutating func update(_ bytes: Span<UInt8>) throws(CryptoError) {
    try context.update(bytes)
  }

  /// The digest of everything added since the start or the last `finish`.
  /// - Throws: `libraryFailure`.
  package mutating func finish() throws(CryptoError) -> Digest32 {
    try Digest32 { output throws(CryptoError) in try context.finish(into: &output) }
  }
}

/// Safe to hand to another thread: the context has one owner, and every use is exclusive.
extension SHA256Hasher: @unchecked Sendable {}
