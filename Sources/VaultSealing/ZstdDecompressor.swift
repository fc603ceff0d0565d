import CZstd
import VaultFormat

/// Expands authenticated payloads, each of exactly one frame; one object per worker, used for
/// many payloads one after the other (spec §6.2).
@safe package struct ZstdDecompressor: ~Copyable {
  private let context: OpaquePointer
  private var contentByteCount: UInt64 = 0
  private var contentWritten: UInt64 = 0
  private var payloadByteCount: UInt64 = 0
  private var payloadRead: UInt64 = 0
  private var atStart = true
  private var atEnd = false

  /// - Throws: `.outOfMemory`.
  package init() throws(ZstdFailure) {
    guard let context = unsafe ZSTD_createDCtx() else { throw .outOfMemory }
    do throws(ZstdFailure) {
      _ = try ZstdLibrary.count(
        unsafe ZSTD_DCtx_setParameter(
          context, ZSTD_d_windowLogMax, CInt(Limits.windowLog2)))
    } catch {
      _ = unsafe ZSTD_freeDCtx(context)
      throw error
    }
    unsafe self.context = context
  }

  deinit { _ = unsafe ZSTD_freeDCtx(context) }

  /// Starts a payload of `payloadByteCount` bytes that has to give `contentByteCount` bytes.
  package mutating func begin(
    payloadByteCount: UInt64, contentByteCount: UInt64
  ) throws(ZstdFailure) {
    _ = try ZstdLibrary.count(unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only))
    self.contentByteCount = contentByteCount
    self.payloadByteCount = payloadByteCount
    contentWritten = 0
    payloadRead = 0
    atStart = true
    atEnd = false
  }

  /// Expands `piece` from `consumed` on into `output` and returns how many bytes it wrote there.
  ///
  /// Call again with the same piece until `consumed` is its count and the result is less than
  /// the output's count; then feed the next piece. The first piece of a payload has to hold at
  /// least 18 bytes, or the whole payload.
  ///
  /// - Throws: `ZstdFailure`; what was written before it stays authentic content.
  package mutating func expand(
    _ piece: Span<UInt8>, from consumed: inout Int, into output: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) -> Int {
    precondition(!output.isEmpty, "no room to expand into")
    if atStart {
      let header = try ZstdFrameHeader(parsing: piece)
      if let stated = header.contentByteCount, stated != contentByteCount {
        throw .statedContentDiffers(stated: stated, recorded: contentByteCount)
      }
      atStart = false
    }
    guard !atEnd else {
      guard consumed == piece.count else { throw .trailingBytes(offset: payloadRead) }
      return 0
    }
    let written = try step(piece, &consumed, &output)
    contentWritten += UInt64(written)
    guard contentWritten <= contentByteCount else {
      throw .contentTooLong(recorded: contentByteCount)
    }
    return written
  }

  /// One call of the library, with room for one byte more than the content may still have.
  private mutating func step(
    _ piece: Span<UInt8>, _ consumed: inout Int, _ output: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) -> Int {
    let remaining = contentByteCount - contentWritten
    let room = UInt64(output.count) > remaining ? Int(remaining) + 1 : output.count
    let start = consumed
    let (result, written, end) = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe piece.withUnsafeBufferPointer { piece in
        var to = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: room, pos: 0)
        var from = unsafe ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: start)
        let result = unsafe ZSTD_decompressStream(context, &to, &from)
        return (result, unsafe to.pos, unsafe from.pos)
      }
    }
    atEnd = try ZstdLibrary.count(result) == 0
    consumed = end
    payloadRead += UInt64(end - start)
    return written
  }

  /// Ends the payload: its one frame must have ended with it and have given all of the content.
  ///
  /// - Throws: `.truncated`, `.trailingBytes`, `.contentTooShort`.
  package mutating func finish() throws(ZstdFailure) {
    guard atEnd else { throw .truncated }
    guard payloadRead == payloadByteCount else { throw .trailingBytes(offset: payloadRead) }
    guard contentWritten == contentByteCount else {
      throw .contentTooShort(found: contentWritten, recorded: contentByteCount)
    }
  }

  /// Expands a whole payload of exactly one frame, which has to fill `output` exactly.
  ///
  /// - Throws: `ZstdFailure`; what is in `output` then means nothing.
  package mutating func expand(
    _ payload: Span<UInt8>, filling output: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) {
    try begin(payloadByteCount: UInt64(payload.count), contentByteCount: UInt64(output.count))
    var consumed = 0
    var written = 0
    var surplus: [UInt8] = [0]
    var isMoving = true
    while isMoving, !atEnd {
      let count: Int
      if written < output.count {
        var room = output._mutatingExtracting(written..<output.count)
        count = try expand(payload, from: &consumed, into: &room)
      } else {
        var room = surplus.mutableSpan
        count = try expand(payload, from: &consumed, into: &room)
      }
      written += count
      isMoving = count > 0 || consumed < payload.count
    }
    try finish()
  }
}

/// Safe to hand to another thread: the context has one owner, and every use is exclusive.
extension ZstdDecompressor: @unchecked Sendable {}
