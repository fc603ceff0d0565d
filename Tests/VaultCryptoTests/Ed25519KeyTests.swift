import Testing
import VaultTestSupport

@testable import VaultCrypto

/// The y of every encoding of a small-order point with the top bit clear: two more than there are such y,
/// because 0 and 1 can also be written as p and p + 1.
private let smallOrder = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]

@Suite struct Ed25519KeyTests {
  /// With R = (0, 1) and S = 0 the equation holds for each message whose hash is a multiple of the key's order,
  /// at least one in eight: libcrypto accepts such a forgery, and only the rule under test refuses it.
  @Test(arguments: smallOrder, [UInt8(0), 0x80]) func aPublicKeyOfSmallOrderIsRefused(
    y: String, sign: UInt8
  ) throws {
    var bytes = try [UInt8](hex: y)
    bytes[31] |= sign
    let publicKey = try Digest32(copying: bytes.span)
    let forgery = [UInt8]([1] + [UInt8](repeating: 0, count: 63))
    var acceptedByLibrary = 0
    for byte in UInt8.min...UInt8.max {
      let message = [byte]
      if try Ed25519.isAcceptedByLibrary(
        signature: forgery.span, message: message.span, publicKey: publicKey)
      {
        acceptedByLibrary += 1
      }
      let isValid = try Ed25519.isValid(
        signature: forgery.span, message: message.span, publicKey: publicKey)
      #expect(!isValid)
    }
    #expect(acceptedByLibrary > 0, "the forgery is no test of the rule")
  }

  @Test(arguments: 0...18, [UInt8(0), 0x80]) func aPublicKeyAtOrAboveThePrimeIsRefused(
    above: Int, sign: UInt8
  ) throws {
    let bytes =
      [UInt8(0xed + above)] + [UInt8](repeating: 0xff, count: 30) + [UInt8(0x7f) | sign]
    #expect(!Ed25519.isAcceptable(try Digest32(copying: bytes.span)))
  }

  @Test func thePublicKeyJustBelowTheExcludedOnesIsAcceptable() throws {
    let belowMinusOne = [UInt8(0xeb)] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
    #expect(Ed25519.isAcceptable(try Digest32(copying: belowMinusOne.span)))
    let two = [UInt8(2)] + [UInt8](repeating: 0, count: 31)
    #expect(Ed25519.isAcceptable(try Digest32(copying: two.span)))
  }
}
