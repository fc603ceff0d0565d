import Testing
import VaultCrypto
import VaultFormat

@testable import VaultSealing

@Suite struct LocalSealingTests {
  private func seal(_ content: [UInt8], keys: borrowing CompartmentKeys) throws -> [UInt8] {
    try LocalSealing.seal(
      content.span, keys: keys, salt: Salt(1, 2, 3, 4), nonce: Nonce(high: 5, low: 6))
  }

  @Test func everyContentComesBack() throws {
    let keys = try Known.compartment()
    for content in [[], [1], [UInt8](repeating: 7, count: 10_000)] {
      let file = try seal(content, keys: keys)
      #expect(file.count == 76 + 28 + content.count)
      #expect(file.starts(with: Array("VLTLOCAL".utf8) + [0, 0, 0, 1]))
      #expect(try LocalSealing.open(file.span, keys: keys) == content)
    }
  }

  @Test func everyFlippedByteIsRefused() throws {
    let keys = try Known.compartment()
    let file = try seal([1, 2, 3], keys: keys)
    for index in file.indices {
      var bytes = file
      bytes[index] ^= 1
      do throws(SealingError) {
        _ = try LocalSealing.open(bytes.span, keys: keys)
        Issue.record("opened with byte \(index) flipped")
      } catch {
        let expected: SealingError =
          switch index {
          case ..<8: .format(.wrongMagic)
          case ..<12:
            .format(
              .valueOutOfRange(
                field: "version", offset: 8, found: 1 ^ (1 << UInt64(8 * (11 - index))),
                allowed: 1...1))
          case ..<76: .commitmentMismatch
          default: .boxNotAuthentic
          }
        #expect(error == expected)
      }
    }
  }

  @Test func everyTruncationIsRefused() throws {
    let keys = try Known.compartment()
    let file = try seal([1, 2, 3], keys: keys)
    for count in file.indices {
      let cut = Array(file[..<count])
      do throws(SealingError) {
        _ = try LocalSealing.open(cut.span, keys: keys)
        Issue.record("opened \(count) bytes")
      } catch {
        if count < 76 {
          guard case .format(.truncated) = error else {
            Issue.record("\(error) for \(count) bytes")
            continue
          }
        } else {
          #expect(error == .boxNotAuthentic)
        }
      }
    }
  }

  @Test func anotherCompartmentCannotOpenIt() throws {
    let keys = try Known.compartment()
    let masterKey = try SecretBytes(count: 32)
    let other = try CompartmentKeys(masterKey: masterKey, vaultID: keys.vaultID)
    let file = try seal([1, 2, 3], keys: keys)
    #expect(throws: SealingError.commitmentMismatch) {
      try LocalSealing.open(file.span, keys: other)
    }
    let source = Digest(1, 2, 3, 4)
    #expect(
      try LocalSealing.name(of: source, keys: keys)
        != LocalSealing.name(of: source, keys: other))
  }
}
