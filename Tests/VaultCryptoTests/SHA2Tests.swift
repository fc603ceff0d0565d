import Testing
import VaultCrypto
import VaultTestSupport

/// The messages of NIST's worked examples for SHA-2, and the empty one.
private let examples = [
  (
    "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    """
    cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
    47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
    """
  ),
  (
    "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    """
    ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
    2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
    """
  ),
  (
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    """
    204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335\
    96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445
    """
  ),
]

@Suite struct SHA2Tests {
  @Test(arguments: examples) func theExamplesOfTheStandardHold(
    message: String, sha256: String, sha512: String
  ) throws {
    let bytes = [UInt8](message.utf8)
    #expect(try SHA256.digest(bytes.span).bytes.hex == sha256)
    #expect(try SHA512.digest(bytes.span).hex == sha512)
  }

  @Test(arguments: [0, 1, 64, 127, 200]) func piecesHashLikeTheWhole(cut: Int) throws {
    let bytes = [UInt8](0..<200)
    var short = try SHA256Hasher()
    var long = try SHA512Hasher()
    try short.update(bytes.span.extracting(..<cut))
    try short.update(bytes.span.extracting(cut...))
    try long.update(bytes.span.extracting(..<cut))
    try long.update(bytes.span.extracting(cut...))
    #expect(try short.finish() == SHA256.digest(bytes.span))
    #expect(try long.finish() == SHA512.digest(bytes.span))
  }

  @Test func aFinishedHasherBeginsAnew() throws {
    let bytes: [UInt8] = [1, 2, 3]
    var short = try SHA256Hasher()
    var long = try SHA512Hasher()
    for _ in 0..<2 {
      try short.update(bytes.span)
      try long.update(bytes.span)
      #expect(try short.finish() == SHA256.digest(bytes.span))
      #expect(try long.finish() == SHA512.digest(bytes.span))
    }
    #expect(try short.finish() == SHA256.digest(Span()))
  }
}
