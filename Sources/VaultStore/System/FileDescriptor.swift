/// An open file, closed when its life ends.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number, for handing the file to a child; nobody else closes or keeps it.
  package private(set) var number: Int32
  let faults: FaultPlan?

  /// Takes over a descriptor that the caller owns and will not close.
  package init(adopting number: Int32) {
    self.init(number, faults: nil)
  }

  init(_ number: Int32, faults: FaultPlan?) {
    self.number = number
    self.faults = faults
  }

  deinit {
    // Nobody is left to tell, and what was written has been synced where that matters.
    if number >= 0 { try? Syscalls.close(number) }
  }

  /// Closes and reports what a silent close would hide, such as a full disk on a network.
  package consuming func close() throws(SystemError) {
    let number = self.number
    self.number = -1
    do { try faults?.willChange("close") } catch {
      // The failure is the plan's, and the descriptor goes all the same.
      try? Syscalls.close(number)
      throw error
    }
    try Syscalls.close(number)
  }

  /// - Throws: `failed`, as all calls of this type.
  package borrowing func status() throws(SystemError) -> FileStatus {
    try Syscalls.status(of: number)
  }

  /// When the file was made, where the file system keeps that.
  package borrowing func birthTime() throws(SystemError) -> FileTime? {
    try Syscalls.birthTime(of: number)
  }
}

// MARK: - Reading

extension FileDescriptor {
  /// Fills the span from an offset in bytes; a count below its size means the file ends there.
  package borrowing func read(
    into bytes: inout MutableSpan<UInt8>, at offset: UInt64
  ) throws(SystemError) -> Int {
    try Syscalls.read(number, into: &bytes, at: offset)
  }

  /// What one read gives at the current position, for pipes: 0 at the end.
  package borrowing func read(into bytes: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
    try Syscalls.read(number, into: &bytes)
  }

  /// All bytes from offset 0 to the end, whatever size the kernel reports.
  /// - Throws: `overLimit` when there are more than `limit`; then at most `limit` + 1 were read.
  package borrowing func readWhole(limit: Int) throws(SystemError) -> [UInt8] {
    let reported = Int(exactly: try status().byteCount) ?? .max
    if reported > limit { throw .overLimit(byteCount: limit) }
    // One byte more than reported, so that the end shows in the first round.
    var capacity = reported + 1
    while true {
      var bytes = [UInt8](repeating: 0, count: capacity)
      var free = bytes.mutableSpan
      let count = try read(into: &free, at: 0)
      if count > limit { throw .overLimit(byteCount: limit) }
      if count < capacity {
        bytes.removeLast(capacity - count)
        return bytes
      }
      capacity = min(max(2 * capacity, 4_096), limit + 1)
    }
  }
}

// MARK: - Changing

extension FileDescriptor {
  /// Writes all bytes at an offset in bytes.
  package borrowing func write(_ bytes: Span<UInt8>, at offset: UInt64) throws(SystemError) {
    try faults?.willChange("pwrite")
    try Syscalls.write(number, bytes, at: offset)
  }

  /// Writes all bytes at the current position, for pipes.
  package borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) {
    try faults?.willChange("write")
    try Syscalls.write(number, bytes)
  }

  /// Cuts or extends the file to this many bytes.
  package borrowing func truncate(to byteCount: UInt64) throws(SystemError) {
    try faults?.willChange("ftruncate")
    try Syscalls.truncate(number, to: byteCount)
  }

  /// Waits until the content is on the disk (fsync).
  package borrowing func sync() throws(SystemError) {
    try faults?.willChange("fsync")
    try Syscalls.sync(number)
  }

  /// Sets the permission bits.
  package borrowing func setMode(_ mode: UInt32) throws(SystemError) {
    try faults?.willChange("fchmod")
    try Syscalls.setMode(of: number, mode)
  }

  /// Sets the modification time and leaves the access time.
  package borrowing func setTimes(modified: FileTime) throws(SystemError) {
    try faults?.willChange("futimens")
    try Syscalls.setTimes(of: number, modified: modified)
  }
}
