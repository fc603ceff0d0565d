import Glibc

/// What a process left behind when it ended.
struct Outcome: Sendable {
  /// The exit status, or minus the number of the signal that ended the process.
  let status: Int32
  /// What it wrote to standard output.
  let output: [UInt8]
  /// What it wrote to standard error.
  let errorBytes: [UInt8]

  var text: String { String(decoding: output, as: UTF8.self) }
  var errorText: String { String(decoding: errorBytes, as: UTF8.self) }
  /// Both together, for searches.
  var allBytes: [UInt8] { output + errorBytes }
}

extension Outcome: CustomStringConvertible {
  var description: String { "status \(status), output: \(text) error: \(errorText)" }
}

/// A process started by a test: in a session of its own, so without a terminal, its output kept in
/// unnamed files.
final class Child: Sendable {
  /// The system would not start the process.
  struct NotStarted: Error {
    let program: Name
    let code: Int32
  }

  let id: pid_t
  private let output: Int32
  private let errors: Int32

  /// Starts `words[0]` with the rest as arguments.
  init(
    _ words: [Name], input: Name = "/dev/null", environment: [String: String] = [:],
    in folder: Name = "/"
  ) throws {
    output = try Child.unnamedFile()
    errors = try Child.unnamedFile()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, input.cString, O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, 2)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The threads of the test library block signals, which a child would inherit.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let signalFlags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(&attributes, Child.newSession | signalFlags)
    let words: [Name] = folder == "/" ? words : ["/usr/bin/env", "-C", folder] + words
    var arguments = unsafe words.map { unsafe strdup($0.cString) }
    unsafe arguments.append(nil)
    let all = Child.plainEnvironment.merging(environment) { $1 }
    var variables = unsafe all.map { unsafe strdup("\($0.key)=\($0.value)") }
    unsafe variables.append(nil)
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    var child = pid_t()
    let code = unsafe posix_spawn(
      &child, words[0].cString, &actions, &attributes, arguments, variables)
    guard code == 0 else { throw NotStarted(program: words[0], code: code) }
    id = child
  }

  deinit {
    close(output)
    close(errors)
  }

  /// Sends a signal. A process that has ended and was not waited for ignores it.
  func send(_ signal: Int32) { kill(id, signal) }

  /// Whether the process has ended; it still has to be waited for.
  var hasEnded: Bool {
    var information = unsafe siginfo_t()
    let options = WEXITED | WNOHANG | WNOWAIT
    return unsafe waitid(P_PID, id_t(id), &information, options) == 0
      && information.si_signo == SIGCHLD
  }

  /// Waits for the end.
  func wait() -> Outcome {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return Outcome(
      status: signal == 0 ? status >> 8 & 0xFF : -signal, output: Child.content(of: output),
      errorBytes: Child.content(of: errors))
  }

  /// POSIX_SPAWN_SETSID, whose macro is only there for GNU sources.
  private static let newSession: Int16 = 0x80

  /// Nothing of the environment of the tests reaches a child but what finding programs and
  /// measuring coverage need.
  private static let plainEnvironment: [String: String] = {
    var kept = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"]
    for name in ["LLVM_PROFILE_FILE", "LD_LIBRARY_PATH"] {
      if let value = unsafe getenv(name) { unsafe kept[name] = String(cString: value) }
    }
    return kept
  }()

  private static func unnamedFile() throws -> Int32 {
    let path: Name = "/tmp/vaulttool-output.\(UInt64.random(in: 0...UInt64.max))"
    let file = unsafe open(path.cString, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw NotStarted(program: "a file for output", code: errno) }
    unsafe unlink(path.cString)
    return file
  }

  private static func content(of file: Int32) -> [UInt8] {
    let end = Int(lseek(file, 0, SEEK_END))
    var bytes = [UInt8](repeating: 0, count: max(0, end))
    var filled = 0
    while filled < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        return unsafe pread(file, rest.baseAddress, rest.count, off_t(filled))
      }
      guard count > 0 else { break }
      filled += count
    }
    return bytes
  }
}
