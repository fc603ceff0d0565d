internal import Glibc

/// The kernel's number for why a call failed (`errno`), with names for those that callers act on.
package struct ErrorCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32
  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let notFound = ErrorCode(rawValue: ENOENT)
  package static let exists = ErrorCode(rawValue: EEXIST)
  package static let notEmpty = ErrorCode(rawValue: ENOTEMPTY)
  package static let notAFolder = ErrorCode(rawValue: ENOTDIR)
  package static let isAFolder = ErrorCode(rawValue: EISDIR)
  /// A symbolic link stands where a file or folder was to be opened.
  package static let link = ErrorCode(rawValue: ELOOP)
  package static let accessDenied = ErrorCode(rawValue: EACCES)
  package static let notPermitted = ErrorCode(rawValue: EPERM)
  package static let readOnly = ErrorCode(rawValue: EROFS)
  package static let noSpace = ErrorCode(rawValue: ENOSPC)
  package static let quota = ErrorCode(rawValue: EDQUOT)
  package static let tooManyOpenFiles = ErrorCode(rawValue: EMFILE)
  package static let tooManyOpenFilesInSystem = ErrorCode(rawValue: ENFILE)
  package static let outOfMemory = ErrorCode(rawValue: ENOMEM)
  package static let nameTooLong = ErrorCode(rawValue: ENAMETOOLONG)
  /// Also a name that is empty, `.` or `..`, or that holds `/` or NUL.
  package static let invalid = ErrorCode(rawValue: EINVAL)
  package static let inputOutput = ErrorCode(rawValue: EIO)
  package static let brokenPipe = ErrorCode(rawValue: EPIPE)
  package static let wouldBlock = ErrorCode(rawValue: EWOULDBLOCK)
  package static let badDescriptor = ErrorCode(rawValue: EBADF)
  package static let crossesFileSystems = ErrorCode(rawValue: EXDEV)
  static let interrupted = ErrorCode(rawValue: EINTR)
  static let notImplemented = ErrorCode(rawValue: ENOSYS)
  static let noKeyRing = ErrorCode(rawValue: EOPNOTSUPP)
  static let noSuchKey = ErrorCode(rawValue: ENOKEY)
  static let expiredKey = ErrorCode(rawValue: EKEYEXPIRED)
  static let revokedKey = ErrorCode(rawValue: EKEYREVOKED)
}

/// Why something the system was asked for did not happen; the layer above adds the path.
package enum SystemError: Error, Equatable {
  /// A call failed: its name as in the manual's section 2, and the reason.
  case failed(call: String, ErrorCode)
  /// What was to be opened is there, but is not a regular file; it was not opened.
  case notRegular(FileKind)
  /// A file that is read whole holds more than `limit` bytes.
  case overLimit(byteCount: Int)

  package init(call: String, code: ErrorCode) { self = .failed(call: call, code) }

  /// The reason, where a call failed.
  package var code: ErrorCode? {
    if case .failed(_, let code) = self { code } else { nil }
  }
}

extension ErrorCode: CustomStringConvertible {
  package var description: String { Syscalls.text(of: self) }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .failed(let call, let code): "\(call): \(code)"
    case .notRegular(let kind): "not a regular file but a \(kind)"
    case .overLimit(let byteCount): "larger than \(byteCount) bytes"
    }
  }
}
