import Testing
import VaultCrypto
import VaultTestSupport

private struct Vector: KnownAnswer {
  let tcId: Int
  let result: Verdict
  let key, msg, tag: HexBytes
}

@Suite struct HMACSHA512Tests {
  @Test func everyWycheproofVectorBehavesAsItsAuthorsSay() throws {
    let vectors = try Vectors<Vector>.load("wycheproof/hmac_sha512_test.json")
    #expect(vectors.count == 174)
    #expect(vectors.count { $0.result == .invalid } == 108)
    #expect(vectors.count { $0.tag.bytes.count == 32 } == 87, "truncated tags are prefixes")
    for vector in vectors {
      let (key, message, tag) = (vector.key.bytes, vector.msg.bytes, vector.tag.bytes)
      var mac = [UInt8](repeating: 0, count: HMACSHA512.byteCount)
      var output = mac.mutableSpan
      try HMACSHA512.authenticate(key: key.span, message: message.span, into: &output)
      let isEqual = ConstantTime.areEqual(mac.span.extracting(..<tag.count), tag.span)
      #expect(isEqual == (vector.result == .valid), "tcId \(vector.tcId)")
      let secret = try SecretBytes(copying: message.span)
      #expect(copy(try HMACSHA512.authenticate(key: key.span, message: secret)) == mac)
    }
  }

  @Test(arguments: [0, 63, 65]) func anOutputOfAnotherLengthIsRefused(count: Int) {
    var memory = [UInt8](repeating: 0, count: count)
    #expect(throws: CryptoError.wrongByteCount(name: "output", expected: 64, found: count)) {
      var output = memory.mutableSpan
      try HMACSHA512.authenticate(key: Span(), message: Span(), into: &output)
    }
  }

  @Test func anEmptyKeyAndAnEmptyMessageWork() throws {
    let secret = try SecretBytes(count: 0)
    let mac = copy(try HMACSHA512.authenticate(key: Span(), message: secret))
    // python3 -c 'import hmac; print(hmac.new(b"", b"", "sha512").hexdigest())'
    #expect(
      mac.hex == """
        b936cee86c9f87aa5d3c6f2e84cb5a4239a5fe50480a6ec66b70ab5b1f4ac673\
        0c6c515421b327ec1d69402e53dfb49ad7381eb067b338fd7b0cb22247225d47
        """)
  }
}
