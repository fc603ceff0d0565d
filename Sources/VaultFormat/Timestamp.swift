/// A point in time: seconds since 1970-01-01T00:00:00Z with nanoseconds added (spec §6.1).
package struct Timestamp: Hashable, Comparable, Sendable {
  package let seconds: Int64
  /// 0 to 999,999,999.
  package let nanoseconds: UInt32

  /// The time of `seconds` and `nanoseconds` together.
  ///
  /// - Throws: `valueOutOfRange` for a nanosecond count of a second or more.
  package init(seconds: Int64, nanoseconds: UInt32) throws(FormatError) {
    guard Limits.nanoseconds.contains(nanoseconds) else {
      throw .valueOutOfRange(
        field: "nanoseconds", offset: 0, found: UInt64(nanoseconds), allowed: Self.bounds)
    }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Reads a time.
  init(parsing reader: inout CBOR.Reader, as field: String) throws(FormatError) {
    _ = try reader.readArrayHeader(2...2, elementByteCount: 1, as: field)
    seconds = try reader.readInteger(as: field)
    nanoseconds = UInt32(try reader.readUnsigned(Self.bounds, as: field))
  }

  /// Writes the time.
  func encode(into writer: inout CBOR.Writer) {
    writer.writeArrayHeader(2)
    writer.writeInteger(seconds)
    writer.writeUnsigned(UInt64(nanoseconds))
  }

  private static var bounds: ClosedRange<UInt64> {
    UInt64(Limits.nanoseconds.lowerBound)...UInt64(Limits.nanoseconds.upperBound)
  }

  /// The earlier one is less.
  package static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
