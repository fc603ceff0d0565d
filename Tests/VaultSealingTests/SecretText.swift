import VaultCrypto

/// Ways for tests to put known bytes into secret memory and to look at them there.
extension SecretBytes {
  /// A secret that a test knows.
  init(known bytes: [UInt8]) throws(CryptoError) { try self.init(copying: bytes.span) }

  /// The bytes, copied out.
  var copied: [UInt8] { withBytes { span in span.indices.map { span[$0] } } }

  /// The bytes as text.
  var text: String { String(decoding: copied, as: UTF8.self) }
}
