/// What an index entry is about (spec §7.1). Ordered by kind, then bytewise.
package enum EntryID: Hashable, Comparable, Sendable {
  case note(NoteID)
  case slot(Locator)
  /// A companion, by its path relative to the vault.
  case companion([UInt8])

  /// The kind as it is encoded.
  package var kind: UInt64 {
    switch self {
    case .note: 0
    case .slot: 1
    case .companion: 2
    }
  }

  /// Whether the entry is about a note; only those have an item in the segment's box.
  package var isNote: Bool { kind == 0 }

  /// Reads kind and id.
  init(parsing reader: inout CBOR.Reader) throws(FormatError) {
    switch try reader.readUnsigned(0...2, as: "kind") {
    case 0: self = .note(try reader.read16(as: "note id"))
    case 1: self = .slot(try reader.read32(as: "locator"))
    default:
      let start = reader.offset
      let path = [UInt8](
        copying: try reader.readBytes(Limits.companionPathByteCount, as: "companion path"))
      guard CompanionPath.isCompanion(path) else { throw .notACompanion(offset: start) }
      self = .companion(path)
    }
  }

  /// Writes kind and id.
  func encode(into writer: inout CBOR.Writer) {
    writer.writeUnsigned(kind)
    switch self {
    case .note(let id): writer.writeBytes(id)
    case .slot(let locator): writer.writeBytes(locator)
    case .companion(let path): writer.writeBytes(path)
    }
  }

  /// The order of entries in a segment.
  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.note(let left), .note(let right)): left < right
    case (.slot(let left), .slot(let right)): left < right
    case (.companion(let left), .companion(let right)): left.lexicographicallyPrecedes(right)
    default: left.kind < right.kind
    }
  }
}
