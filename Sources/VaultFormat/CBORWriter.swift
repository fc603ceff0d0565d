extension CBOR {
  /// Writes values of the subset, each in the one way it has.
  package struct Writer: Sendable {
    private var output: ByteWriter

    package init() { output = ByteWriter() }

    /// A writer with room for `capacity` bytes.
    package init(capacity: Int) { output = ByteWriter(capacity: capacity) }

    /// What was written so far.
    package var bytes: [UInt8] { output.bytes }

    private mutating func writeHead(_ majorType: UInt8, _ argument: UInt64) {
      let major = majorType << 5
      if argument < 24 {
        output.append(major | UInt8(argument))
      } else if let short = UInt8(exactly: argument) {
        output.append(major | 24)
        output.append(short)
      } else if let short = UInt16(exactly: argument) {
        output.append(major | 25)
        output.append(short)
      } else if let short = UInt32(exactly: argument) {
        output.append(major | 26)
        output.append(short)
      } else {
        output.append(major | 27)
        output.append(argument)
      }
    }

    /// Writes an unsigned integer, or a map key.
    package mutating func writeUnsigned(_ value: UInt64) { writeHead(0, value) }

    /// Writes an integer.
    package mutating func writeInteger(_ value: Int64) {
      if value >= 0 { writeHead(0, UInt64(value)) } else { writeHead(1, UInt64(-1 - value)) }
    }

    /// Writes a byte string.
    package mutating func writeBytes(_ value: [UInt8]) {
      writeHead(2, UInt64(value.count))
      output.append(value)
    }

    /// Writes a byte string of 16 bytes.
    package mutating func writeBytes<Kind>(_ value: Bytes16<Kind>) {
      writeHead(2, 16)
      value.append(to: &output)
    }

    /// Writes a byte string of 32 bytes.
    package mutating func writeBytes<Kind>(_ value: Bytes32<Kind>) {
      writeHead(2, 32)
      value.append(to: &output)
    }

    /// Writes a byte string of 12 bytes.
    mutating func writeBytes(_ value: Nonce) {
      writeHead(2, 12)
      value.append(to: &output)
    }

    /// Writes a text string.
    package mutating func writeText(_ value: String) {
      writeHead(3, UInt64(value.utf8.count))
      output.append(Array(value.utf8))
    }

    /// Writes `true` or `false`.
    package mutating func writeBool(_ value: Bool) { writeHead(7, value ? 21 : 20) }

    /// Writes the head of an array of `count` items, which come next.
    package mutating func writeArrayHeader(_ count: Int) { writeHead(4, UInt64(count)) }

    /// Writes the head of a map of `count` keys, which come next with their values.
    package mutating func writeMapHeader(_ count: Int) { writeHead(5, UInt64(count)) }

    /// Writes keys of 128 or more with their values; they come last in a map.
    package mutating func writeLaterKeys(_ keys: LaterKeys) {
      for pair in keys.pairs {
        writeUnsigned(pair.key)
        output.append(pair.value)
      }
    }
  }
}
