import Glibc

/// Everything under a folder that a note keeper promises to bring back.
struct Tree: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
      case file([UInt8], isExecutable: Bool)
      case folder
      case link(to: Name)
      case other
    }

    let kind: Kind
    /// Modified time; nil for links, where tools may leave it.
    let seconds: Int
    let nanoseconds: Int
  }

  /// By path relative to the folder.
  private(set) var entries: [Name: Entry] = [:]

  /// Reads the tree below a folder; top-level names in `leavingOut` are passed over.
  init(_ folder: Name, leavingOut: Set<Name> = []) throws {
    try add(folder, below: nil, leavingOut)
  }

  private mutating func add(_ folder: Name, below prefix: Name?, _ leavingOut: Set<Name>) throws {
    for name in try Disk.names(in: folder) where !leavingOut.contains(name) {
      let path = folder / name
      let shown = prefix.map { $0 / name } ?? name
      let status = try Disk.status(path)
      let kind: Entry.Kind
      switch status.st_mode & S_IFMT {
      case S_IFREG:
        kind = .file(try Disk.read(path), isExecutable: status.st_mode & 0o100 != 0)
      case S_IFDIR: kind = .folder
      case S_IFLNK: kind = .link(to: try Disk.target(of: path))
      default: kind = .other
      }
      entries[shown] = Entry(
        kind: kind, seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
      if kind == .folder { try add(path, below: shown, []) }
    }
  }

  /// The paths, bytewise sorted.
  var paths: [Name] { entries.keys.sorted() }

  /// The content of each file, without times and modes.
  var contents: [Name: [UInt8]] {
    entries.compactMapValues {
      if case .file(let content, _) = $0.kind { content } else { nil }
    }
  }

  /// What differs from another tree, a line each; empty where they are equal.
  func differences(from other: Tree) -> [String] {
    Set(entries.keys).union(other.entries.keys).sorted().compactMap { path in
      switch (entries[path], other.entries[path]) {
      case (let mine?, let theirs?) where mine != theirs:
        mine.kind != theirs.kind
          ? "\(path): content, kind or execute bit"
          : "\(path): \(mine.seconds).\(mine.nanoseconds), not \(theirs.seconds).\(theirs.nanoseconds)"
      case (_?, nil): "\(path): only here"
      case (nil, _?): "\(path): missing"
      default: nil
      }
    }
  }
}
