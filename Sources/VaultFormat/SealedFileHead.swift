/// The public part of a sealed file: preamble and map (spec §6). A commitment, the header box and
/// the chunks follow it.
package struct SealedFileHead: Hashable, Sendable {
  package let compartment: CompartmentID
  package let noteID: NoteID
  package let salt: Salt
  /// Base 2 logarithm of the chunk size in bytes, 12 to 24.
  package let chunkSizeLog2: UInt8
  package let baseNonce: Nonce
  /// Byte count of the header box, 284 to 12,060.
  package let headerBoxByteCount: Int
  /// Keys of a later version.
  package let laterKeys: LaterKeys
  /// Preamble and public map exactly as stored; keys and associated data depend on them.
  package let prefix: [UInt8]

  /// Every part before chunk 0 lies in this many bytes from the start of the file, at most.
  package static let maximumChunksOffset =
    Limits.preambleByteCount + Limits.publicMapByteCount.upperBound
    + Limits.commitmentByteCount + Limits.headerBoxByteCount.upperBound

  /// The head of a new sealed file.
  ///
  /// - Throws: `valueOutOfRange` for a chunk size or byte count outside its bounds,
  ///   `wrongByteCount` if the later keys make the map too long, `tooDeep`.
  package init(
    compartment: CompartmentID, noteID: NoteID, salt: Salt, chunkSizeLog2: UInt8,
    baseNonce: Nonce, headerBoxByteCount: Int, laterKeys: LaterKeys
  ) throws(FormatError) {
    guard Limits.chunkSizeLog2.contains(chunkSizeLog2) else {
      throw .valueOutOfRange(
        field: "chunk size", offset: 0, found: UInt64(chunkSizeLog2),
        allowed: Self.chunkSizeLog2Bounds)
    }
    guard Limits.headerBoxByteCount.contains(headerBoxByteCount) else {
      throw .valueOutOfRange(
        field: "header box byte count", offset: 0, found: UInt64(clamping: headerBoxByteCount),
        allowed: Self.headerBoxBounds)
    }
    try laterKeys.check(atDepth: 1)
    self.compartment = compartment
    self.noteID = noteID
    self.salt = salt
    self.chunkSizeLog2 = chunkSizeLog2
    self.baseNonce = baseNonce
    self.headerBoxByteCount = headerBoxByteCount
    self.laterKeys = laterKeys
    var map = CBOR.Writer()
    map.writeMapHeader(6 + laterKeys.count)
    map.writeUnsigned(1)
    map.writeBytes(compartment)
    map.writeUnsigned(2)
    map.writeBytes(noteID)
    map.writeUnsigned(3)
    map.writeBytes(salt)
    map.writeUnsigned(4)
    map.writeUnsigned(UInt64(chunkSizeLog2))
    map.writeUnsigned(5)
    map.writeBytes(baseNonce)
    map.writeUnsigned(6)
    map.writeUnsigned(UInt64(headerBoxByteCount))
    map.writeLaterKeys(laterKeys)
    prefix = try Preamble.prefix(of: .sealedFile, map: map)
  }

  /// Reads preamble and map from the front of a sealed file, of which `reader` may hold only the
  /// first bytes. The commitment comes next.
  ///
  /// - Throws: what a preamble and a public map can be wrong with.
  package init(parsing reader: inout ByteReader) throws(FormatError) {
    let fileStart = reader.offset
    let preamble = try Preamble(parsing: &reader, expecting: .sealedFile)
    let start = reader.offset
    var map = CBOR.Reader(
      try reader.bytes(preamble.publicMapByteCount, as: "public map"), baseOffset: start)
    var keys = try map.readMapHeader(as: "sealed file")
    try map.requireKey(1, in: &keys, as: "compartment")
    compartment = try map.read16(as: "compartment")
    try map.requireKey(2, in: &keys, as: "note id")
    noteID = try map.read16(as: "note id")
    try map.requireKey(3, in: &keys, as: "salt")
    salt = try map.read32(as: "salt")
    try map.requireKey(4, in: &keys, as: "chunk size")
    chunkSizeLog2 = UInt8(try map.readUnsigned(Self.chunkSizeLog2Bounds, as: "chunk size"))
    try map.requireKey(5, in: &keys, as: "base nonce")
    baseNonce = try map.readNonce(as: "base nonce")
    try map.requireKey(6, in: &keys, as: "header box byte count")
    headerBoxByteCount = Int(
      try map.readUnsigned(Self.headerBoxBounds, as: "header box byte count"))
    laterKeys = try map.finishMap(&keys)
    try map.finish()
    prefix = reader.bytesRead(since: fileStart)
  }

  private static var chunkSizeLog2Bounds: ClosedRange<UInt64> {
    UInt64(Limits.chunkSizeLog2.lowerBound)...UInt64(Limits.chunkSizeLog2.upperBound)
  }

  private static var headerBoxBounds: ClosedRange<UInt64> {
    UInt64(Limits.headerBoxByteCount.lowerBound)...UInt64(Limits.headerBoxByteCount.upperBound)
  }
}

// MARK: - Where the parts lie

extension SealedFileHead {
  /// Bytes of plain text in every chunk but the last.
  package var chunkByteCount: Int { 1 << Int(chunkSizeLog2) }

  /// Where the commitment lies in the file.
  package var commitmentRange: Range<Int> {
    prefix.count..<(prefix.count + Limits.commitmentByteCount)
  }

  /// Where the header box lies in the file.
  package var headerBoxRange: Range<Int> {
    commitmentRange.upperBound..<(commitmentRange.upperBound + headerBoxByteCount)
  }

  /// Where chunk 0 begins in the file.
  package var chunksOffset: Int { headerBoxRange.upperBound }
}
