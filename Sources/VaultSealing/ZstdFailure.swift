/// What is wrong with a zstd frame, or what the compression library refused (spec §6.2).
package enum ZstdFailure: Error, Equatable, Sendable {
  /// The payload does not begin as a zstd frame: skippable frames and old formats included.
  case notAFrame
  /// The frame header sets its reserved bit.
  case reservedBit
  /// The frame asks for a dictionary.
  case dictionary(id: UInt32)
  /// The frame asks for a window above `ZstdFrameHeader.windowMaximum` bytes.
  case windowTooLarge(byteCount: UInt64)
  /// The frame header states another content byte count than the one recorded.
  case statedContentDiffers(stated: UInt64, recorded: UInt64)
  /// The frame gives more than the recorded content byte count.
  case contentTooLong(recorded: UInt64)
  /// The frame ended with less than the recorded content byte count.
  case contentTooShort(found: UInt64, recorded: UInt64)
  /// The payload ends before its frame does.
  case truncated
  /// The frame ends before the payload does.
  case trailingBytes(offset: UInt64)
  /// More or fewer bytes were fed to the compressor than were announced.
  case pledgeBroken
  /// No memory for a context.
  case outOfMemory
  /// Any other refusal of the library, by its own error number.
  case library(code: UInt32)
}

extension ZstdFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAFrame: "the payload is not a zstd frame"
    case .reservedBit: "the zstd frame sets its reserved bit"
    case .dictionary(let id): "the zstd frame asks for dictionary \(id)"
    case .windowTooLarge(let byteCount):
      "the zstd frame asks for a window of \(byteCount) bytes, more than a vault allows"
    case .statedContentDiffers(let stated, let recorded):
      "the zstd frame states \(stated) bytes of content where \(recorded) are recorded"
    case .contentTooLong(let recorded):
      "the zstd frame gives more than the recorded \(recorded) bytes"
    case .contentTooShort(let found, let recorded):
      "the zstd frame gives \(found) bytes where \(recorded) are recorded"
    case .truncated: "the payload ends before its zstd frame does"
    case .trailingBytes(let offset): "the zstd frame ends at byte \(offset) of a longer payload"
    case .pledgeBroken: "the content has another byte count than was announced"
    case .outOfMemory: "no memory for compression"
    case .library(let code): "libzstd refused with error \(code)"
    }
  }
}
