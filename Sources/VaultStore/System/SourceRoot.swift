/// Opens what a walk has found again, component by component and without following links.
///
/// The last folder stays open, so files in the order of a walk cost one opening each.
package struct SourceRoot: ~Copyable, Sendable {
  private let root: Directory
  private var folder: Directory
  /// The path of `folder`, empty for the root.
  private var folderPath: [UInt8]

  /// Takes paths from a folder; each thread has a value of its own.
  package init(_ root: borrowing Directory) throws(SystemError) {
    let folder = try root.reopened()
    self.root = try root.reopened()
    self.folder = folder
    folderPath = []
  }

  /// Opens a regular file by its path below the root.
  /// - Throws: `notRegular`; `failed`, with `notAFolder` where a folder of the path is none or a
  ///   link, and with `invalid` for a path with an empty, `.` or `..` component.
  package mutating func openFile(_ path: [UInt8]) throws(SystemError) -> FileDescriptor {
    let name = try enterFolder(of: path)
    return try folder.openFile(name)
  }

  /// What is at a path now; nil where nothing is.
  /// - Throws: `failed`, also where a folder of the path is missing.
  package mutating func status(of path: [UInt8]) throws(SystemError) -> FileStatus? {
    let name = try enterFolder(of: path)
    return try folder.status(of: name)
  }

  /// When the file at a path was made, where the file system keeps that.
  package mutating func birthTime(of path: [UInt8]) throws(SystemError) -> FileTime? {
    let name = try enterFolder(of: path)
    return try folder.birthTime(of: name)
  }

  /// The target of the symbolic link at a path.
  package mutating func readLink(_ path: [UInt8]) throws(SystemError) -> [UInt8] {
    let name = try enterFolder(of: path)
    return try folder.readLink(name)
  }

  /// Opens the folder that holds the last component, which is returned.
  private mutating func enterFolder(of path: [UInt8]) throws(SystemError) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let end = path.lastIndex(of: slash)
    let name = Array(path[(end.map { $0 + 1 } ?? 0)...])
    let parent = path[..<(end ?? 0)]
    if end == 0 { throw SystemError(call: "openat", code: .invalid) }
    if parent.elementsEqual(folderPath) { return name }
    let components = parent.split(separator: slash, omittingEmptySubsequences: false)
    folder = try root.open(components: parent.isEmpty ? [] : components.map(Array.init))
    folderPath = Array(parent)
    return name
  }
}
