import Glibc
import Synchronization
import VaultStore

/// Where a command's results and words go: stdout carries data, stderr everything else.
///
/// The only place that writes to them. It has an identity and is shared by threads (progress is
/// drawn by whoever finishes some work), hence a class.
package final class Console: Sendable {
  /// What the program is connected to.
  package struct Surroundings: Equatable, Sendable {
    package var inputIsTerminal: Bool
    package var outputIsTerminal: Bool
    package var errorIsTerminal: Bool
    /// Whether stderr understands escape sequences, so that a line can be redrawn.
    package var canRedraw: Bool
    /// Whether messages on stderr may be coloured.
    package var usesColour: Bool
    /// The terminal that questions are asked on, as a path; nil if there is none.
    package var terminalPath: String?
    /// The columns of stderr; nil asks the terminal each time.
    package var fixedWidth: Int?

    package init(
      inputIsTerminal: Bool = false, outputIsTerminal: Bool = false, errorIsTerminal: Bool = false,
      canRedraw: Bool = false, usesColour: Bool = false, terminalPath: String? = nil,
      fixedWidth: Int? = nil
    ) {
      self.inputIsTerminal = inputIsTerminal
      self.outputIsTerminal = outputIsTerminal
      self.errorIsTerminal = errorIsTerminal
      self.canRedraw = canRedraw
      self.usesColour = usesColour
      self.terminalPath = terminalPath
      self.fixedWidth = fixedWidth
    }
  }

  private enum Target {
    case descriptors(output: CInt, error: CInt)
    case memory
  }

  private struct State {
    var pendingOutput: [UInt8] = []
    var recordedOutput: [UInt8] = []
    var recordedErrors: [UInt8] = []
    var statusLineIsShown = false
  }

  /// What the program is connected to.
  package let surroundings: Surroundings
  private let target: Target
  private let state = Mutex(State())
  private static let bufferByteCount = 65_536

  private init(_ target: Target, _ surroundings: Surroundings) {
    self.target = target
    self.surroundings = surroundings
  }

  /// A console that writes to the given descriptors; 1 and 2 in the program.
  package convenience init(output: CInt, error: CInt, surroundings: Surroundings) {
    self.init(.descriptors(output: output, error: error), surroundings)
  }

  /// A console that keeps everything in memory, for tests.
  package static func recording(_ surroundings: Surroundings = Surroundings()) -> Console {
    Console(.memory, surroundings)
  }

  /// What a recording console was given on stdout and stderr so far.
  package var recorded: (output: [UInt8], errors: [UInt8]) {
    state.withLock { ($0.recordedOutput + $0.pendingOutput, $0.recordedErrors) }
  }

  /// The columns of stderr, 80 if they cannot be had.
  package var width: Int {
    if let width = surroundings.fixedWidth { return width }
    var size = winsize()
    let result = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size)
    return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}

// MARK: - Results

extension Console {
  /// Writes result bytes; small pieces are gathered until `flush`.
  package func write(_ bytes: Span<UInt8>) throws(OutputError) {
    try state.withLock { (state) throws(OutputError) in
      if state.pendingOutput.count + bytes.count > Self.bufferByteCount {
        try writeOut(&state)
      }
      if bytes.count > Self.bufferByteCount {
        try writeOut(bytes, &state)
      } else {
        unsafe bytes.withUnsafeBufferPointer { unsafe state.pendingOutput.append(contentsOf: $0) }
      }
    }
  }

  /// Writes result bytes.
  package func write(_ bytes: [UInt8]) throws(OutputError) { try write(bytes.span) }

  /// Writes a result line.
  package func writeLine(_ text: String) throws(OutputError) { try write(Array("\(text)\n".utf8)) }

  /// Hands everything written so far to the system; every command ends with it, because only then
  /// is known whether the results arrived.
  ///
  /// - Throws: `readerGone` if the pipe has no reader, `failed` for a full device and the like.
  package func flush() throws(OutputError) {
    try state.withLock { (state) throws(OutputError) in try writeOut(&state) }
  }

  private func writeOut(_ state: inout State) throws(OutputError) {
    let bytes = state.pendingOutput
    state.pendingOutput.removeAll(keepingCapacity: true)
    try writeOut(bytes.span, &state)
  }

  private func writeOut(_ bytes: Span<UInt8>, _ state: inout State) throws(OutputError) {
    guard !bytes.isEmpty else { return }
    if surroundings.outputIsTerminal { clearStatusLine(&state) }
    switch target {
    case .descriptors(let output, _):
      let code = writeAll(bytes, to: output)
      guard code != EPIPE else { throw .readerGone }
      guard code == 0 else { throw .failed(ErrorCode(rawValue: code)) }
    case .memory:
      unsafe bytes.withUnsafeBufferPointer { unsafe state.recordedOutput.append(contentsOf: $0) }
    }
  }
}

// MARK: - Messages

extension Console {
  /// What kind of line a message on stderr is.
  package enum Message: String, Sendable {
    case error
    case warning
    case hint
    case information

    fileprivate func prefix(coloured: Bool) -> String {
      let colour =
        switch self {
        case .error: "31"
        case .warning: "33"
        case .hint: "36"
        case .information: ""
        }
      guard self != .information else { return "vaulttool: " }
      return coloured
        ? "vaulttool: \u{1B}[1;\(colour)m\(rawValue):\u{1B}[0m " : "vaulttool: \(rawValue): "
    }
  }

  /// Writes one line to stderr: `vaulttool: error: …`. Names in `text` come through `DisplayName`.
  /// That stderr itself cannot be written to is not an error.
  package func say(_ message: Message, _ text: String) {
    state.withLock { state in
      // On one terminal, results and messages stay in order. A failure is met again by `flush`.
      if surroundings.outputIsTerminal { try? writeOut(&state) }
      clearStatusLine(&state)
      let prefix = message.prefix(coloured: surroundings.usesColour)
      writeErrors("\(prefix)\(text)\n", &state)
    }
  }

  /// `vaulttool: error: …`
  package func error(_ text: String) { say(.error, text) }
  /// `vaulttool: warning: …`
  package func warn(_ text: String) { say(.warning, text) }
  /// `vaulttool: hint: …`
  package func hint(_ text: String) { say(.hint, text) }
  /// `vaulttool: …`
  package func note(_ text: String) { say(.information, text) }

  /// Reports a usage error, what to do about it, and where to read more.
  ///
  /// - Parameter topic: the name whose help text answers it, nil for the overview.
  package func report(_ error: UsageError, for topic: String?) {
    self.error(error.description)
    if let hint = error.hint { self.hint(hint) }
    hint("see 'vaulttool \(topic.map { "help \($0)" } ?? "--help")'")
  }

  /// Shows or redraws the one line of progress; an empty text wipes it.
  package func showStatusLine(_ text: String) {
    guard surroundings.errorIsTerminal, surroundings.canRedraw else { return }
    state.withLock { state in
      clearStatusLine(&state)
      guard !text.isEmpty else { return }
      writeErrors(text, &state)
      state.statusLineIsShown = true
    }
  }

  private func clearStatusLine(_ state: inout State) {
    guard state.statusLineIsShown else { return }
    writeErrors("\r\u{1B}[K", &state)
    state.statusLineIsShown = false
  }

  private func writeErrors(_ text: String, _ state: inout State) {
    let bytes = Array(text.utf8)
    switch target {
    case .descriptors(_, let error): _ = writeAll(bytes.span, to: error)
    case .memory: state.recordedErrors += bytes
    }
  }
}

/// Writes all bytes to a descriptor and returns 0 or the error number; blocks where the other end
/// does not keep up.
func writeAll(_ bytes: Span<UInt8>, to descriptor: CInt) -> CInt {
  unsafe bytes.withUnsafeBytes { buffer in
    var written = 0
    while written < buffer.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
      let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&ready, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
