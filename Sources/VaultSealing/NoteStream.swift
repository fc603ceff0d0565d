package import VaultFormat

/// The content stream of one sealed file: all that a worker needs to take part in sealing or opening
/// its chunks, but for the keys (spec §6.2). Exists only once the byte counts were found to agree.
package struct NoteStream: Hashable, Sendable {
  package let head: SealedFileHead
  /// How the stream is cut.
  package let geometry: ChunkGeometry
  /// Bytes of the stream before the padding.
  package let payloadByteCount: UInt64
  /// Binds each chunk to the header.
  let headerTag: [UInt8]

  /// The stream of the payload that `header` tells of.
  ///
  /// - Throws: `format`.
  init(
    head: SealedFileHead, header: NoteHeader, headerBox: Span<UInt8>
  ) throws(SealingError) {
    let payloadByteCount = header.content.payloadByteCount
    self.head = head
    self.payloadByteCount = payloadByteCount
    geometry = try lifting(SealingError.format) { () throws(FormatError) in
      try ChunkGeometry(payloadByteCount: payloadByteCount, head: head)
    }
    headerTag = [UInt8](copying: headerBox.extracting(last: Limits.tagByteCount))
  }

  /// Checks the padding in opened pieces of the stream.
  ///
  /// - Parameter offset: where `pieces` begins in the stream.
  /// - Throws: `paddingNotZero`.
  package func checkPadding(
    in pieces: Span<UInt8>, at offset: UInt64
  ) throws(SealingError) {
    let before = payloadByteCount > offset ? payloadByteCount - offset : 0
    guard before < UInt64(pieces.count) else { return }
    for index in Int(before)..<pieces.count where pieces[index] != 0 {
      throw .paddingNotZero(streamOffset: offset + UInt64(index))
    }
  }
}
