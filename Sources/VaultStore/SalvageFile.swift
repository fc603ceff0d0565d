internal import VaultFormat
internal import VaultSealing

/// How the chunks of a file may have to be read (spec §12.2).
struct SalvageReading: Sendable {
  /// What the chunks are bound to.
  let tag: [UInt8]
  /// Where they lie in the file as it was sealed.
  let geometry: ChunkGeometry
  /// Bytes of the stream before the padding; all of it where nobody knows.
  let payloadByteCount: UInt64
  /// Of the header or, where that is lost, of the index; nil where neither says.
  let record: ContentRecord?
  /// Authentic once a chunk has opened.
  let header: NoteHeader?
  /// Everything before chunk 0 as it was sealed, as far as known.
  let front: [UInt8]
  /// Whether the count of the chunks is the file's own, which may have been cut.
  let isMeasured: Bool

  init(
    tag: [UInt8], geometry: ChunkGeometry, record: ContentRecord?, header: NoteHeader? = nil,
    front: [UInt8], isMeasured: Bool = false
  ) {
    self.tag = tag
    self.geometry = geometry
    self.record = record
    self.header = header
    self.front = front
    self.isMeasured = isMeasured
    payloadByteCount = record?.payloadByteCount ?? UInt64(geometry.streamByteCount)
  }

  /// The same file, but nobody knows its record.
  var withoutRecord: SalvageReading {
    SalvageReading(
      tag: tag, geometry: geometry, record: nil, header: nil, front: front, isMeasured: isMeasured)
  }

  /// The part of a chunk's plain text that is payload.
  func payloadRange(ofChunk chunk: Int) -> Range<UInt64> {
    let range = geometry.streamRange(ofChunk: chunk)
    return min(
      UInt64(range.lowerBound), payloadByteCount)..<min(
        UInt64(range.upperBound), payloadByteCount)
  }
}

/// A file that was recognised as a sealed file of an opened compartment.
struct SalvageFile: ~Copyable {
  let file: FileDescriptor
  let byteCount: Int
  let head: SalvagedHead
  let compartment: SalvageCompartment
  /// Relative to the vault, for errors.
  let path: [UInt8]

  /// All ways to read it, the surest first; one where the header is authentic.
  ///
  /// - Parameter endTag: what lies before the chunks if they are counted from the end of the file.
  func readings(
    endTag: (ChunkGeometry) -> [UInt8]?
  ) -> [SalvageReading] {
    let tag = Array(head.front.suffix(Limits.tagByteCount))
    if let header = head.header {
      return reading(header, front: head.front).map { [$0] } ?? []
    }
    var readings: [SalvageReading] = []
    if let retagged = head.retagged {
      readings += reading(retagged.header, front: retagged.front).map { [$0] } ?? []
    }
    let record = compartment.record(of: head.head.noteID, fileByteCount: UInt64(byteCount))
    let listed = record.flatMap {
      try? ChunkGeometry(payloadByteCount: $0.payloadByteCount, head: head.head)
    }
    if let measured, measured != listed {
      readings.append(
        SalvageReading(
          tag: tag, geometry: measured, record: nil, front: head.front, isMeasured: true))
    }
    if let listed {
      readings.append(
        SalvageReading(tag: tag, geometry: listed, record: record, front: head.front))
      if listed.fileByteCount != byteCount, let tag = endTag(listed) {
        readings.append(
          SalvageReading(tag: tag, geometry: listed, record: record, front: head.front))
      }
    }
    return readings
  }

  private func reading(_ header: NoteHeader, front: [UInt8]) -> SalvageReading? {
    let geometry = try? ChunkGeometry(
      payloadByteCount: header.content.payloadByteCount, head: head.head)
    return geometry.map {
      SalvageReading(
        tag: Array(front.suffix(Limits.tagByteCount)), geometry: $0, record: header.content,
        header: header, front: front)
    }
  }

  /// The chunks that a file of this byte count can have; bytes at the end that can be none are left out.
  private var measured: ChunkGeometry? {
    if let exact = try? ChunkGeometry(fileByteCount: byteCount, head: head.head) { return exact }
    let stored = head.head.chunkByteCount + Limits.tagByteCount
    let whole = (byteCount - head.head.chunksOffset) / stored * stored
    return try? ChunkGeometry(fileByteCount: head.head.chunksOffset + whole, head: head.head)
  }
}
