import VaultFormat
package import VaultStore

/// Another state of a vault, laid out from git's objects in a private folder so that it opens as a vault.
///
/// Only bytes of a vault are written there: what has a name that no file of a vault has is an empty file, a link leads
/// nowhere, and a submodule is an empty folder, so that a verification names all three.
package struct GitState: ~Copyable {
  /// How much of a state is laid out.
  package enum Part: Sendable {
    /// `VAULT`, the slots and the segments: what the index says, and whom it opens for.
    case index
    /// All of it.
    case whole
  }

  /// The folder; a vault's path.
  package let folder: PrivateFolder
  /// All files of the state, laid out or not.
  package let files: [GitFile]

  package init(
    _ files: [GitFile], _ part: Part, at place: GitPlace
  ) throws(GitStateError) {
    guard files.contains(where: { $0.path == Layout.header }) else {
      throw .noVault(revision: nil)
    }
    let folder: PrivateFolder
    do { folder = try PrivateFolder() } catch { throw .store(error) }
    try Self.lay(part == .whole ? files : files.filter(Self.isOfIndex), at: place, in: folder)
    if part == .whole, place.prefix.isEmpty {
      // The vault's folder is the repository's: what belongs to that is passed over.
      do { _ = try folder.directory.createFile(Layout.git) } catch {
        throw .store(.system(error, path: Layout.git))
      }
    }
    self.folder = folder
    self.files = files
  }

  /// The state that a commit has.
  /// - Parameter revision: as the person named it.
  package init(
    of commit: GitID, revision: [UInt8], _ part: Part, at place: GitPlace
  ) throws(GitStateError) {
    let tree = try place.tree(of: commit, revision: revision)
    let files = try GitListing.files(ofTree: tree, at: place)
    guard files.contains(where: { $0.path == Layout.header }) else {
      throw .noVault(revision: revision)
    }
    self = try GitState(files, part, at: place)
  }

  /// Opens it as a vault.
  package func open() throws(StoreError) -> VaultFolder { try VaultFolder(path: folder.path) }

  private static func isOfIndex(_ file: GitFile) -> Bool {
    let parts = file.path.split(separator: UInt8(ascii: "/")).map(Array.init)
    return file.path == Layout.header
      || parts.count == 2 && parts[0] == Layout.index
        && (FileNameHex.segmentID(parts[1]) != nil || FileNameHex.locator(parts[1]) != nil)
  }

  private static func lay(
    _ files: [GitFile], at place: GitPlace, in folder: borrowing PrivateFolder
  ) throws(GitStateError) {
    let layout: GitStateLayout
    do { layout = try GitStateLayout(in: try folder.directory.reopened()) } catch {
      throw .store(.system(error, path: folder.path))
    }
    var written: [GitFile] = []
    for file in files {
      if file.kind == .regular, GitStateLayout.byteLimit(file.path) > 0 {
        written.append(file)
      } else {
        try layout.stub(file)
      }
    }
    try GitBlobs.read(written.map(\.id), at: place) { (index, _) throws(GitStateError) in
      try layout.begin(written[index])
    } take: { (piece) throws(GitStateError) in
      try layout.take(piece)
    } end: { () throws(GitStateError) in
      try layout.end()
    }
  }
}
