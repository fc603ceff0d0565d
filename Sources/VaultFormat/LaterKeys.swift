/// The map entries with keys of 128 or more, which a later version may define (spec §3.3). They are
/// kept as they are, so that encoding gives the same bytes again.
package struct LaterKeys: Hashable, Sendable {
  /// One key with its value, which stays encoded.
  package struct Pair: Hashable, Sendable {
    package let key: UInt64
    package let value: [UInt8]
  }

  /// In ascending order of the keys.
  package private(set) var pairs: [Pair] = []

  /// No keys.
  package init() {}

  /// The given keys and encoded values.
  ///
  /// - Throws: `valueOutOfRange` for a key below 128, `keysNotAscending`, and what a value can be
  ///   wrong with.
  package init(_ pairs: [(key: UInt64, value: [UInt8])]) throws(FormatError) {
    for pair in pairs {
      let allowed = Limits.firstLaterKey...UInt64.max
      guard allowed.contains(pair.key) else {
        throw .valueOutOfRange(field: "later key", offset: 0, found: pair.key, allowed: allowed)
      }
      if let last = self.pairs.last, last.key >= pair.key {
        throw .keysNotAscending(
          field: "later key", offset: 0, previous: last.key, found: pair.key)
      }
      var reader = CBOR.Reader(pair.value.span)
      try reader.skipValue(as: "later key")
      try reader.finish()
      append(key: pair.key, value: pair.value)
    }
  }

  /// Adds a key above all there are, with a value that was read by the rules.
  mutating func append(key: UInt64, value: [UInt8]) {
    pairs.append(Pair(key: key, value: value))
  }

  /// Whether there are none.
  package var isEmpty: Bool { pairs.isEmpty }

  /// How many there are.
  package var count: Int { pairs.count }

  /// What is carried over when an object is rewritten: the even keys. The odd ones describe the old
  /// bytes (spec §3.3).
  package var carriedOver: LaterKeys {
    var kept = LaterKeys()
    kept.pairs = pairs.filter { $0.key.isMultiple(of: 2) }
    return kept
  }

  /// Checks that the values may stand in a map that is itself `depth` deep.
  ///
  /// - Throws: `tooDeep` if a value would nest deeper than allowed.
  func check(atDepth depth: Int) throws(FormatError) {
    for pair in pairs {
      // As many arrays of one item around the value as there are containers around it there.
      let wrapped = [UInt8](repeating: 0x81, count: depth) + pair.value
      var reader = CBOR.Reader(wrapped.span)
      try reader.skipValue(as: "later key")
      try reader.finish()
    }
  }
}
