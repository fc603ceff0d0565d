/// 32 public bytes as a value: a SHA-256 digest, a public key, a commitment, a locator. No heap memory.
///
/// The order is that of the bytes. Never for a secret: a value like this leaves copies on the stack.
package struct Digest32: Sendable {
  /// The number of bytes.
  package static let byteCount = 32

  /// The bytes in memory order, eight to a word, so that comparing and hashing work on words.
  private var words: InlineArray<4, UInt64>

  /// Takes 32 bytes.
  /// - Throws: `wrongByteCount` for any other count.
  package init(copying bytes: Span<UInt8>) throws(CryptoError) {
    try CryptoError.check("digest", Digest32.byteCount, bytes.count)
    self.init { output in
      for index in bytes.indices { output[index] = bytes[index] }
    }
  }

  /// Has 32 zero bytes filled in by `fill`, as by `HKDF.expand(_:info:into:)`.
  package init<Failure: Error>(
    filledBy fill: (inout MutableSpan<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    words = .init(repeating: 0)
    var wordSpan = words.mutableSpan
    try unsafe wordSpan.withUnsafeMutableBytes { memory throws(Failure) in
      var bytes = unsafe memory.bindMemory(to: UInt8.self).mutableSpan
      try fill(&bytes)
    }
  }

  /// The bytes, lent.
  package var span: Span<UInt8> {
    @_lifetime(borrow self)
    get { unsafe Span(_bytes: words.span.bytes) }
  }

  /// The bytes, copied.
  package var bytes: [UInt8] {
    let span = span
    return span.indices.map { span[$0] }
  }
}

extension Digest32: Hashable {
  package static func == (left: Digest32, right: Digest32) -> Bool {
    left.words.indices.allSatisfy { left.words[$0] == right.words[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    for index in words.indices { hasher.combine(words[index]) }
  }
}

extension Digest32: Comparable {
  package static func < (left: Digest32, right: Digest32) -> Bool {
    for index in left.words.indices where left.words[index] != right.words[index] {
      return left.words[index].bigEndian < right.words[index].bigEndian
    }
    return false
  }
}
