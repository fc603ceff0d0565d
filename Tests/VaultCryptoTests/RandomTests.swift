import Testing
import VaultCrypto

@Suite struct RandomTests {
  @Test(arguments: [0, 1, 32, 1000]) func asManyBytesComeAsWereAskedFor(count: Int) throws {
    #expect(try Random.bytes(count).count == count)
    let secretCount = try Random.secret(count).count
    #expect(secretCount == count)
  }

  /// Two of 256 bits agree by chance once in 2^256.
  @Test func noTwoResultsAgree() throws {
    var filled = [UInt8](repeating: 0, count: 32)
    var output = filled.mutableSpan
    try Random.fill(&output)
    let results = [
      try Random.bytes(32), try Random.bytes(32), filled, copy(try Random.secret(32)),
      copy(try Random.secret(32)),
    ]
    #expect(Set(results).count == 5)
  }
}
