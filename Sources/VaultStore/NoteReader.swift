internal import VaultFormat
internal import VaultSealing

/// When the digest of a sealed file is compared with the one that the index lists.
package enum DigestCheck: Sendable {
  /// While the content is delivered: for output that is taken back when the reading throws. A file of at most 1 MiB is
  /// still checked before its first byte is delivered.
  case alongside
  /// Before the first byte is delivered, which reads a larger file twice: for output that cannot be taken back.
  case beforehand
}

/// Whether the receiver of a content wants more of it.
enum ContentDemand: Sendable { case more, enough }

/// Opens and checks notes, one after the other; keep one per worker, its memory is used again (spec §6).
///
/// Nothing is delivered that is not authentic, and a reading that returns has seen exactly the file that is listed.
/// Errors: `damaged` and `sealing` for a file that is not what was sealed, with the chunk where there is one;
/// `noteNotAsListed` with `recordDiffers`, `noteSuperseded` or `noteChanged` for an authentic file that is not the one
/// the index lists; `system`. Their paths are relative to the vault.
package struct NoteReader: ~Copyable, Sendable {
  var worker: NoteWorker
  var expander: ContentExpander
  var buffer = RunBuffer()
  /// The opened chunks of one run.
  var pieces: [UInt8] = []

  /// - Throws: `sealing` where the libraries give no memory.
  package init() throws(StoreError) {
    let worker: NoteWorker
    do { worker = try NoteWorker() } catch { throw .sealing(error, path: []) }
    let expander = try ContentExpander()
    self.worker = worker
    self.expander = expander
  }

  /// Delivers the content of a note in order, in pieces of any size; none for an empty content.
  /// - Parameter file: as `NoteReaderFiles` opens it.
  /// - Throws: see the type, and what `sink` throws.
  package mutating func read(
    _ file: consuming FileDescriptor, of note: NoteInfo, in compartment: UnlockedCompartment,
    checking check: DigestCheck, into sink: (Span<UInt8>) throws(StoreError) -> Void
  ) throws(StoreError) {
    let opened = try open(file, of: note, in: compartment)
    try deliver(opened, of: note, in: compartment, checking: check) {
      (piece) throws(StoreError) in
      try sink(piece)
      return .more
    }
  }

  /// The whole content of a note that is known to be short, such as the target of a link.
  /// - Throws: see the type; `system` with `overLimit` for a longer content.
  package mutating func content(
    _ file: consuming FileDescriptor, of note: NoteInfo, in compartment: UnlockedCompartment,
    limit: Int
  ) throws(StoreError) -> [UInt8] {
    guard note.record.contentByteCount <= UInt64(limit) else {
      throw .system(.overLimit(byteCount: limit), path: Layout.notePath(note.id))
    }
    var content: [UInt8] = []
    content.reserveCapacity(Int(note.record.contentByteCount))
    try read(file, of: note, in: compartment, checking: .alongside) { piece in
      for index in piece.indices { content.append(piece[index]) }
    }
    return content
  }

  /// Whether a note's content is exactly that of a plain file. Ends at the first difference; only when the answer is
  /// yes has the whole note been checked.
  /// - Parameter sourcePath: for errors about the plain file.
  /// - Throws: see the type; `system` with `sourcePath` where the plain file cannot be read.
  package mutating func isEqual(
    _ file: consuming FileDescriptor, of note: NoteInfo, in compartment: UnlockedCompartment,
    to source: borrowing FileDescriptor, sourcePath: [UInt8]
  ) throws(StoreError) -> Bool {
    let sourceByteCount: UInt64
    do { sourceByteCount = try source.status().byteCount } catch {
      throw .system(error, path: sourcePath)
    }
    guard sourceByteCount == note.record.contentByteCount else { return false }
    let opened = try open(file, of: note, in: compartment)
    var offset: UInt64 = 0
    var isEqual = true
    var other: [UInt8] = []
    try deliver(opened, of: note, in: compartment, checking: .alongside) {
      (piece) throws(StoreError) in
      if other.count < piece.count { other = [UInt8](repeating: 0, count: piece.count) }
      var room = other.mutableSpan
      var part = room._mutatingExtracting(0..<piece.count)
      let count: Int
      do throws(SystemError) { count = try source.read(into: &part, at: offset) } catch {
        throw .system(error, path: sourcePath)
      }
      offset += UInt64(count)
      isEqual = count == piece.count && piece.holdsSameBytes(as: part.span)
      return isEqual ? .more : .enough
    }
    return isEqual
  }
}
