import COpenSSL
import Testing
import VaultCrypto
import VaultTestSupport

private struct Vector: KnownAnswer {
  let tcId: Int
  let result: Verdict
  let ikm, salt, info: HexBytes
  let size: Int
  let okm: HexBytes
}

private struct RFCVector: KnownAnswer {
  let tcId: Int
  let result: Verdict
  let ikm, salt, info, prk, okm: HexBytes
}

/// RFC 5869 has no case for SHA-512; Wycheproof's 83 cover that. The three cases for SHA-256 run through the
/// same C function that `HKDF` calls, so they check how it hands over mode, key, salt and info.
@Suite struct HKDFTests {
  @Test func everyWycheproofVectorBehavesAsItsAuthorsSay() throws {
    let vectors = try Vectors<Vector>.load("wycheproof/hkdf_sha512_test.json")
    #expect(vectors.count == 83)
    #expect(vectors.count { $0.result == .invalid } == 3)
    for vector in vectors {
      let key = try SecretBytes(copying: vector.ikm.bytes.span)
      let prk = try HKDF.extract(salt: vector.salt.bytes.span, key: key)
      let prkCount = prk.count
      #expect(prkCount == 64)
      let info = vector.info.bytes
      switch vector.result {
      case .valid:
        let okm = copy(try HKDF.expand(prk, info: info.span, count: vector.size))
        #expect(okm == vector.okm.bytes, "tcId \(vector.tcId)")
        var again = [UInt8](repeating: 0xee, count: vector.size)
        var output = again.mutableSpan
        try HKDF.expand(prk, info: info.span, into: &output)
        #expect(again == okm, "tcId \(vector.tcId)")
      case .invalid:
        #expect(vector.size > HKDF.maximumExpandedByteCount)
        #expect(throws: tooLong(vector.size), "tcId \(vector.tcId)") {
          _ = try HKDF.expand(prk, info: info.span, count: vector.size)
        }
      }
    }
  }

  @Test func theCasesOfRFC5869HoldForSHA256() throws {
    let vectors = try Vectors<RFCVector>.load("hkdf/rfc5869-sha256.json")
    #expect(vectors.count == 3)
    for vector in vectors {
      let prk = sha256(
        EVP_KDF_HKDF_MODE_EXTRACT_ONLY, vector.ikm.bytes, salt: vector.salt.bytes, count: 32)
      #expect(prk == vector.prk.bytes, "case \(vector.tcId)")
      let okm = sha256(
        EVP_KDF_HKDF_MODE_EXPAND_ONLY, vector.prk.bytes, info: vector.info.bytes,
        count: vector.okm.bytes.count)
      #expect(okm == vector.okm.bytes, "case \(vector.tcId)")
    }
  }

  @Test(arguments: [0, 16_321]) func anExpansionOfAnotherLengthIsRefused(count: Int) throws {
    let prk = try SecretBytes(count: 64)
    #expect(throws: tooLong(count)) { _ = try HKDF.expand(prk, info: Span(), count: count) }
    var memory = [UInt8](repeating: 0, count: count)
    #expect(throws: tooLong(count)) {
      var output = memory.mutableSpan
      try HKDF.expand(prk, info: Span(), into: &output)
    }
  }

  private func tooLong(_ count: Int) -> CryptoError {
    .outOfRange(name: "the byte count of an expansion", found: UInt64(count))
  }

  /// The C function, asked for SHA-256; the empty result stands for a refusal.
  private func sha256(
    _ mode: CInt, _ key: [UInt8], salt: [UInt8] = [], info: [UInt8] = [], count: Int
  ) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    let done = unsafe vt_hkdf(
      "SHA256", mode, key, key.count, salt, salt.count, info, info.count, &output, count)
    return done == 1 ? output : []
  }
}
