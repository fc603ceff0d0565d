import Testing
import VaultCrypto

@Suite struct CryptoErrorTests {
  @Test(arguments: [
    (CryptoError.authenticationFailed, "the sealed bytes do not authenticate"),
    (
      .wrongByteCount(name: "key", expected: 32, found: 31),
      "key has 31 bytes where 32 are needed"
    ),
    (.outOfRange(name: "the iteration count", found: 0), "the iteration count cannot be 0"),
    (.libraryFailure(call: "RAND_bytes"), "libcrypto's RAND_bytes failed"),
    (.memoryUnavailable(code: 12), "no memory for a secret (error 12)"),
  ]) func descriptionsSayWhatAndNeverWhichBytes(error: CryptoError, text: String) {
    #expect(String(describing: error) == text)
    #expect("\(error)" == text)
  }

  @Test func theLibraryCanBePreparedTwice() throws {
    try CryptoLibrary.initialize()
    try CryptoLibrary.initialize()
    #expect(try SHA256.digest(Span()).bytes.first == 0xe3)
  }
}
