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
    package let isExecutable: Bool
    /// The note that holds it, and the front of the digest of its state then, which names the state (spec §7.1).
    package let note: NoteID
    package let state: StatePrefix

    package init(path: [UInt8], status: FileStatus, note: NoteID, state: StatePrefix) {
      // What a folder's status says is about what is in it, and nothing is concluded from it.
      let isFolder = status.kind == .folder
      let epoch = FileTime(seconds: 0, nanoseconds: 0)
      self.init(
        path: path, byteCount: isFolder ? 0 : status.byteCount,
        modified: isFolder ? epoch : status.modified, changed: isFolder ? epoch : status.changed,
        inode: isFolder ? 0 : status.identity.inode,
        isExecutable: status.kind == .regular && status.isExecutable, note: note, state: state)
    }

    /// Whether it was a folder: no file has the inode 0.
    var isOfFolder: Bool { inode == 0 }

    init(
      path: [UInt8], byteCount: UInt64, modified: FileTime, changed: FileTime, inode: UInt64,
      isExecutable: Bool, note: NoteID, state: StatePrefix
    ) {
      self.path = path
      self.byteCount = byteCount
      self.modified = modified
      self.changed = changed
      self.inode = inode
      self.isExecutable = isExecutable
      self.note = note
      self.state = state
    }
  }

  /// When the run began that wrote it: all that it knows was read later.
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

  /// Whether it proves that the file is still the one of the line, whatever it is called now.
  package func provesMoved(_ line: Line, _ status: FileStatus) -> Bool {
    line.byteCount == status.byteCount && line.modified == status.modified
      && line.inode == status.identity.inode && isSettled(line.modified)
  }

  private func isSettled(_ time: FileTime) -> Bool {
    let (limit, overflow) = time.seconds.addingReportingOverflow(Self.racySeconds)
    return !overflow && FileTime(seconds: limit, nanoseconds: time.nanoseconds) < written
  }
}
