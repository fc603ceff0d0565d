import Testing
import VaultCrypto

@Suite struct Digest32Tests {
  @Test func bytesComeBackAsTheyWentIn() throws {
    let bytes = [UInt8](1...32)
    let digest = try Digest32(copying: bytes.span)
    #expect(digest.bytes == bytes)
    #expect(digest.span.indices.allSatisfy { digest.span[$0] == bytes[$0] })
  }

  @Test(arguments: [0, 31, 33]) func anyOtherCountIsRefused(count: Int) {
    let bytes = [UInt8](repeating: 7, count: count)
    #expect(throws: CryptoError.wrongByteCount(name: "digest", expected: 32, found: count)) {
      try Digest32(copying: bytes.span)
    }
  }

  @Test(arguments: 0..<32) func orderAndEqualityAreThoseOfTheBytes(position: Int) throws {
    var larger = [UInt8](repeating: 0x80, count: 32)
    let low = try Digest32(copying: larger.span)
    larger[position] = 0x81
    for later in larger.indices.dropFirst(position + 1) { larger[later] = 0 }
    let high = try Digest32(copying: larger.span)
    #expect(low < high)
    #expect(!(high < low))
    #expect(!(low < low))
    #expect(low != high)
    #expect(Set([low, high, low]).count == 2)
  }

  @Test func theBlockFillsWhatIsRead() {
    let digest = Digest32 { output in
      for index in output.indices { output[index] = UInt8(31 - index) }
    }
    #expect(digest.bytes == (0...31).reversed())
  }
}
