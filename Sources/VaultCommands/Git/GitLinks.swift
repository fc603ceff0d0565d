import VaultStore

extension GitPlace {
  private static let slash = UInt8(ascii: "/")
  /// How many folders up are looked at.
  private static let depth = 256

  /// Refuses a way to a vault that leads through a link of the work tree: a commit can put one there, and git then speaks
  /// of the folder that it leads to.
  /// - Parameter path: as it was named; links above the work tree are the owner's own, and outside of one all are.
  static func refuseLinks(on path: [UInt8]) throws(GitStateError) {
    guard let top = top(of: path).flatMap({ identity(of: $0) }) else { return }
    var parent: [UInt8] = path.first == slash ? [slash] : Array(".".utf8)
    for part in path.split(separator: slash).map(Array.init) where part != Array(".".utf8) {
      let whole = parent + [slash] + part
      if part != Array("..".utf8), isLink(part, in: parent), isAt(top, orBelow: parent) {
        throw .link(whole)
      }
      parent = whole
    }
  }

  /// The top of the work tree that a folder lies in; nil where there is none, or no answer from git.
  static func top(of folder: [UInt8]) -> [UInt8]? {
    let answer = try? Git.run(["rev-parse", "--show-toplevel"], in: folder, limit: 65_536)
    guard var path = answer, path.popLast() == 0x0A else { return nil }
    return path
  }

  private static func isLink(_ name: [UInt8], in folder: [UInt8]) -> Bool {
    // What cannot be looked at is opened by nobody either.
    ((try? Directory(path: folder).status(of: name)) ?? nil)?.kind == .symlink
  }

  /// Whether a folder is the top or lies below it.
  private static func isAt(_ top: FileIdentity, orBelow folder: [UInt8]) -> Bool {
    var path = folder
    var last: FileIdentity?
    for _ in 0..<depth {
      guard let here = identity(of: path), here != last else { return false }
      if here == top { return true }
      last = here
      path += Array("/..".utf8)
    }
    return false
  }

  private static func identity(of folder: [UInt8]) -> FileIdentity? {
    try? Directory(path: folder).descriptor.status().identity
  }
}
