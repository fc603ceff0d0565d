internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// The base of `pack` for one source, as it lies sealed in `local/` (spec §10).
package struct BaseFile: Sendable {
  private let vault: VaultFolder
  private let secret: CompartmentSecret
  private let name: [UInt8]

  /// - Parameter sourcePath: absolute, without links.
  /// - Throws: `sealing`.
  package init(
    of sourcePath: [UInt8], in vault: VaultFolder, secret: CompartmentSecret
  ) throws(StoreError) {
    do throws(SealingError) {
      let digest: Digest
      do { digest = Digest(try SHA256.digest(sourcePath.span)) } catch { throw .crypto(error) }
      let stem = try LocalSealing.name(of: digest, keys: secret.keys)
      name = Array("\(stem).cache".utf8)
    } catch {
      throw .sealing(error, path: Layout.local)
    }
    self.vault = vault
    self.secret = secret
  }

  /// What the last pack of this source left; nil where there is nothing, or nothing that can be used.
  package func load() -> PackBase? {
    // A base only saves work and tells whose change is whose; a broken one is as good as none.
    guard let folder = try? Directory(opening: Layout.local, in: vault.root),
      let bytes = try? folder.readWhole(name, limit: Self.byteCountMaximum),
      let content = try? LocalSealing.open(bytes.span, keys: secret.keys)
    else { return nil }
    return try? PackBase(decoding: content.span)
  }

  /// Replaces what is there.
  /// - Throws: `system`, `sealing`.
  package func save(_ base: PackBase) throws(StoreError) {
    let bytes: [UInt8]
    let temporaryName: [UInt8]
    do throws(SealingError) {
      let fresh = try Fresh()
      let content = base.encoded()
      bytes = try LocalSealing.seal(
        content.span, keys: secret.keys, salt: fresh.salt, nonce: fresh.nonce)
      temporaryName = Array("\(fresh.id.hex).part".utf8)
    } catch {
      throw .sealing(error, path: Layout.local)
    }
    do {
      if try vault.root.status(of: Layout.local) == nil {
        try vault.root.makeDirectory(Layout.local)
      }
      let folder = try Directory(opening: Layout.local, in: vault.root)
      try Self.removeHalfWritten(in: folder)
      try AtomicWrite.save(
        bytes.span, as: name, in: folder, temporaryName: temporaryName, replacing: .allowed)
    } catch {
      throw .system(error, path: Layout.path(Layout.local, name))
    }
  }

  /// Removes what a run that was killed in the middle of saving left.
  private static func removeHalfWritten(in folder: borrowing Directory) throws(SystemError) {
    for entry in try folder.entries() where entry.name.suffix(5).elementsEqual(".part".utf8) {
      try folder.unlink(entry.name)
    }
  }

  /// Far above what the notes that fit into a segment need.
  private static let byteCountMaximum = 1 << 30
}

extension PackBase {
  /// Bytes of a line besides its path.
  private static let lineByteCount = 4 + 8 + 12 + 12 + 8 + 1 + 16 + 32

  func encoded() -> [UInt8] {
    var writer = ByteWriter(
      capacity: 16 + lines.reduce(0) { $0 + Self.lineByteCount + $1.path.count })
    Self.append(written, to: &writer)
    writer.append(UInt32(clamping: lines.count))
    for line in lines {
      writer.append(UInt32(clamping: line.path.count))
      writer.append(line.path)
      writer.append(line.byteCount)
      Self.append(line.modified, to: &writer)
      Self.append(line.changed, to: &writer)
      writer.append(line.inode)
      writer.append(UInt8(line.isExecutable ? 1 : 0))
      line.note.append(to: &writer)
      line.digest.append(to: &writer)
    }
    return writer.bytes
  }

  init(decoding bytes: Span<UInt8>) throws(FormatError) {
    var reader = ByteReader(bytes)
    let written = try Self.time(from: &reader)
    let count = Int(try reader.integer(UInt32.self, as: "lines"))
    guard count <= bytes.count / Self.lineByteCount else {
      throw .truncated(
        field: "lines", offset: reader.offset, needed: count * Self.lineByteCount,
        available: bytes.count)
    }
    var lines: [Line] = []
    lines.reserveCapacity(count)
    for _ in 0..<count {
      let pathByteCount = Int(try reader.integer(UInt32.self, as: "path"))
      let path = [UInt8](copying: try reader.bytes(pathByteCount, as: "path"))
      lines.append(
        Line(
          path: path, byteCount: try reader.integer(as: "byte count"),
          modified: try Self.time(from: &reader), changed: try Self.time(from: &reader),
          inode: try reader.integer(as: "inode"),
          isExecutable: try reader.integer(UInt8.self, as: "executable") != 0,
          note: try NoteID(parsing: &reader, as: "note"),
          digest: try Digest(parsing: &reader, as: "digest")))
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
