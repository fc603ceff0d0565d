/// Something in a source that was not packed, and why.
package struct SourceScanProblem: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    /// A pipe, socket or device.
    case special(FileKind)
    case unreadable(SystemError)
    /// It was there when its folder was listed, and gone when it was to be read.
    case vanished
    /// Its folder was replaced or removed while it was walked; what it holds may not have been seen.
    case changedWhileWalked
    /// It was different after each of several readings.
    case changedWhileRead
    case pathTooLong
    case tooDeep
    /// A placeholder of a sync tool stands for the file, whose path this is.
    case notDownloaded
    /// An original that stays: it is no longer the file that was packed.
    case changedSincePacked
    /// An original that stays: what the vault holds was not proved to be the same.
    case notProved
  }

  /// Below the source.
  package let path: [UInt8]
  package let reason: Reason

  package init(path: [UInt8], _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  init(path: [UInt8], issue: SourceIssue) {
    let reason: Reason =
      switch issue {
      case .vanished: .vanished
      case .changedWhileWalked: .changedWhileWalked
      case .unreadable(let error): .unreadable(error)
      case .pathTooLong: .pathTooLong
      case .tooDeep: .tooDeep
      }
    self.init(path: path, reason)
  }
}

extension SourceScanProblem.Reason: CustomStringConvertible {
  /// In words, without the path.
  package var description: String {
    switch self {
    case .special(let kind): "a \(kind) cannot be packed"
    case .unreadable(let error): "cannot be read: \(error)"
    case .vanished: "vanished while the folder was packed"
    case .changedWhileWalked: "was replaced while it was walked"
    case .changedWhileRead: "kept changing while it was read"
    case .pathTooLong: "its path is too long"
    case .tooDeep: "lies too deep"
    case .notDownloaded: "not downloaded: a placeholder of a sync tool stands in its place"
    case .changedSincePacked: "not deleted: it changed after it was packed"
    case .notProved: "not deleted: the vault was not proved to hold the same"
    }
  }
}
