/// A point in time in whole seconds since 1970-01-01 UTC and nanoseconds after that second.
///
/// Times before 1970 have negative seconds; the nanoseconds always count forward (floor).
package struct FileTime: Hashable, Sendable, Comparable {
  package let seconds: Int64
  /// 0 ... 999,999,999.
  package let nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    precondition(nanoseconds < 1_000_000_000, "nanoseconds make up less than one second")
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (one: FileTime, other: FileTime) -> Bool {
    (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
  }
}

/// What an entry of a folder is.
package enum FileKind: String, Sendable, CaseIterable, CustomStringConvertible {
  case regular = "regular file"
  case folder = "folder"
  case symlink = "symbolic link"
  case fifo = "named pipe"
  case socket = "socket"
  case blockDevice = "block device"
  case characterDevice = "character device"
  case unknown = "file of unknown kind"

  package var description: String { rawValue }

  /// The kind in the upper four bits of a file's mode, which is also the number in a folder's entry.
  init(number: UInt32) {
    switch number {
    case 1: self = .fifo
    case 2: self = .characterDevice
    case 4: self = .folder
    case 6: self = .blockDevice
    case 8: self = .regular
    case 10: self = .symlink
    case 12: self = .socket
    default: self = .unknown
    }
  }
}

/// The identity of a file as long as it exists: two names with equal identities are one file.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// What the kernel says about a file, a link never followed.
package struct FileStatus: Hashable, Sendable {
  package let kind: FileKind
  /// Size in bytes; of a symbolic link, the length of its target.
  package let byteCount: UInt64
  /// Permission, set-id and sticky bits: the lower 12 bits of the mode.
  package let mode: UInt32
  package let identity: FileIdentity
  package let modified: FileTime
  package let changed: FileTime

  /// Whether the owner may run the file.
  package var isExecutable: Bool { mode & 0o100 != 0 }
}
