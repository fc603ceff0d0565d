import VaultStore

/// Where a vault lies in the repository around it, so that reports can name its files as a code host does.
struct RepositoryPath {
  /// How many folders up a repository is looked for.
  private static let depth = 64

  /// The vault's folder from the top of the work tree, with a final slash; empty where the vault is the top.
  let prefix: [UInt8]

  /// - Parameter vault: as it was named; outside of a repository that is what files are named by.
  init(ofVault vault: [UInt8]) {
    prefix = Self.withSlash(Self.inRepository(vault) ?? Self.asNamed(vault))
  }

  /// A file of the vault; the file `VAULT` where a finding is about the vault as a whole.
  func file(_ path: [UInt8]) -> [UInt8] { prefix + (path.isEmpty ? Layout.header : path) }

  private static func inRepository(_ vault: [UInt8]) -> [UInt8]? {
    // What cannot be resolved is named as it was given.
    guard let resolved = try? Directory.resolved(path: vault) else { return nil }
    var top = resolved[...]
    for _ in 0..<depth {
      // A folder that cannot be looked at is not the top of a repository that somebody works in.
      if let folder = try? Directory(path: top.isEmpty ? [UInt8(ascii: "/")] : Array(top)),
        (try? folder.status(of: Layout.git)) != nil
      {
        return Array(resolved.dropFirst(top.count).drop { $0 == UInt8(ascii: "/") })
      }
      guard let slash = top.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      top = top[..<slash]
    }
    return nil
  }

  private static func asNamed(_ vault: [UInt8]) -> [UInt8] {
    vault.elementsEqual(".".utf8)
      ? [] : vault.starts(with: "./".utf8) ? Array(vault.dropFirst(2)) : vault
  }

  private static func withSlash(_ folder: [UInt8]) -> [UInt8] {
    folder.isEmpty || folder.last == UInt8(ascii: "/") ? folder : folder + [UInt8(ascii: "/")]
  }
}
