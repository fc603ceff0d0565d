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
