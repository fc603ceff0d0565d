package import Glibc

/// Runs the built program as a person or a script does.
package enum BuiltTool {
  /// What a run left behind.
  package struct Outcome: Equatable, Sendable {
    /// The exit status, or 128 + n where signal n ended it.
    package let status: Int32
    package let output: [UInt8]
    package let errors: [UInt8]

    /// What was said on stderr.
    package var errorText: String { String(decoding: errors, as: UTF8.self) }
  }

  /// The system refused to run anything.
  package struct Refused: Error {
    package let code: Int32
  }

  /// The program's path: it lies beside the tests.
  package static var path: String {
    let tests = CommandLine.arguments[0]
    guard let slash = tests.lastIndex(of: "/") else { return "./vaulttool" }
    return tests[...slash] + "vaulttool"
  }

  /// Runs a line of `/bin/sh` in a folder, without a terminal; `$TOOL` is the program, and the shell
  /// leads a session of its own.
  package static func shell(
    _ script: String, in folder: TemporaryFolder
  ) throws(Refused) -> Outcome {
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    let child = try start(
      script, in: folder,
      [
        ("/dev/null", O_RDONLY), (folder.path(of: ".stdout"), flags),
        (folder.path(of: ".stderr"), flags),
      ])
    let status = wait(for: child)
    return Outcome(
      status: status, output: content(of: folder.path(of: ".stdout")),
      errors: content(of: folder.path(of: ".stderr")))
  }

  /// Starts a line of `/bin/sh` in a folder, on a terminal that becomes its controlling one.
  /// - Returns: the process, for `wait(for:)`.
  package static func start(
    _ script: String, in folder: TemporaryFolder, on terminal: PseudoTerminal
  ) throws(Refused) -> pid_t {
    try start(script, in: folder, Array(repeating: (terminal.path, O_RDWR), count: 3))
  }

  /// Waits for a process and gives its status, or 128 + n where signal n ended it.
  package static func wait(for child: pid_t) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  private static func start(
    _ script: String, in folder: TemporaryFolder,
    _ streams: [(path: String, flags: Int32)]
  ) throws(Refused) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      unsafe posix_spawn_file_actions_addopen(
        &actions, Int32(number), stream.path, stream.flags, 0o600)
    }
    // The threads of the test library block signals, which a child would inherit.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    let newSession: Int16 = 0x80
    unsafe posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    let texts = [
      "/bin/sh", "-c", "cd \"$HOME\" || exit 99\n\(script)", "TOOL=\(path)", "PATH=/usr/bin:/bin",
      "TERM=xterm", "HOME=\(folder.path)",
    ]
    let copies = unsafe texts.map { unsafe strdup($0) }
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    var arguments = unsafe Array(copies[..<3])
    unsafe arguments.append(nil)
    var environment = unsafe Array(copies[3...])
    unsafe environment.append(nil)
    var child = pid_t()
    let code = unsafe posix_spawn(
      &child, "/bin/sh", &actions, &attributes, arguments, environment)
    guard code == 0 else { throw Refused(code: code) }
    return child
  }

  private static func content(of path: String) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
