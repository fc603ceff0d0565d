/// Padding that hides all but the leading bits of a byte count (spec §6.2).
package enum Padme {
  /// The padded byte count of `byteCount` bytes: at most 12 % more. `byteCount` is at most 2^62,
  /// far above every maximum of the format.
  package static func padded(_ byteCount: UInt64) -> UInt64 {
    precondition(byteCount <= 1 << 62, "a byte count above every maximum")
    guard byteCount >= 2 else { return byteCount }
    let exponent = UInt64(63 - byteCount.leadingZeroBitCount)
    let bits = UInt64(64 - exponent.leadingZeroBitCount)
    let mask = (UInt64(1) << (exponent - bits)) - 1
    return (byteCount + mask) & ~mask
  }
}
