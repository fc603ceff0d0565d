/// What a run that has not finished its commit will have changed in `notes/` (spec §9).
package struct CommitPlan: Hashable, Sendable {
  /// One changed note; nil stands for "no file".
  package struct Item: Hashable, Sendable {
    package let noteID: NoteID
    package let before: Digest?
    package let after: Digest?

    package init(noteID: NoteID, before: Digest?, after: Digest?) {
      self.noteID = noteID
      self.before = before
      self.after = after
    }
  }

  /// Strictly ascending by note id.
  package let items: [Item]

  /// The plan for these notes.
  ///
  /// - Throws: `notAscending`, `wrongItemCount`.
  package init(items: [Item]) throws(FormatError) {
    guard items.count <= Limits.planItems else {
      throw .wrongItemCount(
        field: "plan", offset: 0, allowed: 0...UInt64(Limits.planItems),
        found: UInt64(items.count))
    }
    for index in items.indices.dropFirst() where items[index].noteID <= items[index - 1].noteID {
      throw .notAscending(field: "plan", offset: 0)
    }
    self.items = items
  }

  /// Decodes a whole plan.
  ///
  /// - Throws: `wrongByteCount`, `notAscending`, and what arrays can be wrong with.
  package init(decoding bytes: Span<UInt8>) throws(FormatError) {
    let allowed = Limits.planByteCount
    guard allowed.contains(bytes.count) else {
      throw .wrongByteCount(
        field: "plan", offset: 0,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(bytes.count))
    }
    var reader = CBOR.Reader(bytes)
    let count = try reader.readArrayHeader(
      0...Limits.planItems, elementByteCount: 20, as: "plan")
    var items: [Item] = []
    items.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      _ = try reader.readArrayHeader(3...3, elementByteCount: 1, as: "plan item")
      let id = try reader.read16(NoteID.self, as: "note id")
      if let last = items.last, id <= last.noteID {
        throw .notAscending(field: "plan", offset: start)
      }
      items.append(
        Item(
          noteID: id, before: try Self.digest(from: &reader, as: "before"),
          after: try Self.digest(from: &reader, as: "after")))
    }
    self.items = items
    try reader.finish()
  }

  /// The whole plan.
  package func encoded() -> [UInt8] {
    var writer = CBOR.Writer(capacity: 86 * items.count + 8)
    writer.writeArrayHeader(items.count)
    for item in items {
      writer.writeArrayHeader(3)
      writer.writeBytes(item.noteID)
      for digest in [item.before, item.after] {
        if let digest { writer.writeBytes(digest) } else { writer.writeBytes([]) }
      }
    }
    return writer.bytes
  }

  private static func digest(
    from reader: inout CBOR.Reader, as field: String
  ) throws(FormatError) -> Digest? {
    let start = reader.offset
    let bytes = try reader.readBytes(0...32, as: field)
    if bytes.isEmpty { return nil }
    guard bytes.count == 32 else {
      throw .wrongByteCount(
        field: field, offset: start, allowed: 32...32, found: UInt64(bytes.count))
    }
    return try Digest(copying: bytes)
  }
}
