import Testing
import VaultCrypto

@Suite struct ConstantTimeTests {
  @Test func onlyTheSameBytesAreEqual() {
    let bytes = [UInt8](0..<40)
    func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
      ConstantTime.areEqual(left.span, right.span)
    }
    #expect(areEqual(bytes, Array(bytes)))
    for position in bytes.indices {
      var changed = bytes
      changed[position] ^= 0x10
      #expect(!areEqual(bytes, changed))
    }
    #expect(!areEqual(bytes, bytes.dropLast()))
    #expect(!areEqual(bytes.dropLast(), bytes))
    #expect(areEqual([], []))
    #expect(!areEqual([], bytes))
  }
}
