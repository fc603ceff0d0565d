package import VaultCrypto
package import VaultFormat

// VaultFormat and VaultCrypto do not know each other; 32 public bytes cross between them here.

extension Bytes32 {
  package init(_ digest: Digest32) {
    do { try self.init(copying: digest.span) } catch {
      preconditionFailure("a Digest32 has 32 bytes")
    }
  }
}

extension Digest32 {
  init<Kind>(_ value: Bytes32<Kind>) {
    do {
      self = try value.withSpan { span throws(CryptoError) in try Digest32(copying: span) }
    } catch { preconditionFailure("a Bytes32 has 32 bytes") }
  }
}

/// Whether two public values are equal, in a time that does not depend on where they differ.
func areEqualInConstantTime<Kind>(_ left: Bytes32<Kind>, _ right: Bytes32<Kind>) -> Bool {
  left.withSpan { left in right.withSpan { right in ConstantTime.areEqual(left, right) } }
}
