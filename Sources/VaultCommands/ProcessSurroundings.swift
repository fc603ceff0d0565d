import Glibc

extension Console {
  /// The console of this process.
  package static func standard() -> Console {
    Console(output: STDOUT_FILENO, error: STDERR_FILENO, surroundings: .ofProcess())
  }
}

extension Console.Surroundings {
  /// What this process is connected to, by its descriptors and the variables `TERM` and
  /// `NO_COLOR`. `VAULTTOOL_TERMINAL_PROMPT=0` takes the terminal for questions away, as in a hook of git.
  package static func ofProcess() -> Console.Surroundings {
    let errorIsTerminal = isatty(STDERR_FILENO) == 1
    let terminal = variable("TERM") ?? "dumb"
    let canRedraw = errorIsTerminal && terminal != "dumb"
    return Console.Surroundings(
      inputIsTerminal: isatty(STDIN_FILENO) == 1, outputIsTerminal: isatty(STDOUT_FILENO) == 1,
      errorIsTerminal: errorIsTerminal, canRedraw: canRedraw,
      usesColour: canRedraw && variable("NO_COLOR") == nil,
      terminalPath: variable("VAULTTOOL_TERMINAL_PROMPT") == "0" ? nil : "/dev/tty")
  }

  private static func variable(_ name: String) -> String? {
    ProcessVariable(name).map { String(decoding: $0.value, as: UTF8.self) }
  }
}

/// A variable of the environment of this process, with whatever bytes it has. Nothing else reads the environment.
package struct ProcessVariable: Equatable, Sendable {
  package let name: String
  package let value: [UInt8]

  package init(_ name: String, value: [UInt8]) {
    self.name = name
    self.value = value
  }

  /// Nil if it is unset or empty.
  package init?(_ name: String) {
    guard let start = unsafe getenv(name) else { return nil }
    let byteCount = unsafe strlen(start)
    guard byteCount > 0 else { return nil }
    unsafe self.init(name, value: [UInt8](UnsafeRawBufferPointer(start: start, count: byteCount)))
  }

  /// `NAME=value`, as a child takes it.
  package var text: [UInt8] { Array("\(name)=".utf8) + value }
}

/// The folder that this process works in.
enum CurrentFolder {
  /// Its path; `.` where the system does not tell.
  static var path: [UInt8] {
    guard let start = unsafe getcwd(nil, 0) else { return [UInt8(ascii: ".")] }
    defer { unsafe free(start) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: strlen(start)))
  }
}
