/// Collects big-endian fields from front to back.
package struct ByteWriter: Sendable {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// An empty writer with room for `capacity` bytes.
  package init(capacity: Int) { bytes.reserveCapacity(capacity) }

  // One function for each type: a generic one that other modules call is not made for the type, and is slow.

  /// Appends the byte.
  package mutating func append(_ value: UInt8) { bytes.append(value) }

  /// Appends the two bytes in big-endian order.
  package mutating func append(_ value: UInt16) { appendInteger(value) }

  /// Appends the four bytes in big-endian order.
  package mutating func append(_ value: UInt32) { appendInteger(value) }

  /// Appends the eight bytes in big-endian order.
  package mutating func append(_ value: UInt64) { appendInteger(value) }

  private mutating func appendInteger<T: FixedWidthInteger & UnsignedInteger>(_ value: T) {
    var shift = T.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: value >> T(shift)))
    }
  }

  /// Appends bytes as they are.
  package mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

  /// Appends bytes as they are.
  package mutating func append(_ more: Span<UInt8>) {
    bytes.reserveCapacity(bytes.count + more.count)
    for index in more.indices { bytes.append(more[index]) }
  }

  /// Appends `count` zero bytes.
  package mutating func appendZeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }
}

extension [UInt8] {
  /// A copy of borrowed bytes.
  package init(copying bytes: Span<UInt8>) {
    // In this form the loop becomes a copy of whole vectors; appending takes ten times as long.
    self.init(repeating: 0, count: bytes.count)
    var copy = mutableSpan
    for index in bytes.indices { copy[index] = bytes[index] }
  }
}
