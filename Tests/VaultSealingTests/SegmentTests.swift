import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct SegmentTests {
  // MARK: - Round trips

  @Test(arguments: [0, 1, 2, 15, 16, 100])
  func everyNumberOfEntriesComesBack(count: Int) throws {
    let keys = try Known.compartment()
    let (lists, items) = try TestSegment.notes(count)
    let sealed = try TestSegment.seal(lists, items, keys: keys)
    #expect(sealed.segment.lists == lists)
    #expect(try TestSegment.open(sealed.bytes, keys: keys).items == items)
    let id = Digest(try SHA256.digest(sealed.bytes.span)).segmentID
    #expect(sealed.segment.id == id)
  }

  @Test func bodyIsCompressedFromSixteenEntriesUp() throws {
    let keys = try Known.compartment()
    let counts = try [15, 16].map { count in
      let (lists, items) = try TestSegment.notes(count)
      return try TestSegment.seal(lists, items, keys: keys).segment.file.head.boxByteCount
    }
    #expect(counts[1] < counts[0] / 2)
  }

  @Test func bodyThatDoesNotShrinkIsStoredPlain() throws {
    let keys = try Known.compartment()
    let entries = try (0..<16).map { index in
      try IndexEntry(
        id: .slot(Locator(0, 0, 0, UInt64(index))),
        states: [.file(Digest(1, 1, 1, 1), byteCount: 300)], over: [], placeVersion: 0,
        laterKeys: LaterKeys())
    }
    let lists = try SegmentLists(parents: [], replaces: [], excuses: [], entries: entries)
    let sealed = try TestSegment.seal(lists, [], keys: keys)
    #expect(try TestSegment.open(sealed.bytes, keys: keys).items.isEmpty)
    #expect(sealed.segment.file.head.boxByteCount == 192 + Limits.boxOverhead)
  }

  // MARK: - Keyless

  @Test func everyFlippedByteOfASegmentIsRefusedWithoutAKey() throws {
    let keys = try Known.compartment()
    let (lists, items) = try TestSegment.notes(1)
    let sealed = try TestSegment.seal(lists, items, keys: keys)
    for index in sealed.bytes.indices {
      var bytes = sealed.bytes
      bytes[index] ^= 0x04
      do throws(SealingError) {
        _ = try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
        Issue.record("verified with byte \(index) flipped")
      } catch {
        switch error {
        case .format, .signerDoesNotFit:
          #expect(sealed.segment.file.prefixRange.contains(index))
        case .signatureInvalid: break
        default: Issue.record("\(error) for byte \(index)")
        }
      }
    }
  }

  @Test func everyTruncationAndAnyByteBehindAreRefused() throws {
    let keys = try Known.compartment()
    let (lists, items) = try TestSegment.notes(1)
    let bytes = try TestSegment.seal(lists, items, keys: keys).bytes
    for count in bytes.indices {
      let cut = Array(bytes[..<count])
      do throws(SealingError) {
        _ = try SegmentOpening.verify(cut.span, vaultID: keys.vaultID)
        Issue.record("verified \(count) bytes")
      } catch {
        guard case .format = error else {
          Issue.record("\(error) for \(count) bytes")
          continue
        }
      }
    }
    #expect(throws: SealingError.format(.trailingBytes(offset: bytes.count))) {
      try SegmentOpening.verify((bytes + [0]).span, vaultID: keys.vaultID)
    }
  }

  @Test func signerOfAnotherCompartmentOrVaultIsRefused() throws {
    let keys = try Known.compartment()
    let masterKey = try SecretBytes(count: 32)
    let stranger = try CompartmentKeys(masterKey: masterKey, vaultID: keys.vaultID)
    let (lists, items) = try TestSegment.notes(1)
    let body = try SegmentBody(items: items, entries: lists.entries).encoded()
    let frame = try SegmentBoxFrame(
      compression: .none, bodyByteCount: body.count, expandedByteCount: body.count, entryCount: 1)
    let foreign = try TestSegment.craft(
      lists: lists.encoded(), plaintext: frame.encoded(body: body), keys: stranger,
      compartment: keys.compartmentID)
    #expect(throws: SealingError.signerDoesNotFit(compartment: keys.compartmentID)) {
      try SegmentOpening.verify(foreign.span, vaultID: keys.vaultID)
    }
    let own = try TestSegment.seal(lists, items, keys: keys).bytes
    #expect(throws: SealingError.signerDoesNotFit(compartment: keys.compartmentID)) {
      try SegmentOpening.verify(own.span, vaultID: VaultID(high: 1, low: 1))
    }
  }

  @Test func signatureByAnotherKeyIsRefused() throws {
    let keys = try Known.compartment()
    let masterKey = try SecretBytes(count: 32)
    let stranger = try CompartmentKeys(masterKey: masterKey, vaultID: keys.vaultID)
    let (lists, items) = try TestSegment.notes(1)
    let sealed = try TestSegment.seal(lists, items, keys: keys)
    let signed = Array(sealed.bytes[sealed.segment.file.signedRange])
    let bytes = try TestSegment.sign(signed, keys: stranger)
    #expect(throws: SealingError.signatureInvalid) {
      try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
    }
  }

  @Test func newerFeatureIsNamedOnlyWhereTheSignatureHolds() throws {
    let keys = try Known.compartment()
    let (lists, items) = try TestSegment.notes(1)
    let sealed = try TestSegment.seal(lists, items, keys: keys)
    // Key 5 with an empty array becomes key 5 with the feature 3: one byte more in the map.
    var bytes = Array(sealed.bytes[sealed.segment.file.signedRange])
    let empty = try #require(bytes.firstRange(of: [5, 0x80, 6]))
    bytes.replaceSubrange(empty, with: [5, 0x81, 3, 6])
    bytes[15] += 1
    let signed = try TestSegment.sign(bytes, keys: keys)
    #expect(throws: SealingError.format(.newerFeature(found: 3))) {
      try SegmentOpening.verify(signed.span, vaultID: keys.vaultID)
    }
    var unsigned = signed
    unsigned[unsigned.count - 1] ^= 1
    #expect(throws: SealingError.signatureInvalid) {
      try SegmentOpening.verify(unsigned.span, vaultID: keys.vaultID)
    }
  }

  @Test func signedListsThatAreMalformedAreRefused() throws {
    let keys = try Known.compartment()
    let bytes = try TestSegment.craft(
      lists: [0x83, 0x80, 0x80, 0x80, 0x80], plaintext: [UInt8](repeating: 0, count: 192),
      keys: keys)
    #expect(
      throws: SealingError.format(
        .wrongItemCount(field: "lists", offset: 0, allowed: 4...4, found: 3))
    ) {
      try SegmentOpening.verify(bytes.span, vaultID: keys.vaultID)
    }
  }
}
