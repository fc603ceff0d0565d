/// Walks all that lies below a folder without following links, with few descriptors, however deep.
///
/// A folder comes before its content; the entries of a folder come in the order of their names'
/// bytes. Names and paths are never longer or deeper than the maxima; what is, is an issue.
package struct SourceWalk: ~Copyable {
  private final class OpenFolder {
    let directory: Directory
    init(_ directory: consuming Directory) { self.directory = directory }
  }

  /// A folder on the way from the root to where the walk stands.
  private struct Level {
    let name: [UInt8]
    let identity: FileIdentity
    let entries: [DirectoryEntry]
    var nextEntry = 0
    /// Nil while closed to save descriptors; never nil for the root.
    var folder: OpenFolder?
  }

  private let maxima: WalkMaxima
  private let passedOver: Set<FileIdentity>
  private let isExcluded: (_ path: [UInt8], _ isFolder: Bool) -> Bool

  private var levels: [Level]
  /// The first level above the root whose folder is open; all deeper ones are open too.
  private var firstOpen = 1
  /// The path of the deepest level with a `/` at its end, empty for the root.
  private var prefix: [UInt8] = []
  /// A folder that was handed out and is entered by the next call.
  private var folderToEnter: [UInt8]?

  /// Entries left out because the caller excluded them, each excluded folder counted once.
  package private(set) var excludedCount = 0

  /// Begins at a folder. Entries with an identity in `passingOver` are left out without a word.
  /// - Throws: `failed` when the root itself cannot be listed.
  package init(
    of root: borrowing Directory, maxima: WalkMaxima, passingOver: Set<FileIdentity>,
    excluding isExcluded: @escaping (_ path: [UInt8], _ isFolder: Bool) -> Bool
  ) throws(SystemError) {
    let root = OpenFolder(try root.reopened())
    let identity = try root.directory.descriptor.status().identity
    let entries = try root.directory.entries()
    self.maxima = maxima
    self.passedOver = passingOver
    self.isExcluded = isExcluded
    levels = [Level(name: [], identity: identity, entries: entries, folder: root)]
  }

  /// The next item, or nil at the end.
  /// - Throws: `failed` only where the process itself is at a limit (open files, memory), so that
  ///   one cause gives one error and not an issue per entry.
  package mutating func next() throws(SystemError) -> SourceItem? {
    if let name = folderToEnter {
      folderToEnter = nil
      if let issue = try enter(name) { return SourceItem(path: prefix + name, finding: issue) }
    }
    while let level = levels.indices.last {
      guard levels[level].nextEntry < levels[level].entries.count else {
        leave()
        continue
      }
      guard let folder = try openFolder(at: level) else {
        let path = Array(prefix.dropLast())
        leave()
        return SourceItem(path: path, finding: .issue(.changedWhileWalked))
      }
      let name = levels[level].entries[levels[level].nextEntry].name
      levels[level].nextEntry += 1
      if let item = try look(at: name, in: folder) { return item }
    }
    return nil
  }
}

extension SourceWalk {
  private mutating func look(
    at name: [UInt8], in folder: OpenFolder
  ) throws(SystemError) -> SourceItem? {
    var path: [UInt8] = []
    path.reserveCapacity(prefix.count + name.count)
    path += prefix
    path += name
    let status: FileStatus
    do {
      guard let found = try folder.directory.status(of: name) else {
        return SourceItem(path: path, finding: .issue(.vanished))
      }
      status = found
    } catch {
      return SourceItem(path: path, finding: try SourceWalk.issue(for: error))
    }
    if passedOver.contains(status.identity) { return nil }
    if isExcluded(path, status.kind == .folder) {
      excludedCount += 1
      return nil
    }
    if path.count > maxima.pathByteCount || name.count > maxima.partByteCount {
      return SourceItem(path: path, finding: .issue(.pathTooLong))
    }
    if levels.count > maxima.depth {
      return SourceItem(path: path, finding: .issue(.tooDeep))
    }
    if status.kind == .folder { folderToEnter = name }
    return SourceItem(path: path, finding: .entry(status))
  }

  /// Makes a folder of the deepest level the new deepest level.
  private mutating func enter(_ name: [UInt8]) throws(SystemError) -> SourceFinding? {
    let level: Level
    do {
      guard let parent = try openFolder(at: levels.count - 1) else { return .issue(.vanished) }
      let folder = OpenFolder(try Directory(opening: name, in: parent.directory))
      level = Level(
        name: name, identity: try folder.directory.descriptor.status().identity,
        entries: try folder.directory.entries(), folder: folder)
    } catch {
      return try SourceWalk.issue(for: error)
    }
    levels.append(level)
    prefix += name
    prefix.append(UInt8(ascii: "/"))
    if levels.count - firstOpen > maxima.openFolderCount {
      levels[firstOpen].folder = nil
      firstOpen += 1
    }
    return nil
  }

  /// Makes the folder above the deepest level the new deepest level.
  private mutating func leave() {
    let left = levels.removeLast()
    prefix.removeLast(min(prefix.count, left.name.count + 1))
    firstOpen = max(1, min(firstOpen, levels.count))
  }

  /// The open folder of the deepest level, opened again by its components where it was closed.
  /// - Returns: nil when the path leads to another folder by now, or to none.
  private mutating func openFolder(at level: Int) throws(SystemError) -> OpenFolder? {
    if let folder = levels[level].folder { return folder }
    guard var folder = levels[0].folder else { return nil }
    firstOpen = max(1, level + 1 - maxima.openFolderCount)
    for index in 1...level {
      do {
        folder = OpenFolder(try Directory(opening: levels[index].name, in: folder.directory))
        let identity = try folder.directory.descriptor.status().identity
        if identity != levels[index].identity { return nil }
      } catch {
        _ = try SourceWalk.issue(for: error)
        return nil
      }
      if index >= firstOpen { levels[index].folder = folder }
    }
    return folder
  }

  private static func issue(for error: SystemError) throws(SystemError) -> SourceFinding {
    switch error.code {
    case .tooManyOpenFiles, .tooManyOpenFilesInSystem, .outOfMemory: throw error
    case .notFound, .notAFolder, .link: return .issue(.vanished)
    default: return .issue(.unreadable(error))
    }
  }
}
