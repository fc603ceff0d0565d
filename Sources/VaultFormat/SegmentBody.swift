/// What a segment says to its owner: the expanded body of its box, with one item for each entry of
/// kind 0 in the order of the entries (spec §7.3).
package struct SegmentBody: Hashable, Sendable {
  /// The content and the place of one note.
  package struct Item: Hashable, Sendable {
    /// One for each file state of the entry, in their order.
    package let records: SmallList<ContentRecord>
    /// Nil if the place version of the entry is 0.
    package let place: Place?

    package init(records: SmallList<ContentRecord>, place: Place?) {
      self.records = records
      self.place = place
    }
  }

  package let items: [Item]

  /// How deep a content record lies: body, item, records, record.
  static let recordDepth = 4

  /// The body of a new segment with these entries.
  ///
  /// - Throws: `wrongItemCount` if items or their records do not fit the entries, `mismatch` for a
  ///   place without a place version or the reverse.
  package init(items: [Item], entries: [IndexEntry]) throws(FormatError) {
    let count = entries.count { $0.id.isNote }
    guard items.count == count else {
      throw .wrongItemCount(
        field: "items", offset: 0, allowed: UInt64(count)...UInt64(count),
        found: UInt64(items.count))
    }
    for (item, entry) in zip(items, entries.lazy.filter(\.id.isNote)) {
      let records = UInt64(entry.states.count(where: \.isFile))
      guard item.records.count == records else {
        throw .wrongItemCount(
          field: "content records", offset: 0, allowed: records...records,
          found: UInt64(item.records.count))
      }
      guard (item.place == nil) == (entry.placeVersion == 0) else {
        throw .mismatch(
          field: "place", offset: 0, expected: entry.placeVersion == 0 ? 0 : 2,
          found: item.place == nil ? 0 : 2)
      }
    }
    self.items = items
  }

  /// Decodes the expanded body of a segment with these entries.
  ///
  /// - Throws: `wrongByteCount` if it is larger than so many entries allow, `wrongItemCount` if it
  ///   does not fit the entries, and what arrays and content records can be wrong with.
  package init(decoding bytes: Span<UInt8>, entries: [IndexEntry]) throws(FormatError) {
    let most = Limits.expandedBodyByteCount(entryCount: entries.count)
    guard (1...most).contains(bytes.count) else {
      throw .wrongByteCount(
        field: "body", offset: 0, allowed: 1...UInt64(most), found: UInt64(bytes.count))
    }
    var reader = CBOR.Reader(bytes)
    let count = entries.count { $0.id.isNote }
    _ = try reader.readArrayHeader(count...count, elementByteCount: 3, as: "items")
    var items: [Item] = []
    items.reserveCapacity(count)
    for entry in entries where entry.id.isNote {
      items.append(try Item(parsing: &reader, for: entry))
    }
    self.items = items
    try reader.finish()
  }

  /// The body before it is compressed.
  package func encoded() -> [UInt8] {
    var writer = CBOR.Writer(capacity: 128 * items.count + 16)
    writer.writeArrayHeader(items.count)
    for item in items { item.encode(into: &writer) }
    return writer.bytes
  }
}

extension SegmentBody.Item {
  /// Reads the item of `entry`.
  init(parsing reader: inout CBOR.Reader, for entry: IndexEntry) throws(FormatError) {
    _ = try reader.readArrayHeader(2...2, elementByteCount: 1, as: "item")
    let files = entry.states.count(where: \.isFile)
    _ = try reader.readArrayHeader(files...files, elementByteCount: 1, as: "content records")
    var records = SmallList<ContentRecord>()
    for _ in 0..<files {
      var keys = try reader.readMapHeader(as: "content record")
      var record = try ContentRecord(parsing: &reader, keys: &keys)
      try record.finish(parsing: &reader, keys: &keys)
      records.append(record)
    }
    self.records = records
    let parts = entry.placeVersion == 0 ? 0 : 2
    _ = try reader.readArrayHeader(parts...parts, elementByteCount: 1, as: "place")
    guard parts > 0 else {
      place = nil
      return
    }
    let path = [UInt8](copying: try reader.readBytes(Limits.pathByteCount, as: "path"))
    place = try Place(path: path, executable: try reader.readBool(as: "executable"))
  }

  /// Writes the item.
  func encode(into writer: inout CBOR.Writer) {
    writer.writeArrayHeader(2)
    writer.writeArrayHeader(records.count)
    for record in records {
      writer.writeMapHeader(record.keyCount + record.laterKeys.count)
      record.encodeFields(into: &writer)
      record.encodeEnd(into: &writer)
    }
    guard let place else {
      writer.writeArrayHeader(0)
      return
    }
    writer.writeArrayHeader(2)
    writer.writeBytes(place.path)
    writer.writeBool(place.executable)
  }
}
