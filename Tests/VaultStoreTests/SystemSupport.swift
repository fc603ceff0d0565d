import Glibc
import Testing
import VaultTestSupport

@testable import VaultStore

/// The UTF-8 bytes of a text, as names are written here.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A folder of its own for one test, open, and removed at the end.
struct Workplace: ~Copyable {
  let temporary: TemporaryFolder
  let folder: Directory

  init(faults: FaultPlan? = nil) throws {
    let temporary = try TemporaryFolder()
    folder = try Directory(path: temporary.bytes, faults: faults)
    self.temporary = temporary
  }

  /// Makes a file with this content, whatever plan of faults there is.
  func put(_ name: String, _ content: String) throws {
    let plain = try Directory(path: temporary.bytes)
    let file = try plain.createFile(bytes(name))
    try file.write(bytes(content).span, at: 0)
  }

  func content(_ name: String) throws -> String {
    String(decoding: try folder.readWhole(bytes(name), limit: 1 << 20), as: UTF8.self)
  }

  func names() throws -> [String] {
    try folder.entries().map { String(decoding: $0.name, as: UTF8.self) }
  }
}

/// Makes a folder of each component below the one before it, with one file in each.
func makeChain(_ components: [[UInt8]], file: [UInt8], in root: borrowing Directory) throws {
  var folder = try root.reopened()
  for component in components {
    try folder.createFile(file).close()
    try folder.makeDirectory(component)
    folder = try Directory(opening: component, in: folder)
  }
  try folder.createFile(file).close()
}

/// A test run by root becomes another user, so that permissions hold. Only for exit tests.
func dropPrivileges() {
  if geteuid() == 0 {
    precondition(setgid(65_534) == 0 && setuid(65_534) == 0, "root may become anyone")
  }
}

/// Lets this process open only so many files more. Only for exit tests.
func limitOpenFiles(toFurther count: Int) {
  let free = (0...1_000).filter { fcntl(Int32($0), F_GETFD) < 0 }
  let lowestRefused = UInt(free[count])
  var limit = rlimit(rlim_cur: lowestRefused, rlim_max: lowestRefused)
  precondition(unsafe setrlimit(__rlimit_resource_t(7), &limit) == 0, "a limit can be lowered")
}
