import Testing
import VaultTestSupport

@Suite struct FixturesTests {
  @Test func aMissingFixtureIsAnError() {
    let path = "vectors/none.json"
    #expect(throws: FixtureError.missing(path: path)) { try Fixtures.bytes(path) }
    #expect(throws: FixtureError.missing(path: path)) { try Fixtures.lines(path) }
    #expect(throws: FixtureError.missing(path: path)) { try Fixtures.json(path, as: [Int].self) }
  }

  @Test func aFixtureOfAnotherShapeIsAnError() {
    let path = "vectors/hkdf/rfc5869-sha256.json"
    let error = #expect(throws: FixtureError.self) { try Fixtures.json(path, as: [Int].self) }
    guard case .malformed(path, _) = error else {
      Issue.record("\(String(describing: error)) is not about the shape")
      return
    }
  }

  @Test func hexadecimalComesBackAsItWas() throws {
    #expect(try [UInt8](hex: "") == [])
    #expect(try [UInt8](hex: "00Ff7a") == [0, 255, 0x7a])
    #expect([0, 255, 0x7a].hex == "00ff7a")
  }

  @Test(arguments: ["0", "0g", "0 1", "é", "0x"]) func otherTextIsNotHexadecimal(text: String) {
    #expect(throws: FixtureError.notHexadecimal(text)) { try [UInt8](hex: text) }
  }
}
