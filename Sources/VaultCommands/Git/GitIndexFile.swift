import VaultStore

/// Which file git's index is, for a check of what is about to be committed.
///
/// `git commit -a` and `git commit PATH` build the new commit in an index of their own and name it to hooks in
/// `GIT_INDEX_FILE`. That is honoured where the file lies in the vault's own repository; a hook of another repository
/// around it means another index.
enum GitIndexFile {
  private static let name = "GIT_INDEX_FILE"

  /// The variables that git needs to read the right index: one or none.
  static func variables(
    at place: GitPlace, _ console: Console
  ) throws(GitStateError) -> [[UInt8]] {
    guard let named = ProcessVariable(name)?.value else { return [] }
    let slash = UInt8(ascii: "/")
    let path = named.first == slash ? named : CurrentFolder.path + [slash] + named
    guard let end = path.lastIndex(of: slash) else { return [] }
    let folder = end == 0 ? [slash] : Array(path[..<end])
    if isRegularFile(Array(path[(end + 1)...]), in: folder),
      identity(of: folder) == identity(of: try repository(at: place))
    {
      return [ProcessVariable(name, value: path).text]
    }
    console.note("\(name) names no index of the vault's repository and is passed over")
    return []
  }

  private static func repository(at place: GitPlace) throws(GitStateError) -> [UInt8] {
    do {
      return try Git.run(["rev-parse", "--absolute-git-dir"], in: place.folder, limit: 65_536)
        .dropLast()
    } catch {
      throw .git(error)
    }
  }

  // What cannot be looked at is not the vault's own.
  private static func isRegularFile(_ name: [UInt8], in folder: [UInt8]) -> Bool {
    guard let directory = try? Directory(path: folder) else { return false }
    return (try? directory.status(of: name))??.kind == .regular
  }

  private static func identity(of folder: [UInt8]) -> FileIdentity? {
    guard let directory = try? Directory(path: folder) else { return nil }
    return try? directory.descriptor.status().identity
  }
}
