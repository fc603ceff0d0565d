/// Which versions of a note a merge driver made a sealed file from: key 129 of the file's public map (spec §7.6).
package struct MergedFrom: Hashable, Sendable {
  /// The key in the public map. It is odd: it describes these bytes, and whoever seals the note again drops it.
  package static let key: UInt64 = 129

  /// The first 16 bytes of each version's digest, strictly ascending; 1 to 64.
  package let states: [StatePrefix]

  /// What a merge of these versions says; nil for none or too many.
  package init?(_ states: Set<StatePrefix>) {
    guard Limits.mergedStates.contains(states.count) else { return nil }
    self.states = states.sorted()
  }

  /// What a sealed file says; nil where it says nothing, or something else than the rule.
  package init?(in keys: LaterKeys) {
    guard let value = keys.pairs.first(where: { $0.key == Self.key })?.value else { return nil }
    do throws(FormatError) {
      var reader = CBOR.Reader(value.span)
      let count = try reader.readArrayHeader(
        Limits.mergedStates, elementByteCount: 17, as: "merged from")
      var states: [StatePrefix] = []
      for _ in 0..<count {
        let state = try reader.read16(StatePrefix.self, as: "merged from")
        if let last = states.last, state <= last { return nil }
        states.append(state)
      }
      try reader.finish()
      self.states = states
    } catch {
      return nil
    }
  }

  /// The key with its value, for the public map.
  package var laterKeys: LaterKeys {
    var writer = CBOR.Writer()
    writer.writeArrayHeader(states.count)
    for state in states { writer.writeBytes(state) }
    var keys = LaterKeys()
    keys.append(key: Self.key, value: writer.bytes)
    return keys
  }
}
