import CSystem
import Glibc
package import VaultCrypto
import VaultStore

/// Asks a person on the terminal, whatever stdin and stdout are connected to.
package struct TerminalPrompt: ~Copyable {
  /// The most that may be typed on one line, in bytes. The kernel cuts lines of a terminal after
  /// 4,095 without a word, so a line near that is refused: it may have been cut.
  package static let maximumByteCount = 4_000
  private static let bufferByteCount = 4_096
  /// How often a new secret is asked for again when its repetition differs.
  package static let attempts = 3

  let descriptor: CInt
  let console: Console

  /// Opens the terminal of the console.
  ///
  /// - Throws: `noTerminal` at once, without waiting, if there is none.
  package init(on console: Console) throws(SecretError) {
    guard let path = console.surroundings.terminalPath else { throw .noTerminal }
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .noTerminal }
    guard isatty(descriptor) == 1 else {
      close(descriptor)
      throw .noTerminal
    }
    self.descriptor = descriptor
    self.console = console
  }

  deinit { close(descriptor) }

  /// Asks for a secret without echo.
  ///
  /// - Returns: the bytes as typed, without the line end.
  /// - Throws: `nothingReceived` for an empty line or the end of input, `tooLong`, `terminal`,
  ///   `interrupted`; the terminal is as before in every case.
  package func askSecret(_ question: String, as kind: SecretKind) throws(SecretError) -> SecretBytes
  {
    let secret = try ask("\(question): ", echoes: false, as: kind)
    guard secret.count > 0 else { throw .nothingReceived(kind) }
    return secret
  }

  /// Asks for a new secret twice, without echo, until both are the same.
  ///
  /// - Throws: `repetitionDiffers` after three attempts; otherwise as `askSecret`.
  package func askNewSecret(
    _ question: String, as kind: SecretKind
  ) throws(SecretError) -> SecretBytes {
    for _ in 0..<Self.attempts {
      let first = try askSecret(question, as: kind)
      let second = try askSecret("\(question) (again)", as: kind)
      let areEqual = first.withBytes { first in
        second.withBytes { second in ConstantTime.areEqual(first, second) }
      }
      if areEqual { return first }
      try show("The two were not the same.")
    }
    throw .repetitionDiffers(kind)
  }

  /// Asks for a part of a secret that is checked while it is seen, such as a word of the phrase.
  ///
  /// - Returns: the bytes as typed, without the line end; none for an empty line.
  /// - Throws: `tooLong`, `terminal`, `interrupted`.
  package func askVisibly(
    _ question: String, as kind: SecretKind
  ) throws(SecretError) -> SecretBytes {
    try ask("\(question): ", echoes: true, as: kind)
  }

  /// Asks a question whose answer is no, unless `y` or `yes` is typed.
  ///
  /// - Throws: `tooLong`, `terminal`, `interrupted`.
  package func confirm(_ question: String) throws(SecretError) -> Bool {
    let answer = try ask("\(question) [y/N] ", echoes: true, as: .passphrase)
    let text = answer.withBytes { bytes in
      String(decoding: bytes.indices.prefix(4).map { bytes[$0] }, as: UTF8.self)
    }
    return ["y", "yes"].contains(text.lowercased())
  }

  /// Shows a line on the terminal and nowhere else.
  ///
  /// - Throws: `terminal`.
  package func show(_ text: String) throws(SecretError) { try write(Array("\(text)\n".utf8).span) }

  /// Shows a secret on the terminal and nowhere else, without a line end.
  ///
  /// - Throws: `terminal`.
  package func show(_ secret: borrowing SecretBytes) throws(SecretError) {
    try secret.withBytes { bytes throws(SecretError) in try write(bytes) }
  }

  func write(_ bytes: Span<UInt8>) throws(SecretError) {
    let code = writeAll(bytes, to: descriptor)
    guard code == 0 else { throw .terminal(ErrorCode(rawValue: code)) }
  }
}

// MARK: - One line

extension TerminalPrompt {
  private func ask(
    _ question: String, echoes: Bool, as kind: SecretKind
  ) throws(SecretError) -> SecretBytes {
    console.showStatusLine("")
    while true {
      if let line = try readLine(question, echoes: echoes, as: kind) { return line }
      // Stopped from the keyboard: the terminal is as before by now. Asked anew when continued.
      raise(SIGTSTP)
    }
  }

  /// Reads one line with the terminal set up for it.
  ///
  /// - Returns: nil if the process shall stop and be continued later.
  private func readLine(
    _ question: String, echoes: Bool, as kind: SecretKind
  ) throws(SecretError) -> SecretBytes? {
    let signals = PromptSignals()
    let before = try settings()
    try set(before.forLine(echoes: echoes))
    defer { try? set(before) }  // Nothing more can be done where it fails.
    try write(Array(question.utf8).span)
    var line = try SecretBytes.empty(count: Self.bufferByteCount)
    var filled = 0
    while filled < line.count {
      Wakeup.waitForInput(descriptor)
      if let signal = signals.arrived {
        try write([UInt8(ascii: "\n")].span)
        guard signal == SIGTSTP else { throw .interrupted(signal: signal) }
        return nil
      }
      let count = line.read(from: descriptor, at: filled)
      guard count >= 0 || -count == EINTR else {
        throw .terminal(ErrorCode(rawValue: -count))
      }
      filled += max(0, Int(count))
      let isComplete = count > 0 && line.withBytes { $0[filled - 1] == 0x0A }
      if isComplete || count == 0 {
        line.shorten(to: isComplete ? filled - 1 : filled)
        break
      }
    }
    guard line.count <= Self.maximumByteCount else {
      throw .tooLong(kind, limit: Self.maximumByteCount)
    }
    return line
  }

  func settings() throws(SecretError) -> termios {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else {
      throw .terminal(ErrorCode(rawValue: errno))
    }
    return settings
  }

  /// Input that was typed before is dropped, so that it answers no question it was not meant for.
  func set(_ settings: termios) throws(SecretError) {
    var settings = settings
    while unsafe tcsetattr(descriptor, TCSAFLUSH, &settings) != 0 {
      guard errno == EINTR else { throw .terminal(ErrorCode(rawValue: errno)) }
    }
  }

  /// Whether more keys have arrived, or arrive within the pause that a paste may make.
  var hasMoreKeys: Bool {
    let pauseMilliseconds: CInt = 20
    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&ready, 1, pauseMilliseconds) == 1 && ready.revents & Int16(POLLIN) != 0
  }
}

extension termios {
  /// Key by key and without echo; the keys that send signals still do.
  var forKeys: termios {
    var settings = self
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { bytes in
      unsafe bytes[Int(VMIN)] = 1  // a read waits for one byte
      unsafe bytes[Int(VTIME)] = 0  // for as long as it takes
    }
    return settings
  }

  /// Whole lines with the usual editing keys; without echo only the line end shows.
  fileprivate func forLine(echoes: Bool) -> termios {
    var settings = self
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_lflag |= tcflag_t(ICANON | ISIG | ECHO | ECHONL)
    if !echoes { settings.c_lflag &= ~tcflag_t(ECHO) }
    return settings
  }
}
