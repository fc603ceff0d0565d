/// A file that lies in memory only, for plain text that another program must see: it is inherited by number and has no
/// name on any disk.
package struct MemoryFile: ~Copyable, Sendable {
  /// The open file; its `number` is what a child inherits.
  package let file: FileDescriptor

  /// Makes an empty one.
  /// - Throws: `failed`, as all calls of this type.
  package init() throws(SystemError) {
    file = FileDescriptor(try Syscalls.memoryFile(), faults: nil)
  }

  /// Makes one that holds these bytes, to be read from its start.
  package init(holding bytes: Span<UInt8>) throws(SystemError) {
    let file = FileDescriptor(try Syscalls.memoryFile(), faults: nil)
    try file.write(bytes, at: 0)
    self.file = file
  }

  /// The open file alone, which keeps the content.
  package consuming func intoFile() -> FileDescriptor { file }

  /// Writes all bytes at the current position.
  package borrowing func write(_ bytes: Span<UInt8>) throws(SystemError) { try file.write(bytes) }

  /// The next byte to be read or written is the first again.
  package borrowing func rewind() throws(SystemError) { try Syscalls.rewind(file.number) }

  /// The whole content.
  /// - Throws: `overLimit` when it has more than `limit` bytes.
  package borrowing func readWhole(limit: Int) throws(SystemError) -> [UInt8] {
    try file.readWhole(limit: limit)
  }
}
