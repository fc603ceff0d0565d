/// Where a note is shown (spec §7.2): the greater of two with one version wins.
package struct Place: Hashable, Comparable, Sendable {
  /// 1 to 8,192 bytes; not checked to be safe (`SafePath.check`).
  package let path: [UInt8]
  package let executable: Bool

  /// A place for a note.
  ///
  /// - Throws: `wrongByteCount` for a path that is empty or too long.
  package init(path: [UInt8], executable: Bool) throws(FormatError) {
    let allowed = Limits.pathByteCount
    guard allowed.contains(path.count) else {
      throw .wrongByteCount(
        field: "path", offset: 0,
        allowed: UInt64(allowed.lowerBound)...UInt64(allowed.upperBound),
        found: UInt64(path.count))
    }
    self.path = path
    self.executable = executable
  }

  /// Bytewise by path, then false before true.
  package static func < (left: Self, right: Self) -> Bool {
    left.path == right.path
      ? !left.executable && right.executable
      : left.path.lexicographicallyPrecedes(right.path)
  }
}
