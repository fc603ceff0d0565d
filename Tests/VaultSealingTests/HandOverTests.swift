import Testing
import VaultCrypto
import VaultFormat

@testable import VaultSealing

struct HandOverTests {
  private static let vaultID = VaultID(high: 3, low: 4)

  private static func masterKey(_ byte: UInt8) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](repeating: byte, count: 32).span)
  }

  private static func keys(_ byte: UInt8) throws -> CompartmentKeys {
    try CompartmentKeys(masterKey: masterKey(byte), vaultID: vaultID)
  }

  /// A hand-over without entries.
  private static func seal(
    _ predecessors: [Predecessor], by keys: borrowing CompartmentKeys
  ) throws -> SealedSegment {
    var compressor = try ZstdCompressor(level: 3)
    return try SegmentSealing.seal(
      SegmentLists(parents: [], replaces: [], excuses: [], entries: []), [], keys: keys,
      vaultDigest: TestSegment.vaultDigest, salt: Salt(5, 6, 7, 8),
      nonce: Nonce(high: 9, low: 10), predecessors: predecessors, compressingWith: &compressor)
  }

  /// What the compartment of the first byte says when that of the second takes over.
  private static func predecessor(_ old: UInt8, to new: UInt8) throws -> Predecessor {
    try HandOver.predecessor(
      keys(old), masterKey: masterKey(old), to: keys(new), nonce: Nonce(high: 1, low: UInt64(old)))
  }

  @Test func theNewOwnerOpensTheOldKey() throws {
    let sealed = try Self.seal([Self.predecessor(1, to: 2)], by: Self.keys(2))
    let head = sealed.segment.file.head
    #expect(head.features == [1])
    #expect(head.predecessors.map(\.signer) == [try Self.keys(1).signer])
    let opened = try HandOver.masterKey(of: head.predecessors[0], keys: Self.keys(2))
    #expect(opened.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == 1 } })
    let again = try SegmentOpening.verify(sealed.bytes.span, vaultID: Self.vaultID)
    #expect(again == sealed.segment)
  }

  @Test func aLineOfHandOversIsCheckedFromTheLastOne() throws {
    let first = try Self.predecessor(1, to: 2)
    let restated = try HandOver.restated(
      first.signer, signature: first.signature, masterKey: Self.masterKey(1), in: Self.keys(3),
      nonce: Nonce(high: 1, low: 1))
    let line = [restated, try Self.predecessor(2, to: 3)]
    let sealed = try Self.seal(line, by: Self.keys(3))
    for (number, byte) in [UInt8(1), 2].enumerated() {
      let opened = try HandOver.masterKey(
        of: sealed.segment.file.head.predecessors[number], keys: Self.keys(3))
      #expect(opened.withBytes { $0[0] } == byte)
    }
    #expect(throws: SealingError.handOverInvalid(predecessor: 0)) {
      try Self.seal(line.reversed(), by: Self.keys(3))
    }
  }

  @Test func onlyTheOldKeyHandsOver() throws {
    let honest = try Self.predecessor(1, to: 2)
    // The statement names another successor than the segment's signer.
    #expect(throws: SealingError.handOverInvalid(predecessor: 0)) {
      try Self.seal([honest], by: Self.keys(4))
    }
    for index in [0, 31, 32, 63] {
      var signature = honest.signature
      signature[index] ^= 1
      let forged = try Predecessor(signer: honest.signer, signature: signature, box: honest.box)
      #expect(throws: SealingError.handOverInvalid(predecessor: 0)) {
        try Self.seal([forged], by: Self.keys(2))
      }
    }
  }

  @Test func anotherOwnerOpensNothing() throws {
    let predecessor = try Self.predecessor(1, to: 2)
    #expect(throws: SealingError.boxNotAuthentic) {
      _ = try HandOver.masterKey(of: predecessor, keys: Self.keys(4))
    }
    for index in predecessor.box.indices {
      var box = predecessor.box
      box[index] ^= 0x80
      let damaged = try Predecessor(
        signer: predecessor.signer, signature: predecessor.signature, box: box)
      #expect(throws: SealingError.boxNotAuthentic) {
        _ = try HandOver.masterKey(of: damaged, keys: Self.keys(2))
      }
    }
  }

  @Test func aKeyOfAnotherSignerIsRefused() throws {
    let honest = try Self.predecessor(1, to: 2)
    let other = try HandOver.restated(
      honest.signer, signature: honest.signature, masterKey: Self.masterKey(5), in: Self.keys(2),
      nonce: Nonce(high: 1, low: 1))
    #expect(throws: SealingError.signerDoesNotFit(compartment: try Self.keys(5).compartmentID)) {
      _ = try HandOver.masterKey(of: other, keys: Self.keys(2))
    }
  }

  @Test func noSignerStandsTwice() throws {
    let predecessor = try Self.predecessor(1, to: 2)
    #expect(throws: SealingError.format(.repeatedSigner(offset: 0))) {
      try Self.seal([predecessor, predecessor], by: Self.keys(2))
    }
    #expect(throws: SealingError.format(.repeatedSigner(offset: 0))) {
      try Self.seal([Self.predecessor(2, to: 2)], by: Self.keys(2))
    }
  }

  @Test func sixteenPredecessorsAreTheMost() throws {
    let one = try Self.predecessor(1, to: 2)
    let many = try (0..<17).map { number in
      try Predecessor(
        signer: SignerKey(UInt64(number), 0, 0, 1), signature: one.signature, box: one.box)
    }
    #expect(
      throws: SealingError.format(
        .wrongItemCount(field: "predecessors", offset: 0, allowed: 1...16, found: 17))
    ) { try Self.seal(many, by: Self.keys(2)) }
    // Sixteen fit into the public map; that nobody signed for these is found after that.
    #expect(throws: SealingError.handOverInvalid(predecessor: 0)) {
      try Self.seal(Array(many.prefix(16)), by: Self.keys(2))
    }
  }
}
