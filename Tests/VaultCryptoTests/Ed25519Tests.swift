import Testing
import VaultTestSupport

@testable import VaultCrypto

private struct Vector: KnownAnswer {
  let tcId: Int
  let result: Verdict
  let publicKey, msg, sig: HexBytes
}

@Suite struct Ed25519Tests {
  @Test func everyWycheproofVectorBehavesAsItsAuthorsSay() throws {
    let vectors = try Vectors<Vector>.load("wycheproof/ed25519_test.json")
    #expect(vectors.count == 151)
    #expect(vectors.count { $0.result == .invalid } == 63)
    for vector in vectors {
      let publicKey = try Digest32(copying: vector.publicKey.bytes.span)
      let isValid = try Ed25519.isValid(
        signature: vector.sig.bytes.span, message: vector.msg.bytes.span, publicKey: publicKey)
      #expect(isValid == (vector.result == .valid), "tcId \(vector.tcId)")
    }
  }

  /// RFC 8032 §7.1, tests 1 to 3.
  @Test(arguments: [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      """
      e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555\
      fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
      """
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      """
      92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da0\
      85ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
      """
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      """
      6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac1\
      8ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
      """
    ),
  ]) func signaturesAreThoseOfTheRFC(
    seed: String, publicKey: String, message: String, signature: String
  ) throws {
    let seedBytes = try [UInt8](hex: seed)
    let messageBytes = try [UInt8](hex: message)
    let secret = try SecretBytes(copying: seedBytes.span)
    let key = try Ed25519.SigningKey(seed: secret)
    let foundKey = key.publicKey
    let foundSignature = try key.sign(messageBytes.span)
    #expect(foundKey.bytes.hex == publicKey)
    #expect(foundSignature.hex == signature)
  }

  @Test(arguments: [0, 31, 33]) func aSeedOfAnotherLengthIsRefused(count: Int) throws {
    let seed = try SecretBytes(count: count)
    #expect(throws: CryptoError.wrongByteCount(name: "seed", expected: 32, found: count)) {
      _ = try Ed25519.SigningKey(seed: seed)
    }
  }

  @Test func anyChangedByteMakesASignatureInvalid() throws {
    let seed = try SecretBytes(count: 32)
    let key = try Ed25519.SigningKey(seed: seed)
    let publicKey = key.publicKey
    let message = [UInt8](1...10)
    let signature = try key.sign(message.span)
    func isValid(_ signature: [UInt8], _ message: [UInt8], _ key: Digest32) throws -> Bool {
      try Ed25519.isValid(signature: signature.span, message: message.span, publicKey: key)
    }
    #expect(try isValid(signature, message, publicKey))
    for position in signature.indices {
      var changed = signature
      changed[position] ^= 1
      #expect(try !isValid(changed, message, publicKey), "signature byte \(position)")
    }
    for position in message.indices {
      var changed = message
      changed[position] ^= 0x80
      #expect(try !isValid(signature, changed, publicKey), "message byte \(position)")
    }
    for position in 0..<32 {
      var changed = publicKey.bytes
      changed[position] ^= 1
      let other = try Digest32(copying: changed.span)
      #expect(try !isValid(signature, message, other), "key byte \(position)")
    }
    #expect(try !isValid([], message, publicKey))
    #expect(try !isValid(signature.dropLast(), message, publicKey))
    #expect(try !isValid(signature + [0], message, publicKey))
  }
}
