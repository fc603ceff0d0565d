internal import VaultFormat
internal import VaultSealing

// What an opened payload becomes on its way out: itself, or what its zstd frame expands to (spec §6.2).
extension NoteReader {
  mutating func beginContent(of opened: borrowing OpenedNote) throws(StoreError) {
    try expander.begin(opened.header.content, path: opened.path)
  }

  /// Passes the payload in `pieces` on.
  /// - Throws: also `damaged` for the target of a link that holds a byte 00 (spec §6.1).
  mutating func pass(
    payloadCount: Int, of opened: borrowing OpenedNote,
    into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) -> ContentDemand {
    let path = opened.path
    let isLink = opened.header.content.type == .link
    let payload = pieces
    return try expander.pass(payload.span.extracting(0..<payloadCount), path: path) {
      (piece) throws(StoreError) in
      if isLink, let offset = piece.indices.first(where: { piece[$0] == 0 }) {
        throw .damaged(
          path: path,
          .valueOutOfRange(field: "link target", offset: offset, found: 0, allowed: 1...255))
      }
      return try sink(piece)
    }
  }

  mutating func finishContent(of opened: borrowing OpenedNote) throws(StoreError) {
    try expander.finish(path: opened.path)
  }
}

extension Span<UInt8> {
  /// Whether both hold the same bytes.
  func holdsSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
