/// How a sealed file is cut into chunks (spec §6.2). All counts are bytes unless the name says
/// otherwise.
package struct ChunkGeometry: Hashable, Sendable {
  /// Where chunk 0 begins in the file.
  package let chunksOffset: Int
  /// Plain text in every chunk but the last.
  package let chunkByteCount: Int
  /// How many chunks there are, 1 to 2^32.
  package let chunkCount: Int
  /// Plain text in the last chunk, 1 to `chunkByteCount`.
  package let lastChunkByteCount: Int

  /// The geometry of a file that is there, from its byte count.
  ///
  /// - Throws: `truncated` if it has no chunk, `wrongByteCount` if its last chunk is too short to
  ///   hold anything, `valueOutOfRange` if it has too many chunks.
  package init(fileByteCount: Int, head: SealedFileHead) throws(FormatError) {
    let storedChunk = head.chunkByteCount + Limits.tagByteCount
    let least = Limits.tagByteCount + 1
    let (stored, overflow) = fileByteCount.subtractingReportingOverflow(head.chunksOffset)
    guard !overflow, stored > 0 else {
      throw .truncated(
        field: "chunk", offset: head.chunksOffset, needed: least, available: 0)
    }
    let count = (stored - 1) / storedChunk + 1
    let last = stored - (count - 1) * storedChunk
    guard last >= least else {
      throw .wrongByteCount(
        field: "last chunk", offset: fileByteCount - last,
        allowed: UInt64(least)...UInt64(storedChunk), found: UInt64(last))
    }
    try self.init(
      head: head, chunkCount: count, lastChunkByteCount: last - Limits.tagByteCount)
  }

  /// The geometry of a file to be written, or what the file of a payload must have.
  ///
  /// - Throws: `valueOutOfRange` if the payload is too large or has too many chunks.
  package init(payloadByteCount: UInt64, head: SealedFileHead) throws(FormatError) {
    guard payloadByteCount <= Limits.contentByteCount else {
      throw .valueOutOfRange(
        field: "payload byte count", offset: 0, found: payloadByteCount,
        allowed: 0...Limits.contentByteCount)
    }
    let stream = Int(Padme.padded(max(payloadByteCount, Limits.streamFloor)))
    let count = (stream - 1) / head.chunkByteCount + 1
    try self.init(
      head: head, chunkCount: count,
      lastChunkByteCount: stream - (count - 1) * head.chunkByteCount)
  }

  private init(
    head: SealedFileHead, chunkCount: Int, lastChunkByteCount: Int
  ) throws(FormatError) {
    guard chunkCount <= Limits.chunkCount else {
      throw .valueOutOfRange(
        field: "chunk count", offset: 0, found: UInt64(chunkCount),
        allowed: 1...UInt64(Limits.chunkCount))
    }
    chunksOffset = head.chunksOffset
    chunkByteCount = head.chunkByteCount
    self.chunkCount = chunkCount
    self.lastChunkByteCount = lastChunkByteCount
  }

  /// The stream: payload and padding.
  package var streamByteCount: Int { (chunkCount - 1) * chunkByteCount + lastChunkByteCount }

  /// The whole file.
  package var fileByteCount: Int {
    chunksOffset + streamByteCount + chunkCount * Limits.tagByteCount
  }

  /// Whether `chunk`, counted from 0, is the last.
  package func isFinal(_ chunk: Int) -> Bool { chunk == chunkCount - 1 }

  /// Plain text of `chunk`, counted from 0.
  package func byteCount(ofChunk chunk: Int) -> Int {
    precondition((0..<chunkCount).contains(chunk), "no such chunk")
    return isFinal(chunk) ? lastChunkByteCount : chunkByteCount
  }

  /// Where the plain text of `chunk`, counted from 0, lies in the stream.
  package func streamRange(ofChunk chunk: Int) -> Range<Int> {
    let start = chunk * chunkByteCount
    return start..<(start + byteCount(ofChunk: chunk))
  }

  /// Where `chunk`, counted from 0, lies in the file with its tag.
  package func fileRange(ofChunk chunk: Int) -> Range<Int> {
    let start = chunksOffset + chunk * (chunkByteCount + Limits.tagByteCount)
    return start..<(start + byteCount(ofChunk: chunk) + Limits.tagByteCount)
  }

  /// Checks that a file of this geometry is the one that a payload has (spec §6.2).
  ///
  /// - Throws: `mismatch` if the stream has another byte count than the payload padded,
  ///   `valueOutOfRange` if the payload is too large.
  package func check(payloadByteCount: UInt64, head: SealedFileHead) throws(FormatError) {
    let wanted = try ChunkGeometry(payloadByteCount: payloadByteCount, head: head)
    guard wanted == self else {
      throw .mismatch(
        field: "stream byte count", offset: chunksOffset,
        expected: UInt64(wanted.streamByteCount), found: UInt64(streamByteCount))
    }
  }
}
