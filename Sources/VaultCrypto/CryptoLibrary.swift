import COpenSSL

/// The state of libcrypto in this process.
package enum CryptoLibrary {
  /// Prepares libcrypto without reading its configuration file, which makes the first use quicker and keeps
  /// `OPENSSL_CONF` from changing what the algorithms do. Call it before any other use; again is harmless.
  /// - Throws: `libraryFailure`.
  package static func initialize() throws(CryptoError) {
    guard OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1 else {
      throw .failed("OPENSSL_init_crypto")
    }
  }
}
