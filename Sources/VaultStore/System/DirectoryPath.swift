extension Directory {
  /// Makes the last folder of a path that a person named; its parent must be there.
  /// - Throws: `failed` with `exists` when something is there already.
  package static func make(path: [UInt8], mode: UInt32) throws(SystemError) {
    let (parent, name) = split(path)
    guard let name else { throw SystemError(call: "mkdirat", code: .exists) }
    try Directory(path: parent).makeDirectory(name, mode: mode)
  }

  /// What the folder at a path is, links followed; nil where there is nothing.
  package static func status(path: [UInt8]) throws(SystemError) -> FileStatus? {
    do {
      return try Directory(path: path).descriptor.status()
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  /// The absolute path of the folder at a path, without links; needs `/proc`.
  package static func resolved(path: [UInt8]) throws(SystemError) -> [UInt8] {
    let folder = try Directory(path: path)
    let descriptors = try Directory(path: Array("/proc/self/fd".utf8))
    return try descriptors.readLink(Array("\(folder.descriptor.number)".utf8))
  }

  /// Removes an empty folder that a person named.
  package static func remove(path: [UInt8]) throws(SystemError) {
    let (parent, name) = split(path)
    guard let name else { throw SystemError(call: "unlinkat", code: .invalid) }
    try Directory(path: parent).removeDirectory(name)
  }

  /// The folder that holds the last part of a path, and that part; nil for paths like `/` and `..` that have none.
  package static func split(_ path: [UInt8]) -> (parent: [UInt8], name: [UInt8]?) {
    let slash = UInt8(ascii: "/")
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.last == slash { trimmed.removeLast() }
    let name = trimmed.lastIndex(of: slash).map { trimmed[($0 + 1)...] } ?? trimmed
    if name.isEmpty || name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) {
      return (Array(trimmed), nil)
    }
    let parent = trimmed.dropLast(name.count)
    return (parent.isEmpty ? Array(".".utf8) : Array(parent), Array(name))
  }
}
