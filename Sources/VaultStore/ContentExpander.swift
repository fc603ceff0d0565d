internal import VaultFormat
internal import VaultSealing

/// Turns opened payloads into content: itself, or what its zstd frame expands to (spec §6.2). One per worker; its memory
/// is used again.
struct ContentExpander: ~Copyable, Sendable {
  /// How much is expanded at a time.
  private static let expandedByteCount = 256 * 1_024

  private var decompressor: ZstdDecompressor
  private var compression = Compression.none
  /// Expanded content on its way out.
  private var expanded: [UInt8] = []

  /// - Throws: `sealing` where the library gives no memory.
  init() throws(StoreError) {
    do { decompressor = try ZstdDecompressor() } catch { throw .sealing(.zstd(error), path: []) }
  }

  /// Begins a content.
  mutating func begin(_ record: ContentRecord, path: [UInt8]) throws(StoreError) {
    compression = record.compression
    guard compression == .zstd else { return }
    do {
      try decompressor.begin(
        payloadByteCount: record.payloadByteCount, contentByteCount: record.contentByteCount)
    } catch {
      throw .sealing(.zstd(error), path: path)
    }
    if expanded.isEmpty { expanded = [UInt8](repeating: 0, count: Self.expandedByteCount) }
  }

  /// Passes on what the next part of the payload gives.
  /// - Throws: `sealing` with `zstd` for a frame that is not what it has to be, and what `sink` throws.
  mutating func pass(
    _ payload: Span<UInt8>, path: [UInt8],
    into sink: (Span<UInt8>) throws(StoreError) -> ContentDemand
  ) throws(StoreError) -> ContentDemand {
    guard !payload.isEmpty else { return .more }
    guard compression == .zstd else { return try sink(payload) }
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

  /// Ends the content.
  /// - Throws: `sealing` with `zstd` where the frame has not ended or has given less than it should.
  mutating func finish(path: [UInt8]) throws(StoreError) {
    guard compression == .zstd else { return }
    do { try decompressor.finish() } catch { throw .sealing(.zstd(error), path: path) }
  }
}
