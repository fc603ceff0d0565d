internal import VaultFormat
internal import VaultSealing

// What an opened payload becomes on its way out: itself, or what its zstd frame expands to (spec §6.2).
extension NoteReader {
  /// How much is expanded at a time.
  private static let expandedByteCount = 256 * 1_024

  mutating func beginContent(of opened: borrowing OpenedNote) throws(StoreError) {
    let record = opened.header.content
    guard record.compression == .zstd else { return }
    do {
      try decompressor.begin(
        payloadByteCount: record.payloadByteCount, contentByteCount: record.contentByteCount)
    } catch {
      throw .sealing(.zstd(error), path: opened.path)
    }
    if expanded.isEmpty { expanded = [UInt8](repeating: 0, count: Self.expandedByteCount) }
  }

  /// Passes the payload in `pieces` on.
  /// - Throws: also `damaged` for the target of a link that holds a byte 00 (spec §6.1).
  mutating func pass(
    payloadCount: Int, of opened: borrowing OpenedNote,
    into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) -> ContentDemand {
    guard opened.header.content.type == .link else {
      return try passUnchecked(payloadCount: payloadCount, of: opened, into: sink)
    }
    let path = opened.path
    return try passUnchecked(payloadCount: payloadCount, of: opened) {
      (piece) throws(StoreError) in
      if let offset = piece.indices.first(where: { piece[$0] == 0 }) {
        throw .damaged(
          path: path,
          .valueOutOfRange(field: "link target", offset: offset, found: 0, allowed: 1...255))
      }
      return try sink(piece)
    }
  }

  private mutating func passUnchecked(
    payloadCount: Int, of opened: borrowing OpenedNote,
    into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) -> ContentDemand {
    guard payloadCount > 0 else { return .more }
    let payload = pieces
    switch opened.header.content.compression {
    case .none:
      return try sink(payload.span.extracting(0..<payloadCount))
    case .zstd:
      return try expand(
        payload.span.extracting(0..<payloadCount), path: opened.path, into: sink)
    }
  }

  private mutating func expand(
    _ payload: Span<UInt8>, path: [UInt8],
    into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) -> ContentDemand {
    // Taken out and put back: the compiler sees no border between two stored properties here.
    var expanded = self.expanded
    self.expanded = []
    defer { self.expanded = expanded }
    var consumed = 0
    while true {
      let count: Int
      do {
        var room = expanded.mutableSpan
        count = try decompressor.expand(payload, from: &consumed, into: &room)
      } catch {
        throw .sealing(.zstd(error), path: path)
      }
      if count > 0, try sink(expanded.span.extracting(0..<count)) == .enough { return .enough }
      if consumed == payload.count, count < expanded.count { return .more }
    }
  }

  mutating func finishContent(of opened: borrowing OpenedNote) throws(StoreError) {
    guard opened.header.content.compression == .zstd else { return }
    do { try decompressor.finish() } catch { throw .sealing(.zstd(error), path: opened.path) }
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
