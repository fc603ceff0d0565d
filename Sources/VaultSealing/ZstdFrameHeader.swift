import VaultFormat

/// The header of a zstd frame, read to refuse what a vault never holds (RFC 8878 §3.1.1.1).
///
/// The library checks windows only while streaming and dictionaries only by number, so both are
/// settled here, before it sees a byte.
struct ZstdFrameHeader: Equatable {
  /// The window of a vault's frames has at most this many bytes (spec §6.2).
  static let windowMaximum: UInt64 = 1 << UInt64(Limits.windowLog2)

  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  /// The content byte count, where the frame states it.
  let contentByteCount: UInt64?

  /// Reads the header at the start of `payload` and refuses dictionaries and large windows.
  ///
  /// - Throws: `ZstdFailure`, with `.truncated` where the payload ends inside the header.
  init(parsing payload: Span<UInt8>) throws(ZstdFailure) {
    var reader = ByteReader(payload)
    for expected in Self.magic {
      guard try Self.integer(1, &reader) == UInt64(expected) else { throw .notAFrame }
    }
    let descriptor = try Self.integer(1, &reader)
    guard descriptor & 0b1000 == 0 else { throw .reservedBit }
    let isSingleSegment = descriptor & 0b10_0000 != 0
    var window: UInt64 = 0
    if !isSingleSegment {
      let field = try Self.integer(1, &reader)
      let base = UInt64(1) << (10 + field >> 3)
      window = base + base / 8 * (field & 0b111)
    }
    let dictionary = try Self.integer([0, 1, 2, 4][Int(descriptor & 0b11)], &reader)
    guard dictionary == 0 else { throw .dictionary(id: UInt32(truncatingIfNeeded: dictionary)) }
    switch descriptor >> 6 {
    case 0: contentByteCount = isSingleSegment ? try Self.integer(1, &reader) : nil
    case 1: contentByteCount = try Self.integer(2, &reader) + 256
    case 2: contentByteCount = try Self.integer(4, &reader)
    default: contentByteCount = try Self.integer(8, &reader)
    }
    if isSingleSegment { window = contentByteCount ?? 0 }
    guard window <= Self.windowMaximum else { throw .windowTooLarge(byteCount: window) }
  }

  /// One little-endian field of `byteCount` bytes.
  private static func integer(
    _ byteCount: Int, _ reader: inout ByteReader
  ) throws(ZstdFailure) -> UInt64 {
    do {
      let field = try reader.bytes(byteCount, as: "zstd frame header")
      return field.indices.reversed().reduce(0) { $0 << 8 | UInt64(field[$1]) }
    } catch {
      throw .truncated  // the only way a count of at most 8 bytes can fail
    }
  }
}
