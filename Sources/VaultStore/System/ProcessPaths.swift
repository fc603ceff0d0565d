/// Where this process and what it has open lie, as the kernel sees it.
package enum ProcessPaths {
  /// The file of the running program, as an absolute path.
  /// - Throws: `failed` where `/proc` is not mounted.
  package static func program() throws(SystemError) -> [UInt8] {
    try Directory(path: Array("/proc/self".utf8)).readLink(Array("exe".utf8))
  }
}

extension Directory {
  /// This folder's absolute path, without links in it.
  /// - Throws: `failed` where `/proc` is not mounted.
  package borrowing func absolutePath() throws(SystemError) -> [UInt8] {
    try Directory(path: Array("/proc/self/fd".utf8))
      .readLink(Array("\(descriptor.number)".utf8))
  }
}
