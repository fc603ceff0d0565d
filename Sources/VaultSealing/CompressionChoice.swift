import VaultFormat

/// Decides whether a content is worth a zstd frame: tried, never guessed from its name.
package enum CompressionChoice {
  /// How many bytes of the content's front are tried.
  package static let probeByteCount = 65_536

  /// The most bytes a frame over `contentByteCount` bytes may have to be worth it: it has to
  /// save 3 % or more. Zero where the padding would eat what compression saves.
  package static func frameByteCountMaximum(contentByteCount: Int) -> Int {
    guard contentByteCount > Int(Limits.streamFloor) else { return 0 }
    let (hundredths, rest) = contentByteCount.quotientAndRemainder(dividingBy: 100)
    return hundredths * 97 + rest * 97 / 100
  }

  /// Whether the front of a content (at most `probeByteCount` bytes of it) compresses well.
  ///
  /// `scratch` has at least `probeByteCount` bytes; what is left in it means nothing.
  package static func isWorthwhile(
    _ front: Span<UInt8>, trying compressor: inout ZstdCompressor,
    scratch: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) -> Bool {
    let maximum = frameByteCountMaximum(contentByteCount: front.count)
    guard maximum > 0 else { return false }
    var room = scratch._mutatingExtracting(0..<maximum)
    return try compressor.compress(front, into: &room) != nil
  }
}
