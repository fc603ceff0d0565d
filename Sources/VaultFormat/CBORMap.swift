// Keys come in strictly ascending order, so a record reads its fields in the order of their keys.
extension CBOR.Reader {
  /// Reads the next key; nil at the end of the map.
  ///
  /// - Throws: `keysNotAscending` if it is not above the one before it.
  mutating func readKey(in keys: inout CBOR.MapKeys) throws(FormatError) -> UInt64? {
    guard keys.unread > 0 else { return nil }
    let start = offset
    let key = try readUnsigned(as: keys.field)
    if let previous = keys.previous, previous >= key {
      throw .keysNotAscending(field: keys.field, offset: start, previous: previous, found: key)
    }
    keys.previous = key
    keys.unread -= 1
    return key
  }

  /// Whether `key` comes next; if so its value comes next.
  ///
  /// - Throws: `unknownKey` if a lower key is there, `keysNotAscending`.
  package mutating func hasKey(
    _ key: UInt64, in keys: inout CBOR.MapKeys
  ) throws(FormatError) -> Bool {
    if keys.pending == nil {
      let start = offset
      keys.pending = try readKey(in: &keys).map { ($0, start) }
    }
    guard let pending = keys.pending else { return false }
    guard pending.key >= key else {
      throw .unknownKey(field: keys.field, offset: pending.offset, key: pending.key)
    }
    guard pending.key == key else { return false }
    keys.pending = nil
    return true
  }

  /// Reads a key that must be there; its value comes next.
  ///
  /// - Throws: `missingKey` for `field` if it is not there, `unknownKey` if a lower key is.
  package mutating func requireKey(
    _ key: UInt64, in keys: inout CBOR.MapKeys, as field: String
  ) throws(FormatError) {
    let start = keys.pending?.offset ?? offset
    guard try hasKey(key, in: &keys) else {
      throw .missingKey(field: field, offset: start, key: key)
    }
  }

  /// Reads what is left of a map after its known keys: keys of 128 or more (spec §3.3).
  ///
  /// - Throws: `unknownKey` for one below, `keysNotAscending`, and what a value can be wrong with.
  package mutating func finishMap(_ keys: inout CBOR.MapKeys) throws(FormatError) -> LaterKeys {
    var later = LaterKeys()
    while true {
      let start = offset
      if keys.pending == nil { keys.pending = try readKey(in: &keys).map { ($0, start) } }
      guard let pending = keys.pending else { return later }
      keys.pending = nil
      guard pending.key >= Limits.firstLaterKey else {
        throw .unknownKey(field: keys.field, offset: pending.offset, key: pending.key)
      }
      let valueStart = offset
      try skipValue(as: keys.field)
      later.append(key: pending.key, value: bytesRead(since: valueStart))
    }
  }
}
