import Glibc

extension Console {
  /// The console of this process.
  package static func standard() -> Console {
    Console(output: STDOUT_FILENO, error: STDERR_FILENO, surroundings: .ofProcess())
  }
}

extension Console.Surroundings {
  /// What this process is connected to, by its descriptors and the variables `TERM` and
  /// `NO_COLOR`; nothing else reads the environment.
  package static func ofProcess() -> Console.Surroundings {
    let errorIsTerminal = isatty(STDERR_FILENO) == 1
    let terminal = variable("TERM") ?? "dumb"
    let canRedraw = errorIsTerminal && terminal != "dumb"
    return Console.Surroundings(
      inputIsTerminal: isatty(STDIN_FILENO) == 1, outputIsTerminal: isatty(STDOUT_FILENO) == 1,
      errorIsTerminal: errorIsTerminal, canRedraw: canRedraw,
      usesColour: canRedraw && variable("NO_COLOR") == nil, terminalPath: "/dev/tty")
  }

  /// A variable of the environment; nil if it is unset or empty.
  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }
}
