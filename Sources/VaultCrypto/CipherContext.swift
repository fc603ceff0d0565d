import COpenSSL

/// An `EVP_CIPHER_CTX`: one cipher, one direction, freed and wiped when the value's life ends.
@safe struct CipherContext: ~Copyable {
  let pointer: OpaquePointer
  private let direction: CInt

  enum Direction: CInt {
    case decrypting = 0
    case encrypting = 1
  }

  init(_ cipher: OpaquePointer, _ direction: Direction) throws(CryptoError) {
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .failed("EVP_CIPHER_CTX_new") }
    guard unsafe EVP_CipherInit_ex2(context, cipher, nil, nil, direction.rawValue, nil) == 1 else {
      unsafe EVP_CIPHER_CTX_free(context)
      throw .failed("EVP_CipherInit_ex2")
    }
    unsafe pointer = context
    self.direction = direction.rawValue
  }

  deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

  /// Sets the key and leaves the nonce to `start`. The caller has checked the count.
  func setKey(_ key: Span<UInt8>) throws(CryptoError) {
    let done = unsafe key.withUnsafeBufferPointer {
      unsafe EVP_CipherInit_ex2(pointer, nil, $0.baseAddress, nil, direction, nil)
    }
    guard done == 1 else { throw .failed("EVP_CipherInit_ex2") }
  }

  /// Begins a message under the key set before. The caller has checked the count.
  func start(nonce: Span<UInt8>) throws(CryptoError) {
    let done = unsafe nonce.withUnsafeBufferPointer {
      unsafe EVP_CipherInit_ex2(pointer, nil, nil, $0.baseAddress, direction, nil)
    }
    guard done == 1 else { throw .failed("EVP_CipherInit_ex2") }
  }

  /// Feeds associated data; libcrypto reads a null output as that.
  func authenticate(_ bytes: Span<UInt8>) throws(CryptoError) {
    guard !bytes.isEmpty else { return }
    let count = try CryptoError.count(bytes.count, of: "the associated data")
    var written: CInt = 0
    let done = unsafe bytes.withUnsafeBufferPointer {
      unsafe EVP_CipherUpdate(pointer, nil, &written, $0.baseAddress, count)
    }
    guard done == 1 else { throw .failed("EVP_CipherUpdate") }
  }

  /// Runs `count` bytes from `input` to `output`, which may be the same address. Nothing is fed when `count`
  /// is 0: an empty buffer may have a null address, which would mean something else.
  func transform(
    _ input: UnsafePointer<UInt8>?, count: Int, into output: UnsafeMutablePointer<UInt8>?
  ) throws(CryptoError) {
    guard count > 0 else { return }
    let narrow = try CryptoError.count(count, of: "a message")
    var written: CInt = 0
    guard unsafe EVP_CipherUpdate(pointer, output, &written, input, narrow) == 1, written == narrow
    else { throw .failed("EVP_CipherUpdate") }
  }

  /// Ends the message; false where the tag given before does not fit.
  func finish() -> Bool {
    var nothing: UInt8 = 0
    var written: CInt = 0
    return unsafe EVP_CipherFinal_ex(pointer, &nothing, &written) == 1
  }
}
