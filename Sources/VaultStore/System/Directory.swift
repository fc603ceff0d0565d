/// One entry of a folder as the folder itself lists it.
package struct DirectoryEntry: Hashable, Sendable {
  /// One component, any bytes but `/` and NUL.
  package let name: [UInt8]
  /// What the folder says about the kind; `unknown` where the file system does not say.
  package let kindHint: FileKind
  package let inode: UInt64
}

/// Whether a rename may take the place of what has that name already.
package enum Replacing: Sendable {
  case allowed
  case forbidden
}

/// An open folder. Everything in it is reached by a single name, and no link is ever followed.
///
/// Names are raw bytes of one component. A name that is empty, `.` or `..`, or that holds `/` or
/// NUL, is refused with `invalid`, one above 255 bytes with `nameTooLong`.
package struct Directory: ~Copyable, Sendable {
  /// The folder's own descriptor, for its status, mode and times.
  package let descriptor: FileDescriptor

  /// Opens the folder that a person named; the only place where a path has slashes and where
  /// links are followed.
  package init(path: [UInt8]) throws(SystemError) {
    try self.init(path: path, faults: nil)
  }

  /// As `init(path:)`, with mutating calls below it failing to plan.
  package init(path: [UInt8], faults: FaultPlan?) throws(SystemError) {
    descriptor = FileDescriptor(try Syscalls.openFolder(path: path), faults: faults)
  }

  /// Opens a folder in a folder.
  /// - Throws: `failed` with `notAFolder` for anything else, links included.
  package init(opening name: [UInt8], in parent: borrowing Directory) throws(SystemError) {
    let number = try Syscalls.openFolder(name, in: parent.descriptor.number)
    descriptor = FileDescriptor(number, faults: parent.descriptor.faults)
  }

  private init(reopening original: borrowing Directory) throws(SystemError) {
    let number = try Syscalls.reopenFolder(original.descriptor.number)
    descriptor = FileDescriptor(number, faults: original.descriptor.faults)
  }

  /// A second, independent handle of the same folder.
  package borrowing func reopened() throws(SystemError) -> Directory {
    try Directory(reopening: self)
  }

  /// Opens a folder below, one component after the other; no component: this folder again.
  package borrowing func open(components: some Sequence<[UInt8]>) throws(SystemError) -> Directory {
    var folder = try reopened()
    for name in components { folder = try Directory(opening: name, in: folder) }
    return folder
  }

  /// All entries, sorted by the bytes of their names, without `.` and `..`.
  package borrowing func entries() throws(SystemError) -> [DirectoryEntry] {
    // An own handle has an own position, so two threads can list one folder.
    let listing = try reopened()
    return try Syscalls.entries(of: listing.descriptor.number)
      .sorted { Syscalls.precedes($0.name, $1.name) }
  }

  /// What an entry is, or nil where there is none.
  package borrowing func status(of name: [UInt8]) throws(SystemError) -> FileStatus? {
    do {
      return try Syscalls.status(name, in: descriptor.number)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  /// When an entry was made, where the file system keeps that.
  package borrowing func birthTime(of name: [UInt8]) throws(SystemError) -> FileTime? {
    try Syscalls.birthTime(name, in: descriptor.number)
  }

  /// The target of a symbolic link, at most 4,096 bytes.
  package borrowing func readLink(_ name: [UInt8]) throws(SystemError) -> [UInt8] {
    try Syscalls.readLink(name, in: descriptor.number)
  }
}

// MARK: - Files

extension Directory {
  /// Opens a regular file for reading. Nothing else is ever opened, so nothing can block.
  /// - Throws: `notRegular` for a link, folder, pipe, socket or device; `failed` otherwise.
  package borrowing func openFile(_ name: [UInt8]) throws(SystemError) -> FileDescriptor {
    try requireRegular(name)
    let number = try Syscalls.openForReading(name, in: descriptor.number)
    return try checkedRegular(FileDescriptor(number, faults: descriptor.faults))
  }

  /// Opens a regular file for reading and writing.
  /// - Throws: as `openFile`.
  package borrowing func openFileForWriting(_ name: [UInt8]) throws(SystemError) -> FileDescriptor {
    try requireRegular(name)
    let number = try Syscalls.openForWriting(name, in: descriptor.number)
    return try checkedRegular(FileDescriptor(number, faults: descriptor.faults))
  }

  /// Makes a new file for reading and writing.
  /// - Throws: `failed` with `exists` for anything of that name, a dangling link included.
  package borrowing func createFile(
    _ name: [UInt8], mode: UInt32 = 0o600
  ) throws(SystemError) -> FileDescriptor {
    try descriptor.faults?.willChange("openat")
    let number = try Syscalls.create(name, mode: mode, in: descriptor.number)
    return FileDescriptor(number, faults: descriptor.faults)
  }

  /// The whole content of a regular file, whatever size the kernel reports.
  /// - Throws: `overLimit` when it has more than `limit` bytes; otherwise as `openFile`.
  package borrowing func readWhole(_ name: [UInt8], limit: Int) throws(SystemError) -> [UInt8] {
    try openFile(name).readWhole(limit: limit)
  }

  // Before the opening, because merely opening a device or a pipe may have an effect.
  private func requireRegular(_ name: [UInt8]) throws(SystemError) {
    let kind = try Syscalls.status(name, in: descriptor.number).kind
    if kind != .regular { throw .notRegular(kind) }
  }

  // And after it, because the name may mean something else by now.
  private func checkedRegular(
    _ file: consuming FileDescriptor
  ) throws(SystemError) -> FileDescriptor {
    let kind = try file.status().kind
    if kind != .regular { throw .notRegular(kind) }
    return file
  }
}

// MARK: - Changing

extension Directory {
  /// Makes a folder.
  package borrowing func makeDirectory(
    _ name: [UInt8], mode: UInt32 = 0o700
  ) throws(SystemError) {
    try descriptor.faults?.willChange("mkdirat")
    try Syscalls.makeFolder(name, mode: mode, in: descriptor.number)
  }

  /// Makes a symbolic link; the target is stored as it is and never looked at.
  package borrowing func makeSymbolicLink(
    _ name: [UInt8], target: [UInt8]
  ) throws(SystemError) {
    try descriptor.faults?.willChange("symlinkat")
    try Syscalls.makeSymbolicLink(name, target: target, in: descriptor.number)
  }

  /// Gives an entry another name here or in another folder of the same file system.
  /// - Throws: `failed` with `exists` when something has the name and replacing is forbidden.
  package borrowing func rename(
    _ name: [UInt8], to newFolder: borrowing Directory, _ newName: [UInt8], replacing: Replacing
  ) throws(SystemError) {
    let from = descriptor.number
    let to = newFolder.descriptor.number
    do {
      try descriptor.faults?.willChange("renameat")
      try Syscalls.rename(name, in: from, to: newName, in: to, replacing)
    } catch {
      // Some file systems cannot forbid replacing in a rename; a second link never replaces.
      let isUnsupported = error.code == .invalid || error.code == .notImplemented
      guard replacing == .forbidden, isUnsupported else { throw error }
      try descriptor.faults?.willChange("linkat")
      try Syscalls.link(name, in: from, to: newName, in: to)
      try unlink(name)
    }
  }

  /// Removes anything but a folder.
  package borrowing func unlink(_ name: [UInt8]) throws(SystemError) {
    try descriptor.faults?.willChange("unlinkat")
    try Syscalls.unlink(name, in: descriptor.number)
  }

  /// Removes an empty folder.
  package borrowing func removeDirectory(_ name: [UInt8]) throws(SystemError) {
    try descriptor.faults?.willChange("unlinkat")
    try Syscalls.removeFolder(name, in: descriptor.number)
  }

  /// Sets an entry's modification time, of a link its own, and leaves the access time.
  package borrowing func setTimes(
    _ name: [UInt8], modified: FileTime
  ) throws(SystemError) {
    try descriptor.faults?.willChange("utimensat")
    try Syscalls.setTimes(name, modified: modified, in: descriptor.number)
  }

  /// Sets an entry's permission bits; a link is refused.
  package borrowing func setMode(_ name: [UInt8], _ mode: UInt32) throws(SystemError) {
    try descriptor.faults?.willChange("fchmodat")
    try Syscalls.setMode(name, mode, in: descriptor.number)
  }

  /// Waits until the entries are on the disk (fsync of the folder).
  package borrowing func sync() throws(SystemError) { try descriptor.sync() }

  /// Waits until all that was written to this file system is on the disk (syncfs). Reports what
  /// failed since this folder was opened, so it must have been open before the writing began.
  package borrowing func syncFileSystem() throws(SystemError) {
    try descriptor.faults?.willChange("syncfs")
    try Syscalls.syncFileSystem(of: descriptor.number)
  }
}
