/// The files beside the sealed ones that the index lists by their path (spec §2).
package enum CompanionPath {
  /// The companions that lie directly in the vault's folder.
  package static let topLevel = ["README.md", ".gitattributes", ".gitignore"].map { Array($0.utf8) }
  /// What the path of every other companion begins with.
  package static let kitFolder = Array("kit/".utf8)

  /// Whether `path`, relative to the vault, is that of a companion: one of `topLevel`, or a file
  /// directly in `kit/`; at most 255 bytes.
  package static func isCompanion(_ path: [UInt8]) -> Bool {
    guard Limits.companionPathByteCount.contains(path.count) else { return false }
    if topLevel.contains(path) { return true }
    guard path.starts(with: kitFolder) else { return false }
    let name = Array(path.dropFirst(kitFolder.count))
    return !name.contains(UInt8(ascii: "/")) && SafePath.fault(in: name) == nil
  }
}
