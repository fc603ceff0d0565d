/// What a segment says about one note, slot or companion (spec §7.1).
package struct IndexEntry: Hashable, Sendable {
  package let id: EntryID
  /// What the entry states, strictly ascending.
  package let states: SmallList<State>
  /// The states that it supersedes, strictly ascending.
  package let over: SmallList<StatePrefix>
  /// 0 says nothing about the place; only notes have one. At most 2^48.
  package let placeVersion: UInt64
  /// The optional map, which has only keys of a later version.
  package let laterKeys: LaterKeys

  /// An entry of a new segment.
  ///
  /// - Throws: `emptyEntry`, `notAscending`, `wrongItemCount`, `notACompanion`, `tooDeep`;
  ///   `valueOutOfRange` for a place version that is too high or where there is no place.
  package init(
    id: EntryID, states: SmallList<State>, over: SmallList<StatePrefix>, placeVersion: UInt64,
    laterKeys: LaterKeys
  ) throws(FormatError) {
    if case .companion(let path) = id, !CompanionPath.isCompanion(path) {
      throw .notACompanion(offset: 0)
    }
    try Self.check(count: states.count, Limits.statesPerEntry, as: "states")
    try Self.check(count: over.count, Limits.overPerEntry, as: "over")
    let allowed = Self.placeVersions(for: id)
    guard allowed.contains(placeVersion) else {
      throw .valueOutOfRange(
        field: "place version", offset: 0, found: placeVersion, allowed: allowed)
    }
    try laterKeys.check(atDepth: Self.mapDepth)
    self.id = id
    self.states = states
    self.over = over
    self.placeVersion = placeVersion
    self.laterKeys = laterKeys
    try checkRelations(offset: 0)
  }

  /// Reads an entry.
  init(parsing reader: inout CBOR.Reader) throws(FormatError) {
    let start = reader.offset
    let count = try reader.readArrayHeader(5...6, elementByteCount: 1, as: "entry")
    id = try EntryID(parsing: &reader)
    var states = SmallList<State>()
    for _
      in 0..<(try reader.readArrayHeader(
        0...Limits.statesPerEntry, elementByteCount: 17, as: "states"))
    {
      states.append(try State(parsing: &reader))
    }
    self.states = states
    var over = SmallList<StatePrefix>()
    for _
      in 0..<(try reader.readArrayHeader(
        0...Limits.overPerEntry, elementByteCount: 17, as: "over"))
    {
      over.append(try reader.read16(as: "over"))
    }
    self.over = over
    placeVersion = try reader.readUnsigned(Self.placeVersions(for: id), as: "place version")
    if count == 6 {
      let mapOffset = reader.offset
      var keys = try reader.readMapHeader(as: "entry map")
      laterKeys = try reader.finishMap(&keys)
      guard !laterKeys.isEmpty else { throw .emptyMap(field: "entry map", offset: mapOffset) }
    } else {
      laterKeys = LaterKeys()
    }
    try checkRelations(offset: start)
  }

  /// Writes the entry.
  func encode(into writer: inout CBOR.Writer) {
    writer.writeArrayHeader(laterKeys.isEmpty ? 5 : 6)
    id.encode(into: &writer)
    writer.writeArrayHeader(states.count)
    for state in states { state.encode(into: &writer) }
    writer.writeArrayHeader(over.count)
    for prefix in over { writer.writeBytes(prefix) }
    writer.writeUnsigned(placeVersion)
    guard !laterKeys.isEmpty else { return }
    writer.writeMapHeader(laterKeys.count)
    writer.writeLaterKeys(laterKeys)
  }

  /// How deep the optional map lies: lists, entries, entry, map.
  private static let mapDepth = 4

  private static func placeVersions(for id: EntryID) -> ClosedRange<UInt64> {
    0...(id.isNote ? Limits.placeVersion : 0)
  }

  private static func check(count: Int, _ most: Int, as field: String) throws(FormatError) {
    guard count <= most else {
      throw .wrongItemCount(
        field: field, offset: 0, allowed: 0...UInt64(most), found: UInt64(count))
    }
  }

  private func checkRelations(offset: Int) throws(FormatError) {
    guard states.isStrictlyAscending else {
      throw .notAscending(field: "states", offset: offset)
    }
    guard over.isStrictlyAscending else { throw .notAscending(field: "over", offset: offset) }
    guard !states.isEmpty || !over.isEmpty || placeVersion > 0 else {
      throw .emptyEntry(offset: offset)
    }
  }
}
