/// Whether a vault lies in a git work tree (spec §7.4: there, compaction is a commit of its own).
package enum GitSurroundings {
  /// How many folders up are looked at.
  private static let depth = 64

  /// Looks for `.git`, a folder or a file, in the vault and in the folders above it.
  package static func contains(_ vault: VaultFolder) -> Bool {
    var path = vault.path
    var last: FileIdentity?
    for _ in 0..<depth {
      // A folder that cannot be looked at cannot be the root of a work tree that git uses.
      guard let folder = try? Directory(path: path),
        let identity = try? folder.descriptor.status().identity, identity != last
      else { return false }
      if (try? folder.status(of: Layout.git)) != nil { return true }
      last = identity
      path += Array("/..".utf8)
    }
    return false
  }
}
