package import VaultFormat
internal import VaultSealing

/// The versions of one note that git hands to a merge driver, opened; and the seal on what is made of them (spec §7.6).
package struct MergeDriving: Sendable {
  /// A merge holds every version whole; a note of more bytes is left to a person.
  package static let contentByteCount = 67_108_864

  /// A version of a note.
  package struct Version: Sendable {
    package let note: AuthenticNote
    package let content: [UInt8]
  }

  private let secret: CompartmentSecret
  private let id: NoteID

  package init(_ secret: CompartmentSecret, of note: NoteID) {
    self.secret = secret
    id = note
  }

  /// Opens one version, whatever an index says of it.
  /// - Throws: as `NoteReader`; `system` with `overLimit` for a content that is too large.
  package func open(_ file: consuming FileDescriptor) throws(StoreError) -> Version {
    var reader = try NoteReader()
    var content: [UInt8] = []
    let note = try reader.authenticate(file, note: id, keys: secret.keys) {
      (piece) throws(StoreError) in
      guard content.count + piece.count <= Self.contentByteCount else {
        throw .system(
          .overLimit(byteCount: Self.contentByteCount), path: Layout.notePath(id))
      }
      content += [UInt8](copying: piece)
    }
    return Version(note: note, content: content)
  }

  /// Seals a content as what was merged from two versions, under the later path and times of both.
  /// - Returns: the sealed file.
  /// - Throws: `sealing`; `noteNotAsListed` where the two are of different types.
  package func seal(
    _ content: [UInt8], from ours: Version, and theirs: Version
  ) throws(StoreError) -> [UInt8] {
    let (own, other) = (ours.note.header.content, theirs.note.header.content)
    guard own.type == other.type, let mergedFrom = Self.mergedFrom([ours.note, theirs.note]) else {
      throw .noteNotAsListed(path: Layout.notePath(id), .noteConflict)
    }
    let newer = own.modified < other.modified ? theirs.note.header : ours.note.header
    let prepared = try prepare(content, newer)
    var writer = try NoteWriter()
    let sealed = try writer.seal(
      prepared, as: id, path: ours.note.header.path, older: own, keys: secret.keys,
      laterKeys: mergedFrom.laterKeys)
    return Array(writer.sealed[..<Int(sealed.byteCount)])
  }

  /// What the versions were merged from themselves counts in their place: only that is in an index.
  private static func mergedFrom(_ versions: [AuthenticNote]) -> MergedFrom? {
    var states = Set<StatePrefix>()
    for version in versions {
      states.formUnion(version.mergedFrom?.states ?? [version.state.prefix])
    }
    return MergedFrom(states)
  }

  private func prepare(
    _ content: [UInt8], _ header: NoteHeader
  ) throws(StoreError) -> NoteWriterContent {
    var payload = content
    var compression = Compression.none
    let maximum = CompressionChoice.frameByteCountMaximum(contentByteCount: content.count)
    if maximum > 0 {
      do throws(ZstdFailure) {
        var compressor = try ZstdCompressor(level: NoteWriterSource.compressionLevel)
        var frame = [UInt8](repeating: 0, count: maximum)
        var room = frame.mutableSpan
        if let count = try compressor.compress(content.span, into: &room) {
          payload = Array(frame[..<count])
          compression = .zstd
        }
      } catch {
        throw .sealing(.zstd(error), path: Layout.notePath(id))
      }
    }
    let time = FileTime(
      seconds: header.content.modified.seconds, nanoseconds: header.content.modified.nanoseconds)
    let status = FileStatus(
      kind: .regular, byteCount: UInt64(content.count),
      mode: UInt32(header.content.permissions ?? (header.executable ? 0o755 : 0o644)),
      identity: FileIdentity(device: 0, inode: 0), modified: time, changed: time)
    let facts = NoteWriterFacts(
      type: header.content.type, status: status, created: nil,
      contentByteCount: UInt64(content.count), payloadByteCount: UInt64(payload.count),
      compression: compression)
    let padding = NoteWriterSource.paddedByteCount(payload.count) - payload.count
    return NoteWriterContent(facts: facts, stream: payload + [UInt8](repeating: 0, count: padding))
  }
}
