import CSystem
import Glibc
import VaultStore

/// Runs another program to its end and keeps what it says. No shell, no input, and no descriptor or
/// variable of this process but those given.
enum ChildProgram {
  /// What the program left behind.
  struct Outcome {
    /// The exit status, or 256 + n where signal n ended it.
    let status: Int
    let output: [UInt8]
    /// The first bytes of what it wrote to stderr.
    let errors: [UInt8]
  }

  /// Why there is no outcome.
  enum Failure: Error, Equatable {
    /// The system would not start or follow it.
    case system(ErrorCode)
    /// It wrote more than `limit` bytes and was ended.
    case outputTooLong(limit: Int)
    /// A signal asked this process to end; the child was ended first.
    case interrupted
  }

  /// The most that is kept of stderr.
  private static let errorsByteCount = 4_096

  /// Runs `words[0]`, a path, in a folder, however long it takes.
  ///
  /// - Parameters:
  ///   - environment: all its variables, each `NAME=value`.
  ///   - limit: the most bytes that it may write to stdout.
  static func run(
    _ words: [[UInt8]], environment: [[UInt8]], in folder: [UInt8], limit: Int
  ) throws(Failure) -> Outcome {
    let output = try Pipe()
    let errors = try Pipe()
    let (words, environment) = (texts(words), texts(environment))
    let child = unsafe vt_spawn_program(
      words, words.count, environment, environment.count, folder + [0], output.writeEnd,
      errors.writeEnd)
    guard child > 0 else { throw .system(ErrorCode(rawValue: CInt(-child))) }
    let read: (output: [UInt8], errors: [UInt8])
    do throws(Failure) {
      read = try readBoth(output.forReading(), errors.forReading(), limit: limit)
    } catch {
      kill(pid_t(child), SIGTERM)
      _ = vt_wait_for(CInt(child))
      throw error
    }
    let status = vt_wait_for(CInt(child))
    guard status >= 0 else { throw .system(ErrorCode(rawValue: CInt(-status))) }
    return Outcome(status: status, output: read.output, errors: read.errors)
  }

  /// Whether a path leads to something that this process may run.
  static func isThere(_ path: [UInt8]) -> Bool {
    unsafe access((path + [0]).map { CChar(bitPattern: $0) }, X_OK) == 0
  }

  private static func texts(_ texts: [[UInt8]]) -> [UInt8] { texts.flatMap { $0 + [0] } }

  /// Reads both pipes to their ends, whichever has something.
  private static func readBoth(
    _ output: borrowing ReadEnd, _ errors: borrowing ReadEnd, limit: Int
  ) throws(Failure) -> (output: [UInt8], errors: [UInt8]) {
    var read: (output: [UInt8], errors: [UInt8]) = ([], [])
    var open = [output.descriptor, errors.descriptor]
    while !open.isEmpty {
      Wakeup.waitForInput(ofAny: open)
      if Interruption.isRequested { throw .interrupted }
      for descriptor in open {
        guard let bytes = try nextBytes(of: descriptor) else { continue }
        if bytes.isEmpty { open.removeAll { $0 == descriptor } }
        if descriptor == output.descriptor {
          read.output += bytes
          guard read.output.count <= limit else { throw .outputTooLong(limit: limit) }
        } else {
          read.errors += bytes.prefix(errorsByteCount - read.errors.count)
        }
      }
    }
    return read
  }

  /// What is there to read: nothing at the end, nil if there is nothing yet.
  private static func nextBytes(of descriptor: CInt) throws(Failure) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else {
      if [EAGAIN, EINTR].contains(errno) { return nil }
      throw .system(ErrorCode(rawValue: errno))
    }
    return Array(bytes[..<count])
  }

  /// A pipe of which the child gets one end.
  private struct Pipe: ~Copyable {
    private let readEnd: CInt
    let writeEnd: CInt

    init() throws(Failure) {
      var ends: [CInt] = [-1, -1]
      let made = unsafe vt_pipe(&ends)
      guard made == 0 else { throw .system(ErrorCode(rawValue: CInt(-made))) }
      _ = vt_never_block(ends[0])
      (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// Closes the child's end, so that its end of writing can be seen.
    consuming func forReading() -> ReadEnd {
      close(writeEnd)
      let end = ReadEnd(descriptor: readEnd)
      discard self
      return end
    }

    deinit {
      close(readEnd)
      close(writeEnd)
    }
  }

  /// The end of a pipe that this process reads.
  private struct ReadEnd: ~Copyable {
    let descriptor: CInt
    deinit { close(descriptor) }
  }
}
