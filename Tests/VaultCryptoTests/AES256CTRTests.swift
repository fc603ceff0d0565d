import Testing
import VaultCrypto
import VaultTestSupport

@Suite struct AES256CTRTests {
  /// NIST's counter-mode example (SP 800-38A F.5.5) starts at another counter, so the first three blocks under
  /// the zero key are pieced together from test cases 13 and 14 of the GCM specification (McGrew and Viega):
  /// the hash key H is block 0, the tag of case 13 block 1, the ciphertext of case 14 block 2. The other key
  /// is the first of NIST's AESAVS KeySbox set; `openssl enc -aes-256-ctr` with a zero IV gives the same.
  @Test(arguments: [
    (
      String(repeating: "00", count: 32),
      """
      dc95c078a2408989ad48a21492842087530f8afbc74536b9a963b4f1c4cb738b\
      cea7403d4d606b6e074ec5d3baf39d18
      """
    ),
    (
      "c47b0294dbbbee0fec4757f22ffeee3587ca4730c3d33b691df38bab076bc558",
      "46f2fb342d6f0ab477476fc501242c5f"
    ),
  ]) func theKeyStreamIsThePublishedOne(key: String, stream: String) throws {
    let key = try [UInt8](hex: key)
    for count in 0...(stream.utf8.count / 2) {
      var bytes = [UInt8](repeating: 0, count: count)
      var span = bytes.mutableSpan
      try AES256CTR.xor(key: key.span, with: &span)
      #expect(bytes.hex == stream.prefix(2 * count))
    }
  }

  @Test func applyingItTwiceGivesTheBytesBack() throws {
    let key = [UInt8](0..<32)
    let original = [UInt8](0...255)
    var bytes = original
    for expectsOriginal in [false, true] {
      var span = bytes.mutableSpan
      try AES256CTR.xor(key: key.span, with: &span)
      #expect((bytes == original) == expectsOriginal)
    }
  }

  @Test(arguments: [0, 16, 31, 33]) func aKeyOfAnotherLengthIsRefused(count: Int) {
    let key = [UInt8](repeating: 0, count: count)
    #expect(throws: CryptoError.wrongByteCount(name: "key", expected: 32, found: count)) {
      var bytes: [UInt8] = [1]
      var span = bytes.mutableSpan
      try AES256CTR.xor(key: key.span, with: &span)
    }
  }
}
