internal import VaultFormat
internal import VaultSealing

/// The bytes of a base: the expanded byte count, then a zstd frame over fields that stand together by kind, because like
/// things compress well beside each other.
extension PackBase {
  /// Bytes of a line besides its path.
  private static let lineByteCount = 4 + 8 + 12 + 12 + 8 + 1 + 16 + 16
  /// What the frame is over may be this many times larger than the file; more is no base of ours.
  private static let expansionMaximum = 512

  /// - Throws: `zstd`.
  func packed() throws(SealingError) -> [UInt8] {
    let plain = encoded()
    var room = [UInt8](repeating: 0, count: plain.count + plain.count / 8 + 512)
    let count: Int?
    do throws(ZstdFailure) {
      var compressor = try ZstdCompressor(level: 1)
      var output = room.mutableSpan
      count = try compressor.compress(plain.span, into: &output)
    } catch {
      throw .zstd(error)
    }
    var writer = ByteWriter(capacity: 8 + (count ?? 0))
    writer.append(UInt64(plain.count))
    writer.append(Array(room[..<(count ?? 0)]))
    return writer.bytes
  }

  /// - Throws: `zstd`, `format`.
  init(unpacking bytes: [UInt8]) throws(SealingError) {
    var plain: [UInt8]
    do throws(FormatError) {
      var reader = ByteReader(bytes.span)
      let count = try reader.integer(UInt64.self, as: "expanded byte count")
      guard count > 0, count <= UInt64(bytes.count * Self.expansionMaximum),
        count <= UInt64(BaseFile.byteCountMaximum)
      else { throw .wrongByteCount(field: "base", offset: 0, allowed: 1...count, found: count) }
      plain = [UInt8](repeating: 0, count: Int(count))
    } catch {
      throw .format(error)
    }
    do throws(ZstdFailure) {
      var decompressor = try ZstdDecompressor()
      var output = plain.mutableSpan
      try decompressor.expand(bytes.span.extracting(8...), filling: &output)
    } catch {
      throw .zstd(error)
    }
    do { try self.init(decoding: plain.span) } catch { throw .format(error) }
  }

  private func encoded() -> [UInt8] {
    var writer = ByteWriter(
      capacity: 16 + lines.reduce(0) { $0 + Self.lineByteCount + $1.path.count })
    Self.append(written, to: &writer)
    writer.append(UInt32(clamping: lines.count))
    for line in lines { writer.append(UInt32(clamping: line.path.count)) }
    for line in lines { writer.append(line.path) }
    for line in lines {
      line.note.append(to: &writer)
      line.state.append(to: &writer)
    }
    for line in lines {
      Self.append(line.modified, to: &writer)
      Self.append(line.changed, to: &writer)
      writer.append(line.byteCount)
      writer.append(line.inode)
      writer.append(UInt8(line.isExecutable ? 1 : 0))
    }
    return writer.bytes
  }

  private init(decoding bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    let written = try Self.time(from: &reader)
    let count = Int(try reader.integer(UInt32.self, as: "lines"))
    guard count <= bytes.count / Self.lineByteCount else {
      throw .truncated(
        field: "lines", offset: reader.offset, needed: count * Self.lineByteCount,
        available: bytes.count)
    }
    var pathByteCounts: [Int] = []
    for _ in 0..<count { pathByteCounts.append(Int(try reader.integer(UInt32.self, as: "path"))) }
    var paths: [[UInt8]] = []
    for byteCount in pathByteCounts {
      paths.append([UInt8](copying: try reader.bytes(byteCount, as: "path")))
    }
    var owners: [(note: NoteID, state: StatePrefix)] = []
    for _ in 0..<count {
      let note = try NoteID(parsing: &reader, as: "note")
      owners.append((note, try StatePrefix(parsing: &reader, as: "state")))
    }
    var lines: [Line] = []
    lines.reserveCapacity(count)
    for (path, owner) in zip(paths, owners) {
      let modified = try Self.time(from: &reader)
      let changed = try Self.time(from: &reader)
      lines.append(
        Line(
          path: path, byteCount: try reader.integer(as: "byte count"), modified: modified,
          changed: changed, inode: try reader.integer(as: "inode"),
          isExecutable: try reader.integer(UInt8.self, as: "executable") != 0, note: owner.note,
          state: owner.state))
    }
    try reader.finish()
    self.init(written: written, lines: lines)
  }

  private static func append(_ time: FileTime, to writer: inout ByteWriter) {
    writer.append(UInt64(bitPattern: time.seconds))
    writer.append(time.nanoseconds)
  }

  private static func time(from reader: inout ByteReader) throws(FormatError) -> FileTime {
    let seconds = Int64(bitPattern: try reader.integer(as: "seconds"))
    let nanoseconds = try reader.integer(UInt32.self, as: "nanoseconds")
    guard Limits.nanoseconds.contains(nanoseconds) else {
      throw .valueOutOfRange(
        field: "nanoseconds", offset: reader.offset, found: UInt64(nanoseconds),
        allowed: 0...UInt64(Limits.nanoseconds.upperBound))
    }
    return FileTime(seconds: seconds, nanoseconds: nanoseconds)
  }
}
