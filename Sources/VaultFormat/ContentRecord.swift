/// What a note is; the raw value stands in its content record (spec §6.1).
package enum ContentType: UInt8, Hashable, Sendable, CaseIterable {
  case file = 1
  case folder = 2
  case link = 3

  /// The byte counts that a content of this type may have.
  package var contentByteCount: ClosedRange<UInt64> {
    switch self {
    case .file: 0...Limits.contentByteCount
    case .folder: 0...0
    case .link: Limits.linkTargetByteCount
    }
  }
}

/// How a payload or body is stored; the raw value stands beside it (spec §6.1, §7.3).
package enum Compression: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0
  case zstd = 1
}

/// What is known of a note's content without opening it; the header has it and the index repeats it
/// (spec §6.1, §7.3).
package struct ContentRecord: Hashable, Sendable {
  package let type: ContentType
  /// 1 to 255 bytes of UTF-8, or nil.
  package let mediaType: String?
  /// Byte count of the content: at most 2^56, 0 for a folder, 1 to 4,096 for a link.
  package let contentByteCount: UInt64
  /// Byte count of what is sealed: of the content, or of its zstd frame; at most 2^56.
  package let payloadByteCount: UInt64
  package let compression: Compression
  package let created: Timestamp?
  package let modified: Timestamp
  /// The permission bits that the file or folder had, 0 to 0o777; nil where they were not kept.
  package private(set) var permissions: UInt16?
  /// Keys of a later version.
  package private(set) var laterKeys: LaterKeys

  /// The record of a content.
  ///
  /// - Throws: `wrongByteCount` for a media type that is empty or too long, `valueOutOfRange` for a
  ///   byte count outside its bounds, `mismatch` if the two counts differ without compression,
  ///   `tooDeep` for later keys that do not fit into the index.
  package init(
    type: ContentType, mediaType: String?, contentByteCount: UInt64, payloadByteCount: UInt64,
    compression: Compression, created: Timestamp?, modified: Timestamp,
    permissions: UInt16? = nil, laterKeys: LaterKeys
  ) throws(FormatError) {
    if let mediaType, !Limits.mediaTypeByteCount.contains(mediaType.utf8.count) {
      let allowed = Limits.mediaTypeByteCount
      throw .wrongByteCount(
        field: "media type", offset: 0,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(mediaType.utf8.count))
    }
    guard type.contentByteCount.contains(contentByteCount) else {
      throw .valueOutOfRange(
        field: "content byte count", offset: 0, found: contentByteCount,
        allowed: type.contentByteCount)
    }
    guard payloadByteCount <= Limits.contentByteCount else {
      throw .valueOutOfRange(
        field: "payload byte count", offset: 0, found: payloadByteCount,
        allowed: 0...Limits.contentByteCount)
    }
    guard compression != .none || contentByteCount == payloadByteCount else {
      throw .mismatch(
        field: "payload byte count", offset: 0, expected: contentByteCount,
        found: payloadByteCount)
    }
    if let permissions, !Limits.permissions.contains(UInt64(permissions)) {
      throw .valueOutOfRange(
        field: "permissions", offset: 0, found: UInt64(permissions), allowed: Limits.permissions)
    }
    try laterKeys.check(atDepth: SegmentBody.recordDepth)
    self.type = type
    self.mediaType = mediaType
    self.contentByteCount = contentByteCount
    self.payloadByteCount = payloadByteCount
    self.compression = compression
    self.created = created
    self.modified = modified
    self.permissions = permissions
    self.laterKeys = laterKeys
  }

  /// Reads the keys 2 to 8; the rest is left empty for `finish`.
  init(
    parsing reader: inout CBOR.Reader, keys: inout CBOR.MapKeys
  ) throws(FormatError) {
    try reader.requireKey(2, in: &keys, as: "type")
    let typeOffset = reader.offset
    let foundType = try reader.readUnsigned(as: "type")
    guard let type = ContentType(rawValue: UInt8(clamping: foundType)) else {
      throw .valueOutOfRange(field: "type", offset: typeOffset, found: foundType, allowed: 1...3)
    }
    self.type = type
    mediaType =
      try reader.hasKey(3, in: &keys)
      ? try reader.readText(Limits.mediaTypeByteCount, as: "media type") : nil
    try reader.requireKey(4, in: &keys, as: "content byte count")
    contentByteCount = try reader.readUnsigned(type.contentByteCount, as: "content byte count")
    try reader.requireKey(5, in: &keys, as: "payload byte count")
    let payloadOffset = reader.offset
    payloadByteCount = try reader.readUnsigned(
      0...Limits.contentByteCount, as: "payload byte count")
    try reader.requireKey(6, in: &keys, as: "compression")
    let compressionOffset = reader.offset
    let foundCompression = try reader.readUnsigned(as: "compression")
    guard let compression = Compression(rawValue: UInt8(clamping: foundCompression)) else {
      throw .valueOutOfRange(
        field: "compression", offset: compressionOffset, found: foundCompression, allowed: 0...1)
    }
    self.compression = compression
    guard compression != .none || contentByteCount == payloadByteCount else {
      throw .mismatch(
        field: "payload byte count", offset: payloadOffset, expected: contentByteCount,
        found: payloadByteCount)
    }
    created =
      try reader.hasKey(7, in: &keys) ? try Timestamp(parsing: &reader, as: "created") : nil
    try reader.requireKey(8, in: &keys, as: "modified")
    modified = try Timestamp(parsing: &reader, as: "modified")
    permissions = nil
    laterKeys = LaterKeys()
  }

  /// Reads key 10 and the keys of 128 or more, and ends the map.
  mutating func finish(
    parsing reader: inout CBOR.Reader, keys: inout CBOR.MapKeys
  ) throws(FormatError) {
    if try reader.hasKey(10, in: &keys) {
      permissions = UInt16(try reader.readUnsigned(Limits.permissions, as: "permissions"))
    }
    laterKeys = try reader.finishMap(&keys)
    try laterKeys.check(atDepth: SegmentBody.recordDepth)
  }

  /// How many keys below 128 there are.
  var keyCount: Int {
    5 + (mediaType == nil ? 0 : 1) + (created == nil ? 0 : 1) + (permissions == nil ? 0 : 1)
  }

  /// Writes the keys 2 to 8 with their values.
  func encodeFields(into writer: inout CBOR.Writer) {
    writer.writeUnsigned(2)
    writer.writeUnsigned(UInt64(type.rawValue))
    if let mediaType {
      writer.writeUnsigned(3)
      writer.writeText(mediaType)
    }
    writer.writeUnsigned(4)
    writer.writeUnsigned(contentByteCount)
    writer.writeUnsigned(5)
    writer.writeUnsigned(payloadByteCount)
    writer.writeUnsigned(6)
    writer.writeUnsigned(UInt64(compression.rawValue))
    if let created {
      writer.writeUnsigned(7)
      created.encode(into: &writer)
    }
    writer.writeUnsigned(8)
    modified.encode(into: &writer)
  }

  /// Writes key 10 and the keys of 128 or more; in a header, key 9 comes before it.
  func encodeEnd(into writer: inout CBOR.Writer) {
    if let permissions {
      writer.writeUnsigned(10)
      writer.writeUnsigned(UInt64(permissions))
    }
    writer.writeLaterKeys(laterKeys)
  }
}
