import VaultFormat

/// A prefix as it must have been, put together from what is known and from what of it can be chance only: its salt and
/// base nonce (spec §12.2).
struct RebuiltPrefixes {
  private static let noteIDRange = 37..<53
  private static let saltRange = 56..<88
  private static let chunkSizeOffset = 89
  private static let nonceRange = 92..<104
  private static let boxByteCountOffset = 106
  /// Byte count of a prefix without later keys and with a chunk size below 2^24.
  static let byteCount = 108

  /// Every head that has the salt and the base nonce that stand in the file; the likeliest come first. At most 188.
  let candidates: [SealedFileHead]

  /// - Parameters:
  ///   - file: the front of the file.
  ///   - named: the note id that the file's name says.
  init(_ file: Span<UInt8>, named: NoteID?, compartment: CompartmentID) {
    guard file.count >= Self.byteCount,
      let salt = try? Salt(copying: file.extracting(Self.saltRange)),
      let nonce = try? Nonce(copying: file.extracting(Self.nonceRange)),
      let storedID = try? NoteID(copying: file.extracting(Self.noteIDRange))
    else {
      candidates = []
      return
    }
    var ids = [named ?? storedID]
    if ids[0] != storedID { ids.append(storedID) }
    var chunkSizes = [Limits.usualChunkSizeLog2]
    let storedSize = file[Self.chunkSizeOffset]
    if storedSize != chunkSizes[0], storedSize < 24, Limits.chunkSizeLog2.contains(storedSize) {
      chunkSizes.append(storedSize)
    }
    let boxes = Self.boxByteCounts(
      stored: Int(file[Self.boxByteCountOffset]) << 8 | Int(file[Self.boxByteCountOffset + 1]))
    var candidates: [SealedFileHead] = []
    for id in ids {
      for chunkSize in chunkSizes {
        // What is outside the bounds was left out before.
        candidates += boxes.compactMap { box in
          try? SealedFileHead(
            compartment: compartment, noteID: id, salt: salt, chunkSizeLog2: chunkSize,
            baseNonce: nonce, headerBoxByteCount: box, laterKeys: LaterKeys())
        }
      }
    }
    self.candidates = candidates
  }

  /// All byte counts that a header box can have, the stored one first.
  private static func boxByteCounts(stored: Int) -> [Int] {
    let all = stride(
      from: Limits.headerBoxByteCount.lowerBound, through: Limits.headerBoxByteCount.upperBound,
      by: Limits.headerPadding)
    return all.contains(stored) ? [stored] + all.filter { $0 != stored } : Array(all)
  }
}
