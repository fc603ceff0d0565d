extension CBOR {
  /// Reads one value of the subset from front to back and refuses every other way to write it.
  package struct Reader: ~Copyable, ~Escapable {
    private var input: ByteReader
    /// How many items each open array or map still has to come, outermost first.
    private var unreadItems = InlineArray<8, Int>(repeating: 0)
    private var depth = 0

    /// Reads the value that `bytes` consist of.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>) { input = ByteReader(bytes) }

    /// Reads the value that `bytes` consist of; they lie `baseOffset` bytes into the file.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, baseOffset: Int) {
      input = ByteReader(bytes, baseOffset: baseOffset)
    }

    /// The offset of the next item, in bytes from the start of the file.
    package var offset: Int { input.offset }

    /// How many bytes have not been read.
    package var remaining: Int { input.remaining }

    /// The one value has been read and nothing follows it.
    ///
    /// - Throws: `trailingBytes` if bytes follow.
    package consuming func finish() throws(FormatError) {
      precondition(depth == 0, "a container was not read to its end")
      try input.finish()
    }

    /// The value has been read; zero bytes may follow it.
    ///
    /// - Throws: `nonZeroPadding` if anything else follows.
    consuming func finishWithZeros(as field: String) throws(FormatError) {
      precondition(depth == 0, "a container was not read to its end")
      try input.finishWithZeros(as: field)
    }

    /// A copy of the bytes that were read since the reader stood at `start`. Mutating because the
    /// compiler cannot yet borrow a stored reader.
    mutating func bytesRead(since start: Int) -> [UInt8] {
      input.bytesRead(since: start)
    }

    /// The type of the next item, which stays unread.
    ///
    /// - Throws: `truncated` at the end, `unsupportedItem` if it is none of the subset.
    package func nextType(as field: String) throws(FormatError) -> ItemType {
      guard let byte = input.nextByte else {
        throw .truncated(field: field, offset: offset, needed: 1, available: 0)
      }
      switch byte >> 5 {
      case _ where byte & 31 > 27: break
      case 0: return .unsigned
      case 1: return .negative
      case 2: return .bytes
      case 3: return .text
      case 4: return .array
      case 5: return .map
      case 7 where byte == 0xF4 || byte == 0xF5: return .bool
      default: break
      }
      throw .unsupportedItem(field: field, offset: offset, initialByte: byte)
    }

    /// Reads the head of an item that must be of `type`, and counts it in its container.
    private mutating func head(_ type: ItemType, as field: String) throws(FormatError) -> UInt64 {
      let found = try nextType(as: field)
      guard found == type else {
        throw .wrongType(field: field, offset: offset, expected: type, found: found)
      }
      let start = offset
      let info = try input.integer(UInt8.self, as: field) & 31
      let argument: UInt64
      let least: UInt64
      switch info {
      case 24: (argument, least) = (UInt64(try input.integer(UInt8.self, as: field)), 24)
      case 25: (argument, least) = (UInt64(try input.integer(UInt16.self, as: field)), 1 << 8)
      case 26: (argument, least) = (UInt64(try input.integer(UInt32.self, as: field)), 1 << 16)
      case 27: (argument, least) = (try input.integer(UInt64.self, as: field), 1 << 32)
      default: (argument, least) = (UInt64(info), 0)
      }
      guard argument >= least else { throw .nonShortest(field: field, offset: start) }
      countItem()
      return argument
    }

    private mutating func countItem() {
      guard depth > 0 else { return }
      precondition(unreadItems[depth - 1] > 0, "a container was read beyond its end")
      unreadItems[depth - 1] -= 1
    }

    private mutating func closeReadContainers() {
      while depth > 0, unreadItems[depth - 1] == 0 { depth -= 1 }
    }

    private mutating func open(
      _ type: ItemType, itemsPerEntry: Int, entryByteCount: Int, allowed: ClosedRange<UInt64>,
      as field: String
    ) throws(FormatError) -> Int {
      let start = offset
      let count = try head(type, as: field)
      guard depth < Limits.nesting else { throw .tooDeep(field: field, offset: start) }
      guard allowed.contains(count) else {
        throw .wrongItemCount(field: field, offset: start, allowed: allowed, found: count)
      }
      let (needed, overflow) = count.multipliedReportingOverflow(by: UInt64(entryByteCount))
      guard !overflow, needed <= UInt64(remaining) else {
        throw .truncated(
          field: field, offset: offset, needed: overflow ? Int.max : Int(clamping: needed),
          available: remaining)
      }
      // `count` is at most `remaining`, so it is an `Int`, and twice it is one too.
      unreadItems[depth] = Int(count) * itemsPerEntry
      depth += 1
      closeReadContainers()
      return Int(count)
    }

    private mutating func string(
      _ type: ItemType, _ allowed: ClosedRange<Int>?, as field: String
    ) throws(FormatError) -> Int {
      let start = offset
      let count = try head(type, as: field)
      if let allowed {
        let allowed = UInt64(allowed.lowerBound)...UInt64(allowed.upperBound)
        guard allowed.contains(count) else {
          throw .wrongByteCount(field: field, offset: start, allowed: allowed, found: count)
        }
      }
      return Int(clamping: count)
    }
  }
}

// MARK: - Typed reads

extension CBOR.Reader {
  /// Reads an unsigned integer.
  ///
  /// - Throws: what the head of an item can be wrong with.
  package mutating func readUnsigned(as field: String) throws(FormatError) -> UInt64 {
    let value = try head(.unsigned, as: field)
    closeReadContainers()
    return value
  }

  /// Reads an unsigned integer within bounds.
  ///
  /// - Throws: `valueOutOfRange` if it is outside.
  package mutating func readUnsigned(
    _ allowed: ClosedRange<UInt64>, as field: String
  ) throws(FormatError) -> UInt64 {
    let start = offset
    let value = try readUnsigned(as: field)
    guard allowed.contains(value) else {
      throw .valueOutOfRange(field: field, offset: start, found: value, allowed: allowed)
    }
    return value
  }

  /// Reads an integer from -2^63 to 2^63-1.
  ///
  /// - Throws: `valueOutOfRange` if it is above, `integerTooLow` if it is below.
  package mutating func readInteger(as field: String) throws(FormatError) -> Int64 {
    let start = offset
    let isNegative = try nextType(as: field) == .negative
    let argument = try head(isNegative ? .negative : .unsigned, as: field)
    guard let value = Int64(exactly: argument) else {
      guard !isNegative else { throw .integerTooLow(field: field, offset: start) }
      throw .valueOutOfRange(
        field: field, offset: start, found: argument, allowed: 0...UInt64(Int64.max))
    }
    closeReadContainers()
    return isNegative ? -1 - value : value
  }

  /// Reads a byte string whose byte count is within bounds, or of any byte count.
  ///
  /// - Throws: `wrongByteCount` if it is outside.
  @_lifetime(copy self)
  package mutating func readBytes(
    _ allowed: ClosedRange<Int>?, as field: String
  ) throws(FormatError) -> Span<UInt8> {
    let count = try string(.bytes, allowed, as: field)
    closeReadContainers()
    return try input.bytes(count, as: field)
  }

  /// Reads a 16-byte value.
  ///
  /// - Throws: `wrongByteCount` if it has another byte count.
  package mutating func read16<Kind>(
    _: Bytes16<Kind>.Type = Bytes16<Kind>.self, as field: String
  ) throws(FormatError) -> Bytes16<Kind> {
    _ = try string(.bytes, 16...16, as: field)
    closeReadContainers()
    return try Bytes16(parsing: &input, as: field)
  }

  /// Reads a 32-byte value.
  ///
  /// - Throws: `wrongByteCount` if it has another byte count.
  package mutating func read32<Kind>(
    _: Bytes32<Kind>.Type = Bytes32<Kind>.self, as field: String
  ) throws(FormatError) -> Bytes32<Kind> {
    _ = try string(.bytes, 32...32, as: field)
    closeReadContainers()
    return try Bytes32(parsing: &input, as: field)
  }

  /// Reads a 12-byte nonce.
  ///
  /// - Throws: `wrongByteCount` if it has another byte count.
  mutating func readNonce(as field: String) throws(FormatError) -> Nonce {
    _ = try string(.bytes, 12...12, as: field)
    closeReadContainers()
    return try Nonce(parsing: &input, as: field)
  }

  /// Reads a text whose UTF-8 byte count is within bounds, or of any byte count.
  ///
  /// - Throws: `wrongByteCount` if it is outside, `notUTF8`.
  package mutating func readText(
    _ allowed: ClosedRange<Int>?, as field: String
  ) throws(FormatError) -> String {
    let start = offset
    let count = try string(.text, allowed, as: field)
    closeReadContainers()
    let bytes = try input.bytes(count, as: field)
    do {
      return String(copying: try UTF8Span(validating: bytes))
    } catch {
      throw .notUTF8(field: field, offset: start)
    }
  }

  /// Reads `true` or `false`.
  ///
  /// - Throws: what the head of an item can be wrong with.
  package mutating func readBool(as field: String) throws(FormatError) -> Bool {
    let value = try head(.bool, as: field)
    closeReadContainers()
    return value == 21
  }

  /// Reads the head of an array whose item count is within bounds, or of any count; its items come
  /// next. Each takes at least `elementByteCount` bytes.
  ///
  /// - Throws: `wrongItemCount` if the count is outside, `truncated` if the items cannot fit into
  ///   what remains, `tooDeep`.
  package mutating func readArrayHeader(
    _ allowed: ClosedRange<Int>?, elementByteCount: Int, as field: String
  ) throws(FormatError) -> Int {
    try open(
      .array, itemsPerEntry: 1, entryByteCount: elementByteCount,
      allowed: allowed.map { UInt64($0.lowerBound)...UInt64($0.upperBound) } ?? 0...UInt64.max,
      as: field)
  }

  /// Reads any one value and drops it; it obeys the subset (spec §3.3).
  ///
  /// - Throws: what any value can be wrong with.
  mutating func skipValue(as field: String) throws(FormatError) {
    switch try nextType(as: field) {
    case .unsigned: _ = try readUnsigned(as: field)
    case .negative: _ = try readInteger(as: field)
    case .bytes: _ = try readBytes(nil, as: field)
    case .text: _ = try readText(nil, as: field)
    case .bool: _ = try readBool(as: field)
    case .array:
      let count = try readArrayHeader(nil, elementByteCount: 1, as: field)
      for _ in 0..<count { try skipValue(as: field) }
    case .map:
      var keys = try readMapHeader(as: field)
      while try readKey(in: &keys) != nil { try skipValue(as: field) }
    }
  }

  /// Reads the head of a map; its keys and values come next.
  ///
  /// - Throws: `truncated` if the entries cannot fit into what remains, `tooDeep`.
  package mutating func readMapHeader(as field: String) throws(FormatError) -> CBOR.MapKeys {
    let count = try open(
      .map, itemsPerEntry: 2, entryByteCount: 2, allowed: 0...UInt64.max, as: field)
    return CBOR.MapKeys(unread: count, field: field)
  }
}
