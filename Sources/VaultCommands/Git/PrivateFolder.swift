import VaultCrypto
package import VaultStore

/// A new folder for sealed bytes that only its owner can look into, removed with all it holds when its life ends.
package struct PrivateFolder: ~Copyable {
  package let path: [UInt8]
  package let directory: Directory
  private let parent: Directory
  private let name: [UInt8]

  /// Makes one in `TMPDIR`, or in `/tmp`.
  package init() throws(StoreError) {
    var home = Array("/tmp".utf8)
    if let other = ProcessVariable("TMPDIR")?.value, other.first == UInt8(ascii: "/") {
      home = other
    }
    try self.init(in: home)
  }

  package init(in home: [UInt8]) throws(StoreError) {
    let random: [UInt8]
    do { random = try Random.bytes(16) } catch { throw .crypto(error) }
    let name = Array("vaulttool-\(JSONText.hex(random))".utf8)
    let path = home + [UInt8(ascii: "/")] + name
    do {
      let parent = try Directory(path: home)
      try parent.makeDirectory(name)
      let directory = try Directory(opening: name, in: parent)
      self.parent = parent
      self.directory = directory
      self.path = path
      self.name = name
    } catch {
      throw .system(error, path: path)
    }
  }

  deinit {
    // Nobody is left to tell; what stays is sealed, and nobody else can look into it.
    try? Self.empty(directory)
    try? parent.removeDirectory(name)
  }

  private static func empty(_ folder: borrowing Directory) throws(SystemError) {
    for entry in try folder.entries() {
      if try folder.status(of: entry.name)?.kind == .folder {
        try empty(try Directory(opening: entry.name, in: folder))
        try folder.removeDirectory(entry.name)
      } else {
        try folder.unlink(entry.name)
      }
    }
  }
}
