import Testing
import VaultFormat

@Suite struct SegmentHeadTests {
  private func file(features: [Item]) throws(FormatError) -> SegmentFile {
    let bytes = Samples.segment.with(5, .array(features)).file(.segment, then: Samples.segmentRest)
    return try SegmentFile(decoding: bytes.span)
  }

  @Test func thePartsOfASegmentLieOneAfterTheOther() throws {
    let file = try file(features: [])
    let prefix = file.head.prefix.count
    #expect(file.prefixRange == 0..<prefix)
    #expect(file.commitmentRange == prefix..<(prefix + 32))
    #expect(file.maskedListsRange == (prefix + 32)..<(prefix + 37))
    #expect(file.authenticatedRange == 0..<(prefix + 37))
    #expect(file.boxRange == (prefix + 37)..<(prefix + 257))
    #expect(file.signedRange == 0..<(prefix + 257))
    #expect(file.signatureRange == (prefix + 257)..<(prefix + 321))
    #expect(file.fileByteCount == prefix + 321)
    #expect(SegmentFile(head: file.head) == file)
  }

  /// Only a segment whose signature holds may be called newer, so reading it is not yet an error.
  @Test func anUnknownFeatureIsToldWhenAskedFor() throws {
    try file(features: []).head.checkFeatures()
    let head = try file(features: [.uint(7), .uint(9)]).head
    #expect(throws: FormatError.newerFeature(found: 7)) { try head.checkFeatures() }
  }

  @Test func featuresAreStrictlyAscending() {
    for second in [UInt64(7), 6] {
      // After the head, four keys with their values, key 5, the array and the first feature.
      let offset = 16 + 1 + 18 + 3 * 35 + 1 + 1 + 1
      #expect(throws: FormatError.notAscending(field: "features", offset: offset)) {
        try file(features: [.uint(7), .uint(second)])
      }
    }
  }

  private func file(predecessors: [Item], features: [Item] = [.uint(1)]) throws(FormatError)
    -> SegmentFile
  {
    let map = Samples.handOver.with(5, .array(features)).with(8, .array(predecessors))
    return try SegmentFile(decoding: map.file(.segment, then: Samples.segmentRest).span)
  }

  @Test func featureOneAndPredecessorsGoTogether() throws {
    let head = try file(predecessors: [Samples.predecessor(0x55)]).head
    #expect(head.isHandOver)
    try head.checkFeatures()
    #expect(try file(features: []).head.isHandOver == false)
    #expect(throws: FormatError.self) { try file(features: [.uint(1)]) }
    #expect(throws: FormatError.self) {
      try file(predecessors: [Samples.predecessor(0x55)], features: [])
    }
  }

  @Test func oneToSixteenPredecessorsOfDifferentSigners() throws {
    let sixteen = (0..<16).map { Samples.predecessor(0x80 + UInt8($0)) }
    #expect(try file(predecessors: sixteen).head.predecessors.count == 16)
    for wrong in [[], sixteen + [Samples.predecessor(0x55)]] {
      let error = #expect(throws: FormatError.self) { try file(predecessors: wrong) }
      guard case .wrongItemCount("predecessors", _, 1...16, _) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    // The signer of the segment itself is 33 33 …
    for twice in [[sixteen[0], sixteen[0]], [Samples.predecessor(0x33)]] {
      let error = #expect(throws: FormatError.self) { try file(predecessors: twice) }
      guard case .repeatedSigner = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func byteCountsOutsideTheirBoundsAreNotBuilt() throws {
    func head(lists: Int, box: Int) throws(FormatError) -> SegmentHead {
      try SegmentHead(
        compartment: CompartmentID(high: 0, low: 0), salt: Salt(0, 0, 0, 0),
        signer: SignerKey(0, 0, 0, 0), vaultDigest: Digest(0, 0, 0, 0), listsByteCount: lists,
        boxByteCount: box)
    }
    for lists in [Int.min, -1, 4, 134_217_729, Int.max] {
      #expect(
        throws: FormatError.valueOutOfRange(
          field: "lists byte count", offset: 0, found: UInt64(clamping: lists),
          allowed: 5...134_217_728)
      ) { try head(lists: lists, box: 220) }
    }
    for box in [Int.min, 0, 219, 536_870_913, Int.max] {
      #expect(
        throws: FormatError.valueOutOfRange(
          field: "box byte count", offset: 0, found: UInt64(clamping: box),
          allowed: 220...536_870_912)
      ) { try head(lists: 5, box: box) }
    }
    let most = try head(lists: 134_217_728, box: 536_870_912)
    var reader = ByteReader(most.prefix.span)
    let again = try SegmentHead(parsing: &reader)
    #expect(again == most)
  }
}
