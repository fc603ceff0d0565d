import Testing
import VaultTestSupport

@testable import VaultCrypto

private struct Vector: KnownAnswer {
  let tcId: Int
  let result: Verdict
  let password, salt: HexBytes
  let iterationCount: UInt32
  let dk: HexBytes
}

@Suite struct PBKDF2Tests {
  @Test func everyWycheproofVectorHolds() throws {
    let vectors = try Vectors<Vector>.load("wycheproof/pbkdf2_hmacsha512_test.json")
    #expect(vectors.count == 58)
    try check(vectors)
  }

  @Test func theCasesInTheStyleOfRFC6070Hold() throws {
    let vectors = try Vectors<Vector>.load("pbkdf2/rfc6070-style.json")
    #expect(vectors.count == 9)
    let quick = vectors.filter { $0.iterationCount <= 80_000 }
    #expect(quick.count == 8)
    try check(quick)
  }

  #if !DEBUG  // one derivation of 16,777,216 iterations takes some 14 seconds
    @Test func theLongCaseInTheStyleOfRFC6070Holds() throws {
      let vectors = try Vectors<Vector>.load("pbkdf2/rfc6070-style.json")
      let long = vectors.filter { $0.iterationCount > 80_000 }
      #expect(long.map(\.iterationCount) == [16_777_216])
      try check(long)
    }
  #endif

  @Test func aSecondImplementationAgreesAtTheCountsOfAVault() throws {
    let vectors = try Vectors<Vector>.load("pbkdf2/high-iterations.json")
    #expect(Set(vectors.map(\.iterationCount)) == [600_000, 800_000])
    try check(vectors)
    for vector in vectors {
      let password = try SecretBytes(copying: vector.password.bytes.span)
      let derived = try PBKDF2.derive(
        password: password, salt: vector.salt.bytes.span, iterations: vector.iterationCount)
      #expect(copy(derived) == vector.dk.bytes, "tcId \(vector.tcId)")
    }
  }

  @Test(arguments: [0, UInt32(Int32.max) + 1, UInt32.max])
  func anIterationCountThatTheLibraryCannotTakeIsRefused(iterations: UInt32) throws {
    let password = try SecretBytes(count: 8)
    let expected = CryptoError.outOfRange(
      name: "the iteration count", found: UInt64(iterations))
    #expect(throws: expected) {
      _ = try PBKDF2.derive(password: password, salt: Span(), iterations: iterations)
    }
  }

  /// Derives each with an output as long as the vector's.
  private func check(_ vectors: [Vector]) throws {
    for vector in vectors {
      #expect(vector.result == .valid)
      let password = try SecretBytes(copying: vector.password.bytes.span)
      var derived = [UInt8](repeating: 0, count: vector.dk.bytes.count)
      var output = derived.mutableSpan
      try PBKDF2.derive(
        password: password, salt: vector.salt.bytes.span, iterations: vector.iterationCount,
        into: &output)
      #expect(derived == vector.dk.bytes, "tcId \(vector.tcId)")
    }
  }
}
