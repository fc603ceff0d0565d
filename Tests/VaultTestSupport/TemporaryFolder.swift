import Glibc

/// A new folder in the system's place for temporary files, removed with all it holds when released.
package final class TemporaryFolder: Sendable {
  /// The absolute path, without a final slash.
  package let path: String
  /// The same as bytes.
  package var bytes: [UInt8] { Array(path.utf8) }

  /// The system refused to make a folder.
  package struct Refused: Error {
    package let code: Int32
  }

  package convenience init() throws(Refused) { try self.init(in: "/tmp") }

  /// A folder in memory where the system has a place for that: a test that syncs often need not wait for a disk that
  /// other programs keep busy.
  package static func inMemory() throws(Refused) -> TemporaryFolder {
    do { return try TemporaryFolder(in: "/dev/shm") } catch { return try TemporaryFolder() }
  }

  private init(in parent: String) throws(Refused) {
    var template = Array("\(parent)/vaulttool-test.XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Refused(code: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    // Folders without permissions first, or their content could not be removed.
    _ = TemporaryFolder.run(["/bin/chmod", "-R", "u+rwx", path])
    _ = TemporaryFolder.run(["/bin/rm", "-rf", "--", path])
  }

  /// The path of an entry.
  package func path(of name: String) -> String { path + "/" + name }

  /// Runs a program without output and gives its exit status, or nil where it did not run.
  package static func run(_ words: [String]) -> Int32? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var arguments = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var child = pid_t()
    guard unsafe posix_spawn(&child, words[0], &actions, nil, arguments, nil) == 0 else {
      return nil
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
  }
}
