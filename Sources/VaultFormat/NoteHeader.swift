/// What the header box of a sealed file holds (spec §6.1).
package struct NoteHeader: Hashable, Sendable {
  /// The path at the time of sealing, 1 to 8,192 bytes; not checked to be safe (`SafePath.check`).
  package let path: [UInt8]
  /// The content record, with the keys of a later version.
  package let content: ContentRecord
  package let executable: Bool
  private let padded: [UInt8]

  /// The header of a note.
  ///
  /// - Throws: `wrongByteCount` if the path or the whole header has a byte count outside its bounds.
  package init(path: [UInt8], content: ContentRecord, executable: Bool) throws(FormatError) {
    let allowed = Limits.pathByteCount
    guard allowed.contains(path.count) else {
      throw .wrongByteCount(
        field: "path", offset: 0,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(path.count))
    }
    var map = CBOR.Writer(capacity: path.count + 2 * Limits.headerPadding)
    map.writeMapHeader(2 + content.keyCount + content.laterKeys.count)
    map.writeUnsigned(1)
    map.writeBytes(path)
    content.encodeFields(into: &map)
    map.writeUnsigned(9)
    map.writeBool(executable)
    content.encodeEnd(into: &map)
    let blocks = (map.bytes.count + Limits.headerPadding - 1) / Limits.headerPadding
    let paddedCount = blocks * Limits.headerPadding
    try Self.check(byteCount: paddedCount)
    var writer = ByteWriter(capacity: paddedCount)
    writer.append(map.bytes)
    writer.appendZeros(paddedCount - map.bytes.count)
    self.path = path
    self.content = content
    self.executable = executable
    padded = writer.bytes
  }

  /// Decodes the opened header box, with its padding.
  ///
  /// - Throws: `wrongByteCount` for a byte count that is no multiple of 256 within bounds,
  ///   `nonZeroPadding`, `trailingBytes` for more padding than needed, and what a map can be wrong
  ///   with.
  package init(decoding bytes: Span<UInt8>) throws(FormatError) {
    try Self.check(byteCount: bytes.count)
    var reader = CBOR.Reader(bytes)
    var keys = try reader.readMapHeader(as: "header")
    try reader.requireKey(1, in: &keys, as: "path")
    path = [UInt8](copying: try reader.readBytes(Limits.pathByteCount, as: "path"))
    var content = try ContentRecord(parsing: &reader, keys: &keys)
    try reader.requireKey(9, in: &keys, as: "executable")
    executable = try reader.readBool(as: "executable")
    try content.finish(parsing: &reader, keys: &keys)
    self.content = content
    guard reader.remaining < Limits.headerPadding else {
      throw .trailingBytes(offset: reader.offset)
    }
    try reader.finishWithZeros(as: "header padding")
    padded = [UInt8](copying: bytes)
  }

  /// The plain text of the header box, with its padding: 256 to 12,032 bytes.
  package func encoded() -> [UInt8] { padded }

  private static func check(byteCount: Int) throws(FormatError) {
    let allowed = Limits.headerByteCount
    guard allowed.contains(byteCount), byteCount.isMultiple(of: Limits.headerPadding) else {
      throw .wrongByteCount(
        field: "header", offset: 0,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(byteCount))
    }
  }
}
