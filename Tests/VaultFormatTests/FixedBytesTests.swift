import Testing
import VaultFormat
import VaultTestSupport

@Suite struct FixedBytesTests {
  private static let bytes16 = [UInt8](0xF0...0xFF)
  private static let bytes32 = [UInt8](0x00...0x1F)

  private func noteID(_ text: String) -> NoteID? { NoteID(hex: Array(text.utf8).span) }
  private func digest(_ text: String) -> Digest? { Digest(hex: Array(text.utf8).span) }

  @Test func sixteenBytesKeepTheirOrderInEveryForm() throws {
    let id = try NoteID(copying: Self.bytes16.span)
    #expect(id == NoteID(high: 0xF0F1_F2F3_F4F5_F6F7, low: 0xF8F9_FAFB_FCFD_FEFF))
    #expect(id.bytes == Self.bytes16)
    #expect(id.hex == "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    let lent = id.withSpan { [UInt8](copying: $0) }
    #expect(lent == Self.bytes16)
    #expect(noteID(id.hex) == id)
    #expect(id.firstByte == 0xF0)
  }

  @Test func thirtyTwoBytesKeepTheirOrderInEveryForm() throws {
    let digest = try Digest(copying: Self.bytes32.span)
    #expect(digest.bytes == Self.bytes32)
    #expect(digest.hex == Self.bytes32.hex)
    let lent = digest.withSpan { [UInt8](copying: $0) }
    #expect(lent == Self.bytes32)
    #expect(self.digest(digest.hex) == digest)
    #expect(digest.prefix.bytes == Array(0x00...0x0F))
    #expect(digest.segmentID.bytes == digest.prefix.bytes)
    #expect(digest.compartmentID.bytes == digest.prefix.bytes)
  }

  @Test(arguments: [0, 15, 17, 31, 33])
  func anotherByteCountIsRefused(count: Int) {
    let bytes = [UInt8](repeating: 0, count: count)
    #expect(
      throws: FormatError.wrongByteCount(
        field: "id", offset: 0, allowed: 16...16, found: UInt64(count))
    ) { try NoteID(copying: bytes.span) }
    #expect(
      throws: FormatError.wrongByteCount(
        field: "32-byte value", offset: 0, allowed: 32...32, found: UInt64(count))
    ) { try Digest(copying: bytes.span) }
    #expect(
      throws: FormatError.wrongByteCount(
        field: "nonce", offset: 0, allowed: 12...12, found: UInt64(count))
    ) { try Nonce(copying: bytes.span) }
  }

  @Test(arguments: [
    "", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfef", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff0",
    "F0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "g0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    "f0f1f2f3f4f5f6f7f8f9fafbfcfdfe/f", " 0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
    "0xf1f2f3f4f5f6f7f8f9fafbfcfdfeff", "f0f1f2f3f4f5f6f7f8f9fafbfcfdfe\u{0660}",
  ])
  func onlyLowerCaseHexOfTheRightLengthIsAnID(text: String) {
    #expect(noteID(text) == nil)
    #expect(digest(text + text) == nil)
  }

  @Test func theOrderIsThatOfTheBytes() throws {
    var random = SplitMix(seed: 16)
    for _ in 0..<200 {
      let left = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var right = left
      right[Int(random.next() % 32)] = UInt8(truncatingIfNeeded: random.next())
      let digests = try [left, right].map { try Digest(copying: $0.span) }
      let isLess = digests[0] < digests[1]
      #expect(isLess == left.lexicographicallyPrecedes(right))
      let (left16, right16) = (Array(left.prefix(16)), Array(right.prefix(16)))
      let ids = try [left16, right16].map { try NoteID(copying: $0.span) }
      let isLess16 = ids[0] < ids[1]
      #expect(isLess16 == left16.lexicographicallyPrecedes(right16))
    }
  }

  /// spec §6.2: base nonce XOR (u8 final ‖ 00 00 00 ‖ u64 i).
  @Test func theNonceOfAChunkIsThatOfTheSpec() throws {
    let bytes = try [UInt8](hex: "cefc96aee1fc2268a05000e6")
    let base = try Nonce(copying: bytes.span)
    #expect(base.bytes.hex == "cefc96aee1fc2268a05000e6")
    let lent = base.withSpan { [UInt8](copying: $0) }
    #expect(lent == base.bytes)
    #expect(base.xored(final: false, chunk: 0) == base)
    #expect(base.xored(final: true, chunk: 1).bytes.hex == "cffc96aee1fc2268a05000e7")
    #expect(
      base.xored(final: false, chunk: 0x0102_0304_0506_0708).bytes.hex
        == "cefc96aee0fe216ca55607ee")
  }
}
