import CZstd
import VaultFormat

/// Makes zstd frames without dictionary or checksum, with the content byte count in the header
/// and a window of at most 8 MiB; one object per worker, used for many contents one after the
/// other (spec §6.2).
@safe package struct ZstdCompressor: ~Copyable {
  /// Levels that can be asked for.
  package static let levels: ClosedRange<Int32> = 1...22

  /// From this level on the library would choose windows above 8 MiB by itself.
  private static let firstLevelWithLargeWindow: Int32 = 17

  private let context: OpaquePointer

  /// - Parameter level: one of `levels`.
  /// - Throws: `.outOfMemory`, `.library`.
  package init(level: Int32) throws(ZstdFailure) {
    precondition(Self.levels.contains(level), "no such compression level")
    guard let context = unsafe ZSTD_createCCtx() else { throw .outOfMemory }
    var parameters = [
      (ZSTD_c_compressionLevel, level), (ZSTD_c_contentSizeFlag, 1), (ZSTD_c_checksumFlag, 0),
    ]
    if level >= Self.firstLevelWithLargeWindow {
      parameters.append((ZSTD_c_windowLog, CInt(Limits.windowLog2)))
    }
    do throws(ZstdFailure) {
      for (parameter, value) in parameters {
        _ = try ZstdLibrary.count(unsafe ZSTD_CCtx_setParameter(context, parameter, value))
      }
    } catch {
      _ = unsafe ZSTD_freeCCtx(context)
      throw error
    }
    unsafe self.context = context
  }

  deinit { _ = unsafe ZSTD_freeCCtx(context) }

  /// Compresses `content` into the front of `output` as one frame.
  ///
  /// - Returns: the frame's byte count, or nil if it does not fit.
  package mutating func compress(
    _ content: Span<UInt8>, into output: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) -> Int? {
    _ = try ZstdLibrary.count(unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_only))
    let result = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe content.withUnsafeBufferPointer { content in
        unsafe ZSTD_compress2(
          context, output.baseAddress, output.count, content.baseAddress, content.count)
      }
    }
    if ZSTD_isError(result) != 0, ZSTD_getErrorCode(result) == ZSTD_error_dstSize_tooSmall {
      return nil
    }
    return try ZstdLibrary.count(result)
  }

  /// Starts a frame over exactly `contentByteCount` bytes that come in pieces.
  package mutating func begin(contentByteCount: UInt64) throws(ZstdFailure) {
    _ = try ZstdLibrary.count(unsafe ZSTD_CCtx_reset(context, ZSTD_reset_session_only))
    _ = try ZstdLibrary.count(unsafe ZSTD_CCtx_setPledgedSrcSize(context, contentByteCount))
  }

  /// Compresses `piece` from `consumed` on into the front of `output` and returns how many bytes
  /// it wrote there. Call again until `consumed` is the piece's count.
  ///
  /// - Throws: `.pledgeBroken` when more comes than was announced.
  package mutating func compress(
    _ piece: Span<UInt8>, from consumed: inout Int, into output: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) -> Int {
    try step(piece, &consumed, &output, ZSTD_e_continue).written
  }

  /// Writes what is left of the frame into the front of `output`; call until `isComplete`.
  ///
  /// - Throws: `.pledgeBroken` when less came than was announced.
  package mutating func finish(
    into output: inout MutableSpan<UInt8>
  ) throws(ZstdFailure) -> (written: Int, isComplete: Bool) {
    var consumed = 0
    let (written, waiting) = try step(Span(), &consumed, &output, ZSTD_e_end)
    return (written, waiting == 0)
  }

  private mutating func step(
    _ piece: Span<UInt8>, _ consumed: inout Int, _ output: inout MutableSpan<UInt8>,
    _ directive: ZSTD_EndDirective
  ) throws(ZstdFailure) -> (written: Int, waiting: Int) {
    precondition(!output.isEmpty, "no room to compress into")
    let start = consumed
    let (result, written, end) = unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe piece.withUnsafeBufferPointer { piece in
        var to = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        var from = unsafe ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: start)
        let result = unsafe ZSTD_compressStream2(context, &to, &from, directive)
        return (result, unsafe to.pos, unsafe from.pos)
      }
    }
    if ZSTD_isError(result) != 0, ZSTD_getErrorCode(result) == ZSTD_error_srcSize_wrong {
      throw .pledgeBroken
    }
    let waiting = try ZstdLibrary.count(result)
    consumed = end
    return (written, waiting)
  }
}

/// Safe to hand to another thread: the context has one owner, and every use is exclusive.
extension ZstdCompressor: @unchecked Sendable {}
