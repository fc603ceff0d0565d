/// A zstd frame put together by hand, to say what no compressor would say (RFC 8878 §3.1.1).
struct ZstdFrame {
  static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  var bytes: [UInt8]

  /// A header without content byte count, with a window of 2^`windowLog2` bytes.
  init(windowLog2: Int) { bytes = Self.magic + [0, UInt8(windowLog2 - 10) << 3] }

  /// Any descriptor byte and the fields behind it.
  init(descriptor: UInt8, fields: [UInt8]) { bytes = Self.magic + [descriptor] + fields }

  /// Adds a block of `content` as it is.
  func raw(_ content: [UInt8], last: Bool) -> ZstdFrame {
    var frame = self
    frame.bytes += Self.blockHeader(type: 0, count: content.count, last: last) + content
    return frame
  }

  /// Adds a block of one byte `count` times.
  func repeated(_ byte: UInt8, count: Int, last: Bool) -> ZstdFrame {
    var frame = self
    frame.bytes += Self.blockHeader(type: 1, count: count, last: last) + [byte]
    return frame
  }

  private static func blockHeader(type: Int, count: Int, last: Bool) -> [UInt8] {
    let header = (last ? 1 : 0) | type << 1 | count << 3
    return [0, 8, 16].map { UInt8(truncatingIfNeeded: header >> $0) }
  }
}
