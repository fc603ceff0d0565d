import COpenSSL

/// An `EVP_MD_CTX`: a running hash, freed when the value's life ends.
@safe struct DigestContext: ~Copyable {
  private let pointer: OpaquePointer

  init(_ digest: OpaquePointer) throws(CryptoError) {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .failed("EVP_MD_CTX_new") }
    guard unsafe EVP_DigestInit_ex2(context, digest, nil) == 1 else {
      unsafe EVP_MD_CTX_free(context)
      throw .failed("EVP_DigestInit_ex2")
    }
    unsafe pointer = context
  }

  deinit { unsafe EVP_MD_CTX_free(pointer) }

  func update(_ bytes: Span<UInt8>) throws(CryptoError) {
    let done = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_DigestUpdate(pointer, $0.baseAddress, $0.count)
    }
    guard done == 1 else { throw .failed("EVP_DigestUpdate") }
  }

  /// Writes the digest and begins anew. The caller has checked the count of `output`.
  func finish(into output: inout MutableSpan<UInt8>) throws(CryptoError) {
    let done = unsafe output.withUnsafeMutableBufferPointer {
      unsafe EVP_DigestFinal_ex(pointer, $0.baseAddress, nil)
    }
    guard done == 1 else { throw .failed("EVP_DigestFinal_ex") }
    guard unsafe EVP_DigestInit_ex2(pointer, nil, nil) == 1 else {
      throw .failed("EVP_DigestInit_ex2")
    }
  }
}
