/// One thing met while walking a source folder.
package struct SourceItem: Equatable, Sendable {
  /// The path below the root, with `/` between its components; empty for the root itself.
  package let path: [UInt8]
  package let finding: SourceFinding
}

/// What was met: an entry to work with, or a reason why less is known than the folder holds.
package enum SourceFinding: Equatable, Sendable {
  /// A file, folder, link or special file. The content of a folder follows it.
  case entry(FileStatus)
  case issue(SourceIssue)
}

/// Why an item could not be looked at. None of these means that it is empty or was deleted.
package enum SourceIssue: Equatable, Sendable {
  /// The folder listed it, and then it was gone.
  case vanished
  /// The folder of this path was replaced or removed while it was walked; some of what it holds
  /// was not seen.
  case changedWhileWalked
  /// A folder that cannot be listed, or an entry whose status cannot be read.
  case unreadable(SystemError)
  /// The whole path or its last component is longer than the maximum; content was not looked at.
  case pathTooLong
  /// More components than the maximum; content was not looked at.
  case tooDeep
}

/// What a walk is bounded by, in bytes and components.
package struct WalkMaxima: Sendable {
  package let pathByteCount: Int
  package let partByteCount: Int
  package let depth: Int
  /// Folders kept open at a time besides the root, at least 1; the walk opens one more to list it.
  package let openFolderCount: Int

  package init(pathByteCount: Int, partByteCount: Int, depth: Int, openFolderCount: Int = 8) {
    precondition(openFolderCount > 0, "the folder being walked is open")
    self.pathByteCount = pathByteCount
    self.partByteCount = partByteCount
    self.depth = depth
    self.openFolderCount = openFolderCount
  }
}
