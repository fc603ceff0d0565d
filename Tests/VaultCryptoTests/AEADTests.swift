import Testing
import VaultCrypto
import VaultTestSupport

private struct Vector: KnownAnswer {
  let tcId: Int
  let result: Verdict
  let key, iv, aad, msg, ct, tag: HexBytes
}

/// Seals into fresh memory.
private func seal(
  _ aead: inout AEAD, nonce: [UInt8], aad: [UInt8] = [], rest: [UInt8] = [], _ plaintext: [UInt8]
) throws(CryptoError) -> [UInt8] {
  var sealed = [UInt8](repeating: 0xee, count: plaintext.count + AEAD.tagByteCount)
  var output = sealed.mutableSpan
  try aead.seal(
    nonce: nonce.span, authenticating: aad.span, and: rest.span, plaintext.span, into: &output)
  return sealed
}

/// Opens into fresh memory.
private func open(
  _ aead: inout AEAD, nonce: [UInt8], aad: [UInt8] = [], rest: [UInt8] = [], _ sealed: [UInt8]
) throws(CryptoError) -> [UInt8] {
  let count = max(0, sealed.count - AEAD.tagByteCount)
  var plaintext = [UInt8](repeating: 0xee, count: count)
  var output = plaintext.mutableSpan
  try aead.open(
    nonce: nonce.span, authenticating: aad.span, and: rest.span, sealed.span, into: &output)
  return plaintext
}

/// A context under a fixed key.
private func makeAEAD(keyByte: UInt8 = 7) throws(CryptoError) -> AEAD {
  var aead = try AEAD()
  let key = [UInt8](repeating: keyByte, count: AEAD.keyByteCount)
  try aead.setKey(key.span)
  return aead
}

private let nonce = [UInt8](1...12)

@Suite struct AEADTests {
  @Test func everyWycheproofVectorBehavesAsItsAuthorsSay() throws {
    let vectors = try Vectors<Vector>.load("wycheproof/aes_gcm_test.json")
    #expect(vectors.count == 66)
    #expect(vectors.count { $0.result == .invalid } == 27)
    var aead = try AEAD()
    for vector in vectors {
      try aead.setKey(vector.key.bytes.span)
      let (nonce, aad) = (vector.iv.bytes, vector.aad.bytes)
      let sealed = vector.ct.bytes + vector.tag.bytes
      var buffer = sealed
      var inPlace = buffer.mutableSpan
      switch vector.result {
      case .valid:
        let made = try seal(&aead, nonce: nonce, aad: aad, vector.msg.bytes)
        #expect(made == sealed, "tcId \(vector.tcId)")
        let opened = try open(&aead, nonce: nonce, aad: aad, sealed)
        #expect(opened == vector.msg.bytes, "tcId \(vector.tcId)")
        try aead.openInPlace(nonce: nonce.span, authenticating: aad.span, &inPlace)
        #expect(Array(buffer.prefix(vector.msg.bytes.count)) == vector.msg.bytes)
      case .invalid:
        #expect(throws: CryptoError.authenticationFailed, "tcId \(vector.tcId)") {
          try open(&aead, nonce: nonce, aad: aad, sealed)
        }
        #expect(throws: CryptoError.authenticationFailed, "tcId \(vector.tcId)") {
          var buffer = sealed
          var span = buffer.mutableSpan
          try aead.openInPlace(nonce: nonce.span, authenticating: aad.span, &span)
        }
      }
    }
  }

  @Test(arguments: [0, 1, 15, 16, 17, 4096], [0, 1, 40]) func whatIsSealedOpens(
    count: Int, aadCount: Int
  ) throws {
    var aead = try makeAEAD()
    let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let aad = [UInt8](repeating: 3, count: aadCount)
    let sealed = try seal(&aead, nonce: nonce, aad: aad, plaintext)
    #expect(sealed.count == count + 16)
    #expect(try open(&aead, nonce: nonce, aad: aad, sealed) == plaintext)
  }

  @Test(arguments: [0, 1, 33]) func sealingInPlaceGivesTheSameBytes(count: Int) throws {
    var aead = try makeAEAD()
    let plaintext = [UInt8](repeating: 9, count: count)
    let sealed = try seal(&aead, nonce: nonce, aad: [1, 2], plaintext)
    var buffer = plaintext + [UInt8](repeating: 0, count: 16)
    var span = buffer.mutableSpan
    let aad: [UInt8] = [1, 2]
    try aead.sealInPlace(nonce: nonce.span, authenticating: aad.span, &span)
    #expect(buffer == sealed)
  }

  @Test(arguments: 0...5) func associatedDataInTwoPartsIsTheirConcatenation(cut: Int) throws {
    var aead = try makeAEAD()
    let aad: [UInt8] = [1, 2, 3, 4, 5]
    let whole = try seal(&aead, nonce: nonce, aad: aad, [42])
    let parts = (first: Array(aad[..<cut]), second: Array(aad[cut...]))
    #expect(try seal(&aead, nonce: nonce, aad: parts.first, rest: parts.second, [42]) == whole)
    #expect(try open(&aead, nonce: nonce, aad: parts.first, rest: parts.second, whole) == [42])
  }

  @Test func anyChangedByteIsFoundAndLeavesNoPlaintext() throws {
    var aead = try makeAEAD()
    let aad = [UInt8](20...29)
    let sealed = try seal(&aead, nonce: nonce, aad: aad, [UInt8](100...119))
    for position in 0..<(sealed.count + aad.count + nonce.count) {
      var (changed, changedAAD, changedNonce) = (sealed, aad, nonce)
      if position < sealed.count {
        changed[position] ^= 1
      } else if position < sealed.count + aad.count {
        changedAAD[position - sealed.count] ^= 0x80
      } else {
        changedNonce[position - sealed.count - aad.count] ^= 4
      }
      var plaintext = [UInt8](repeating: 0xee, count: 20)
      #expect(throws: CryptoError.authenticationFailed, "position \(position)") {
        var output = plaintext.mutableSpan
        try aead.open(
          nonce: changedNonce.span, authenticating: changedAAD.span, changed.span, into: &output)
      }
      #expect(plaintext == [UInt8](repeating: 0, count: 20))
    }
    #expect(try open(&aead, nonce: nonce, aad: aad, sealed) == [UInt8](100...119))
  }

  @Test(arguments: 0..<16) func sealedBytesShorterThanATagAreRefused(count: Int) throws {
    var aead = try makeAEAD()
    let sealed = [UInt8](repeating: 0, count: count)
    #expect(throws: CryptoError.authenticationFailed) { try open(&aead, nonce: nonce, sealed) }
    #expect(throws: CryptoError.authenticationFailed) {
      var buffer = sealed
      var span = buffer.mutableSpan
      try aead.openInPlace(nonce: nonce.span, authenticating: Span(), &span)
    }
    #expect(throws: CryptoError.wrongByteCount(name: "buffer", expected: 16, found: count)) {
      var buffer = sealed
      var span = buffer.mutableSpan
      try aead.sealInPlace(nonce: nonce.span, authenticating: Span(), &span)
    }
  }

  @Test(arguments: [0, 16, 24, 31, 33, 64]) func aKeyOfAnotherLengthIsRefused(count: Int) throws {
    var aead = try AEAD()
    let key = [UInt8](repeating: 1, count: count)
    let expected = CryptoError.wrongByteCount(name: "key", expected: 32, found: count)
    #expect(throws: expected) { try aead.setKey(key.span) }
    let secret = try SecretBytes(copying: key.span)
    #expect(throws: expected) { try aead.setKey(secret) }
  }

  @Test(arguments: [0, 8, 11, 13, 16]) func aNonceOfAnotherLengthIsRefused(count: Int) throws {
    var aead = try makeAEAD()
    let nonce = [UInt8](repeating: 1, count: count)
    let expected = CryptoError.wrongByteCount(name: "nonce", expected: 12, found: count)
    #expect(throws: expected) { try seal(&aead, nonce: nonce, [1]) }
    #expect(throws: expected) {
      try open(&aead, nonce: nonce, [UInt8](repeating: 0, count: 17))
    }
  }

  @Test(arguments: [0, 19, 21]) func anOutputOfAnotherLengthIsRefused(count: Int) throws {
    var aead = try makeAEAD()
    var memory = [UInt8](repeating: 0, count: count)
    let bytes = [UInt8](repeating: 0, count: 36)
    #expect(throws: CryptoError.wrongByteCount(name: "output", expected: 20, found: count)) {
      var output = memory.mutableSpan
      try aead.seal(
        nonce: nonce.span, authenticating: Span(), bytes.span.extracting(..<4), into: &output)
    }
    #expect(throws: CryptoError.wrongByteCount(name: "output", expected: 20, found: count)) {
      var output = memory.mutableSpan
      try aead.open(nonce: nonce.span, authenticating: Span(), bytes.span, into: &output)
    }
  }

  @Test func aNewKeyReplacesTheOldOneInBothDirections() throws {
    var first = try makeAEAD(keyByte: 1)
    var second = try makeAEAD(keyByte: 2)
    let sealed = try seal(&first, nonce: nonce, [5])
    #expect(throws: CryptoError.authenticationFailed) {
      try open(&second, nonce: nonce, sealed)
    }
    let key = [UInt8](repeating: 1, count: 32)
    let secret = try SecretBytes(copying: key.span)
    try second.setKey(secret)
    #expect(try open(&second, nonce: nonce, sealed) == [5])
    #expect(try seal(&second, nonce: nonce, [5]) == sealed)
  }

  @Test func threadsWithAContextEachDoNotDisturbEachOther() async throws {
    var aead = try makeAEAD()
    let expected = try (0..<100).map { try seal(&aead, nonce: nonce, [UInt8($0)]) }
    let results = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var aead = try makeAEAD()
          return try (0..<100).map { try seal(&aead, nonce: nonce, [UInt8($0)]) }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results == [[[UInt8]]](repeating: expected, count: 4))
  }
}
