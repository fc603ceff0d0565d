package import VaultFormat

/// What `pack` last saw in a source folder and where it put it (spec §10): the base of a three-way comparison.
package struct PackBase: Equatable, Sendable {
  /// One path of the source.
  package struct Line: Equatable, Sendable {
    package let path: [UInt8]
    package let byteCount: UInt64
    package let modified: FileTime
    package let changed: FileTime
    package let inode: UInt64
    /// The note that holds it, and its state then.
    package let note: NoteID
    package let digest: Digest

    package init(path: [UInt8], status: FileStatus, note: NoteID, digest: Digest) {
      self.init(
        path: path, byteCount: status.byteCount, modified: status.modified,
        changed: status.changed, inode: status.identity.inode, note: note, digest: digest)
    }

    init(
      path: [UInt8], byteCount: UInt64, modified: FileTime, changed: FileTime, inode: UInt64,
      note: NoteID, digest: Digest
    ) {
      self.path = path
      self.byteCount = byteCount
      self.modified = modified
      self.changed = changed
      self.inode = inode
      self.note = note
      self.digest = digest
    }
  }

  /// When it was written.
  package let written: FileTime
  /// Ascending by path.
  package let lines: [Line]

  package init(written: FileTime, lines: [Line]) {
    self.written = written
    self.lines = lines.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  /// A file that was touched within 2 s of the base being written may have changed again unseen.
  private static let racySeconds: Int64 = 2

  /// Whether a file's status proves that its content is still what the line says.
  package func proves(_ line: Line, _ status: FileStatus) -> Bool {
    line.byteCount == status.byteCount && line.modified == status.modified
      && line.changed == status.changed && line.inode == status.identity.inode
      && isSettled(line.modified) && isSettled(line.changed)
  }

  private func isSettled(_ time: FileTime) -> Bool {
    let (limit, overflow) = time.seconds.addingReportingOverflow(Self.racySeconds)
    return !overflow && FileTime(seconds: limit, nanoseconds: time.nanoseconds) < written
  }
}
