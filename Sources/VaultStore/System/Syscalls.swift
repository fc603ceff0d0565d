internal import CSystem
internal import Glibc

/// Every call into the kernel that has to do with files; the only code that hands it addresses.
///
/// Names are single components, checked by the shim: `/`, NUL, the empty name, `.` and `..` are
/// refused with `invalid`. Descriptors are plain numbers here and owned by `FileDescriptor`.
enum Syscalls {
  /// Runs a shim again for as long as a signal interrupts it, and turns its failure into a value.
  @inline(__always) @discardableResult
  static func call(_ name: String, _ shim: () -> Int) throws(SystemError) -> Int {
    while true {
      let result = shim()
      if result >= 0 { return result }
      let code = ErrorCode(rawValue: Int32(truncatingIfNeeded: -result))
      if code != .interrupted { throw SystemError(call: name, code: code) }
    }
  }

  static func text(of code: ErrorCode) -> String {
    guard let text = unsafe strerrordesc_np(code.rawValue) else { return "error \(code.rawValue)" }
    return unsafe String(cString: text)
  }

  /// Whether one name sorts before another by its bytes.
  static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let order = unsafe memcmp(one, other, min(one.count, other.count))
    return order != 0 ? order < 0 : one.count < other.count
  }
}

// MARK: - Opening

extension Syscalls {
  static func openFolder(path: [UInt8]) throws(SystemError) -> Int32 {
    Int32(try call("open") { unsafe vt_open_folder_path(path, path.count) })
  }

  static func openFolder(_ name: [UInt8], in folder: Int32) throws(SystemError) -> Int32 {
    Int32(try call("openat") { unsafe vt_open_folder(folder, name, name.count) })
  }

  static func reopenFolder(_ folder: Int32) throws(SystemError) -> Int32 {
    Int32(try call("openat") { vt_reopen_folder(folder) })
  }

  static func openForReading(_ name: [UInt8], in folder: Int32) throws(SystemError) -> Int32 {
    let flags = Int32(VT_READ)
    return Int32(try call("openat") { unsafe vt_open_file(folder, name, name.count, flags, 0) })
  }

  static func openForWriting(_ name: [UInt8], in folder: Int32) throws(SystemError) -> Int32 {
    let flags = Int32(VT_READ_WRITE)
    return Int32(try call("openat") { unsafe vt_open_file(folder, name, name.count, flags, 0) })
  }

  static func create(_ name: [UInt8], mode: UInt32, in folder: Int32) throws(SystemError) -> Int32 {
    let flags = Int32(VT_CREATE)
    return Int32(try call("openat") { unsafe vt_open_file(folder, name, name.count, flags, mode) })
  }

  /// Not repeated when interrupted: the descriptor is gone in any case.
  static func close(_ file: Int32) throws(SystemError) {
    let result = vt_close(file)
    if result < 0 { throw SystemError(call: "close", code: ErrorCode(rawValue: Int32(-result))) }
  }
}

// MARK: - Status and times

extension Syscalls {
  static func status(_ name: [UInt8], in folder: Int32) throws(SystemError) -> FileStatus {
    var status = vt_status()
    try call("fstatat") { unsafe vt_status_at(folder, name, name.count, &status) }
    return FileStatus(status)
  }

  static func status(of file: Int32) throws(SystemError) -> FileStatus {
    var status = vt_status()
    try call("fstat") { unsafe vt_status_of(file, &status) }
    return FileStatus(status)
  }

  static func birthTime(_ name: [UInt8], in folder: Int32) throws(SystemError) -> FileTime? {
    var seconds: Int64 = 0
    var nanoseconds: UInt32 = 0
    let isKnown = try call("statx") {
      unsafe vt_birth(folder, name, name.count, &seconds, &nanoseconds)
    }
    return isKnown == 1 ? FileTime(kernel: seconds, nanoseconds) : nil
  }

  static func birthTime(of file: Int32) throws(SystemError) -> FileTime? {
    var seconds: Int64 = 0
    var nanoseconds: UInt32 = 0
    let isKnown = try call("statx") { unsafe vt_birth(file, nil, 0, &seconds, &nanoseconds) }
    return isKnown == 1 ? FileTime(kernel: seconds, nanoseconds) : nil
  }

  static func setTimes(_ name: [UInt8], modified: FileTime, in folder: Int32) throws(SystemError) {
    try call("utimensat") {
      unsafe vt_set_times_at(folder, name, name.count, modified.seconds, modified.nanoseconds)
    }
  }

  static func setTimes(of file: Int32, modified: FileTime) throws(SystemError) {
    try call("futimens") { vt_set_times(file, modified.seconds, modified.nanoseconds) }
  }

  static func setMode(_ name: [UInt8], _ mode: UInt32, in folder: Int32) throws(SystemError) {
    try call("fchmodat") { unsafe vt_set_mode_at(folder, name, name.count, mode) }
  }

  static func setMode(of file: Int32, _ mode: UInt32) throws(SystemError) {
    try call("fchmod") { vt_set_mode(file, mode) }
  }
}

extension FileStatus {
  fileprivate init(_ status: vt_status) {
    kind = FileKind(number: status.mode >> 12)
    byteCount = status.byte_count
    mode = status.mode & 0o7777
    identity = FileIdentity(device: status.device, inode: status.inode)
    modified = FileTime(kernel: status.modified_seconds, status.modified_nanoseconds)
    changed = FileTime(kernel: status.changed_seconds, status.changed_nanoseconds)
  }
}

extension FileTime {
  // A file system served by another program may report nanoseconds out of range.
  fileprivate init(kernel seconds: Int64, _ nanoseconds: UInt32) {
    self.init(seconds: seconds, nanoseconds: min(nanoseconds, 999_999_999))
  }
}

// MARK: - Folders

extension Syscalls {
  /// All entries from where the descriptor stands to the end, unsorted, without `.` and `..`.
  static func entries(of folder: Int32) throws(SystemError) -> [DirectoryEntry] {
    var entries: [DirectoryEntry] = []
    var buffer = [UInt8](repeating: 0, count: 32_768)
    while true {
      let capacity = buffer.count
      let count = try call("getdents64") { unsafe vt_entries(folder, &buffer, capacity) }
      if count == 0 { return entries }
      unsafe buffer.withUnsafeBytes { bytes in
        var offset = 0
        while offset < count {
          // struct linux_dirent64: inode 8, next 8, record's byte count 2, kind 1, name and NUL.
          let inode = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          let recordByteCount = unsafe bytes.loadUnaligned(
            fromByteOffset: offset + 16, as: UInt16.self)
          let kind = FileKind(number: UInt32(unsafe bytes[offset + 18]))
          let next = offset + Int(recordByteCount)
          let field = unsafe UnsafeRawBufferPointer(rebasing: bytes[(offset + 19)..<next])
          let end = unsafe field.firstIndex(of: 0) ?? field.endIndex
          let name = unsafe [UInt8](field[..<end])
          let isDots = name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
          if !isDots { entries.append(DirectoryEntry(name: name, kindHint: kind, inode: inode)) }
          offset = next
        }
      }
    }
  }

  static func makeFolder(_ name: [UInt8], mode: UInt32, in folder: Int32) throws(SystemError) {
    try call("mkdirat") { unsafe vt_make_folder(folder, name, name.count, mode) }
  }

  static func unlink(_ name: [UInt8], in folder: Int32) throws(SystemError) {
    let flags = Int32(VT_UNLINK_FILE)
    try call("unlinkat") { unsafe vt_unlink(folder, name, name.count, flags) }
  }

  static func removeFolder(_ name: [UInt8], in folder: Int32) throws(SystemError) {
    let flags = Int32(VT_UNLINK_FOLDER)
    try call("unlinkat") { unsafe vt_unlink(folder, name, name.count, flags) }
  }

  static func rename(
    _ name: [UInt8], in folder: Int32, to newName: [UInt8], in newFolder: Int32,
    _ replacing: Replacing
  ) throws(SystemError) {
    let flags = UInt32(replacing == .allowed ? VT_REPLACE : VT_NO_REPLACE)
    try call("renameat") {
      unsafe vt_rename(folder, name, name.count, newFolder, newName, newName.count, flags)
    }
  }

  static func link(
    _ name: [UInt8], in folder: Int32, to newName: [UInt8], in newFolder: Int32
  ) throws(SystemError) {
    try call("linkat") {
      unsafe vt_link(folder, name, name.count, newFolder, newName, newName.count)
    }
  }

  static func makeSymbolicLink(
    _ name: [UInt8], target: [UInt8], in folder: Int32
  ) throws(SystemError) {
    try call("symlinkat") {
      unsafe vt_make_symlink(folder, name, name.count, target, target.count)
    }
  }

  static func readLink(_ name: [UInt8], in folder: Int32) throws(SystemError) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: Int(VT_PATH_MAX) + 1)
    let capacity = target.count
    let count = try call("readlinkat") {
      unsafe vt_read_link(folder, name, name.count, &target, capacity)
    }
    return Array(target.prefix(count))
  }
}

// MARK: - Bytes

extension Syscalls {
  /// One read at a descriptor's own position; 0 at the end.
  static func read(_ file: Int32, into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
      try call("read") { unsafe vt_read(file, buffer.baseAddress, buffer.count) }
    }
  }

  /// Reads until the span is full or the file ends.
  static func read(
    _ file: Int32, into bytes: inout MutableSpan<UInt8>, at offset: UInt64
  ) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeMutableBufferPointer { (buffer) throws(SystemError) in
      var done = 0
      while done < buffer.count {
        let count = try call("pread") {
          unsafe vt_pread(
            file, buffer.baseAddress?.advanced(by: done), buffer.count - done,
            offset &+ UInt64(done))
        }
        if count == 0 { break }
        done += count
      }
      return done
    }
  }

  /// Writes all bytes at the descriptor's own position.
  static func write(_ file: Int32, _ bytes: Span<UInt8>) throws(SystemError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
      var done = 0
      while done < buffer.count {
        let count = try call("write") {
          unsafe vt_write(file, buffer.baseAddress?.advanced(by: done), buffer.count - done)
        }
        if count == 0 { throw SystemError(call: "write", code: .inputOutput) }
        done += count
      }
    }
  }

  /// Writes all bytes at an offset.
  static func write(
    _ file: Int32, _ bytes: Span<UInt8>, at offset: UInt64
  ) throws(SystemError) {
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(SystemError) in
      var done = 0
      while done < buffer.count {
        let count = try call("pwrite") {
          unsafe vt_pwrite(
            file, buffer.baseAddress?.advanced(by: done), buffer.count - done,
            offset &+ UInt64(done))
        }
        if count == 0 { throw SystemError(call: "pwrite", code: .inputOutput) }
        done += count
      }
    }
  }

  static func truncate(_ file: Int32, to byteCount: UInt64) throws(SystemError) {
    try call("ftruncate") { vt_truncate(file, byteCount) }
  }

  static func memoryFile() throws(SystemError) -> Int32 {
    Int32(try call("memfd_create") { vt_memory_file() })
  }

  static func rewind(_ file: Int32) throws(SystemError) {
    try call("lseek") { vt_rewind(file) }
  }

  static func sync(_ file: Int32) throws(SystemError) {
    try call("fsync") { vt_sync(file) }
  }

  static func syncFileSystem(of file: Int32) throws(SystemError) {
    try call("syncfs") { vt_sync_file_system(file) }
  }

  static func lock(_ file: Int32) throws(SystemError) {
    try call("flock") { vt_lock(file) }
  }

  static func lockShared(_ file: Int32) throws(SystemError) {
    try call("flock") { vt_lock_shared(file) }
  }
}
