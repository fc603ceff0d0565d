import Testing
import VaultFormat

@Suite struct KeySlotTests {
  private func head(
    purpose: SlotPurpose = .passphrase, iterations: UInt32 = 800_000, label: String? = nil,
    hint: String? = nil
  ) throws(FormatError) -> KeySlotHead {
    try KeySlotHead(
      vaultID: VaultID(high: 1, low: 2), vaultSalt: Salt(1, 2, 3, 4),
      firstCompartment: CompartmentID(high: 3, low: 4),
      compartment: CompartmentID(high: 5, low: 6), purpose: purpose, iterations: iterations,
      slotSalt: Salt(5, 6, 7, 8), locator: Locator(9, 10, 11, 12),
      signer: SignerKey(13, 14, 15, 16), label: label, hint: hint, laterKeys: LaterKeys(),
      bounds: .standard)
  }

  @Test func whatIsBuiltIsReadAgain() throws {
    for (label, hint) in [(nil, nil), ("l", nil), (nil, "h"), ("l", "h")] as [(String?, String?)] {
      let slot = try KeySlot(
        head: head(purpose: .phrase, label: label, hint: hint), box: Samples.slotBox)
      let decoded = try KeySlot(decoding: slot.encoded().span, bounds: .standard)
      #expect(decoded == slot)
      #expect(decoded.head.label == label && decoded.head.hint == hint)
      #expect(slot.encoded() == slot.head.prefix + slot.box)
    }
  }

  @Test(arguments: [UInt32(0), 799_999, 10_000_001, UInt32.max])
  func iterationsOutsideTheirBoundsAreNotBuilt(iterations: UInt32) {
    #expect(
      throws: FormatError.valueOutOfRange(
        field: "iterations", offset: 0, found: UInt64(iterations), allowed: 800_000...10_000_000)
    ) { try head(purpose: .phrase, iterations: iterations) }
  }

  @Test(arguments: ["", String(repeating: "é", count: 129)])
  func aLabelOrHintOfAnotherByteCountIsNotBuilt(text: String) {
    let found = UInt64(text.utf8.count)
    #expect(
      throws: FormatError.wrongByteCount(
        field: "label", offset: 0, allowed: 1...256, found: found)
    ) { try head(label: text) }
    #expect(
      throws: FormatError.wrongByteCount(field: "hint", offset: 0, allowed: 1...256, found: found)
    ) { try head(hint: text) }
  }

  @Test(arguments: [0, 59, 61])
  func aBoxOfAnotherByteCountIsNotBuilt(count: Int) throws {
    let head = try head()
    #expect(
      throws: FormatError.wrongByteCount(
        field: "box", offset: head.prefix.count, allowed: 60...60, found: UInt64(count))
    ) { try KeySlot(head: head, box: [UInt8](repeating: 0, count: count)) }
  }

  /// A label is public text of any script; the bytes stay as they were typed.
  @Test func textIsNotNormalised() throws {
    let slot = Samples.slot.with(10, .text("e\u{301}")).with(11, .text("é"))
      .file(.slot, then: Samples.slotBox)
    let decoded = try KeySlot(decoding: slot.span, bounds: .standard)
    #expect(decoded.head.label.map { Array($0.utf8) } == Array("e\u{301}".utf8))
    #expect(decoded.head.hint.map { Array($0.utf8) } == Array("é".utf8))
  }
}
