/// What a segment says to everyone: `[parents, replaces, excuses, entries]` (spec §7.1).
package struct SegmentLists: Hashable, Sendable {
  /// Strictly ascending, like all lists here; at most 256.
  package let parents: [SegmentID]
  package let replaces: [SegmentID]
  package let excuses: [SegmentID]
  package let entries: [IndexEntry]
  /// Whether the entries of notes were read and checked, but not kept: for a reader that asks for slots only.
  package let omitsNotes: Bool

  /// The lists of a new segment.
  ///
  /// - Throws: `notAscending`, `wrongItemCount`.
  package init(
    parents: [SegmentID], replaces: [SegmentID], excuses: [SegmentID], entries: [IndexEntry]
  ) throws(FormatError) {
    for (field, ids, most) in [
      ("parents", parents, Limits.parents), ("replaces", replaces, Limits.replaces),
      ("excuses", excuses, Limits.excuses),
    ] {
      try Self.check(count: ids.count, most, as: field)
      guard ids.isStrictlyAscending else { throw .notAscending(field: field, offset: 0) }
    }
    try Self.check(count: entries.count, Limits.entries, as: "entries")
    for index in entries.indices.dropFirst() where entries[index].id <= entries[index - 1].id {
      throw .notAscending(field: "entries", offset: 0)
    }
    self.parents = parents
    self.replaces = replaces
    self.excuses = excuses
    self.entries = entries
    omitsNotes = false
  }

  /// Decodes the unmasked lists.
  ///
  /// - Throws: `wrongByteCount` if there are more bytes than allowed, `notAscending`, and what
  ///   arrays and entries can be wrong with.
  package init(
    decoding bytes: Span<UInt8>, omittingNotes: Bool = false
  ) throws(FormatError) {
    let allowed = Limits.listsByteCount
    guard allowed.contains(bytes.count) else {
      throw .wrongByteCount(
        field: "lists", offset: 0,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(bytes.count))
    }
    var reader = CBOR.Reader(bytes)
    _ = try reader.readArrayHeader(4...4, elementByteCount: 1, as: "lists")
    parents = try Self.ids(from: &reader, atMost: Limits.parents, as: "parents")
    replaces = try Self.ids(from: &reader, atMost: Limits.replaces, as: "replaces")
    excuses = try Self.ids(from: &reader, atMost: Limits.excuses, as: "excuses")
    // No entry is shorter: the least is a place of a note, with 22 bytes.
    let count = try reader.readArrayHeader(
      0...Limits.entries, elementByteCount: 22, as: "entries")
    var entries: [IndexEntry] = []
    if !omittingNotes { entries.reserveCapacity(count) }
    var last: EntryID?
    for _ in 0..<count {
      let start = reader.offset
      let entry = try IndexEntry(parsing: &reader)
      let id = entry.id
      if let last, id <= last { throw .notAscending(field: "entries", offset: start) }
      last = id
      if !(omittingNotes && id.isNote) { entries.append(entry) }
    }
    self.entries = entries
    omitsNotes = omittingNotes
    try reader.finish()
  }

  /// The lists before they are masked.
  package func encoded() -> [UInt8] {
    let ids = parents.count + replaces.count + excuses.count
    var writer = CBOR.Writer(capacity: 17 * ids + 80 * entries.count + 32)
    writer.writeArrayHeader(4)
    for list in [parents, replaces, excuses] {
      writer.writeArrayHeader(list.count)
      for id in list { writer.writeBytes(id) }
    }
    writer.writeArrayHeader(entries.count)
    for entry in entries { entry.encode(into: &writer) }
    return writer.bytes
  }

  private static func ids(
    from reader: inout CBOR.Reader, atMost most: Int, as field: String
  ) throws(FormatError) -> [SegmentID] {
    let count = try reader.readArrayHeader(0...most, elementByteCount: 17, as: field)
    var ids: [SegmentID] = []
    ids.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      let id = try reader.read16(SegmentID.self, as: field)
      if let last = ids.last, id <= last { throw .notAscending(field: field, offset: start) }
      ids.append(id)
    }
    return ids
  }

  private static func check(count: Int, _ most: Int, as field: String) throws(FormatError) {
    guard count <= most else {
      throw .wrongItemCount(
        field: field, offset: 0, allowed: 0...UInt64(most), found: UInt64(count))
    }
  }
}
