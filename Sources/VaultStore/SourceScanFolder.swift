/// A source folder, open.
package final class SourceFolder: Sendable {
  package let root: Directory
  /// As the person gave it.
  package let path: [UInt8]

  /// - Throws: `system` where there is no such folder.
  package init(path: [UInt8]) throws(StoreError) {
    do { root = try Directory(path: path) } catch { throw .system(error, path: path) }
    self.path = path
  }

  /// The path without links from the file system's root; names the folder in the base of a pack (spec §10).
  package var absolutePath: [UInt8] {
    // Where the kernel does not say, the path that was given tells folders apart as well as can be.
    let number = Array("\(root.descriptor.number)".utf8)
    return (try? Directory(path: Array("/proc/self/fd".utf8)).readLink(number)) ?? path
  }

  /// Whether this folder is the one with that identity, or lies anywhere below it; links do not matter.
  /// - Throws: `system`.
  package func liesIn(_ identity: FileIdentity) throws(StoreError) -> Bool {
    do {
      var above = path
      var last = try root.descriptor.status().identity
      while last != identity {
        above += "/..".utf8
        let next: FileIdentity
        do {
          next = try Directory(path: above).descriptor.status().identity
        } catch {
          // A folder above that cannot be searched is not a vault that we have open.
          return false
        }
        if next == last { return false }
        last = next
      }
      return true
    } catch {
      throw .system(error, path: path)
    }
  }
}
