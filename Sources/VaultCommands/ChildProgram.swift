import CSystem
import Glibc
import VaultFormat
package import VaultStore

/// Runs another program to its end and takes what it says. No shell, and no descriptor or variable of this process but
/// those given.
package enum ChildProgram {
  /// What a program is given besides its folder.
  package struct Call {
    /// The program's path and its arguments, without NUL.
    package var words: [[UInt8]]
    /// All its variables, each `NAME=value`.
    package var environment: [[UInt8]]
    /// What it reads from stdin, which then ends.
    package var input: [UInt8] = []
    /// Open files of this process that it sees as descriptors 3, 4, …; at most 8.
    package var descriptors: [CInt] = []

    package init(words: [[UInt8]], environment: [[UInt8]]) {
      self.words = words
      self.environment = environment
    }
  }

  /// What the program left behind.
  package struct Outcome: Equatable, Sendable {
    /// The exit status, or 256 + n where signal n ended it.
    package let status: Int
    package let output: [UInt8]
    /// The first bytes of what it wrote to stderr.
    package let errors: [UInt8]
  }

  /// Whether whoever takes a program's output wants more of it.
  package enum Wish: Sendable {
    case more
    /// Enough: the program is ended.
    case stop
  }

  /// Why there is no outcome.
  package enum Failure: Error, Equatable {
    /// The system would not start or follow it.
    case system(ErrorCode)
    /// It wrote more than `limit` bytes and was ended.
    case outputTooLong(limit: Int)
    /// The taker of its output wanted no more, and it was ended.
    case stopped
    /// A signal asked this process to end; the child was ended first.
    case interrupted
  }

  /// The most that is kept of stderr.
  private static let errorsByteCount = 4_096

  /// Runs a program in a folder, however long it takes, and keeps its output.
  ///
  /// - Parameter limit: the most bytes that it may write to stdout.
  package static func run(
    _ call: Call, in folder: [UInt8], limit: Int
  ) throws(Failure) -> Outcome {
    var output: [UInt8] = []
    do {
      let ended = try run(call, in: folder) { bytes in
        output += [UInt8](copying: bytes)
        return output.count <= limit ? .more : .stop
      }
      return Outcome(status: ended.status, output: output, errors: ended.errors)
    } catch {
      throw error == .stopped ? .outputTooLong(limit: limit) : error
    }
  }

  /// The same with its output handed on as it comes, in pieces of at most 64 KiB.
  ///
  /// - Returns: an outcome without output.
  package static func run(
    _ call: Call, in folder: [UInt8], taking take: (Span<UInt8>) -> Wish
  ) throws(Failure) -> Outcome {
    let input = try Pipe()
    let output = try Pipe()
    let errors = try Pipe()
    let (words, environment) = (texts(call.words), texts(call.environment))
    let child = unsafe vt_spawn_program(
      words, words.count, environment, environment.count, folder + [0], input.readEnd,
      output.writeEnd, errors.writeEnd, call.descriptors, call.descriptors.count)
    guard child > 0 else { throw .system(ErrorCode(rawValue: CInt(-child))) }
    // A program that ends without reading its input must not end this one.
    vt_ignore_signal(SIGPIPE)
    let said: [UInt8]
    do throws(Failure) {
      var feed = Feed(call.input, to: input.forWriting())
      said = try follow(output.forReading(), errors.forReading(), feeding: &feed, taking: take)
    } catch {
      kill(pid_t(child), SIGTERM)
      _ = vt_wait_for(CInt(child))
      throw error
    }
    let status = vt_wait_for(CInt(child))
    guard status >= 0 else { throw .system(ErrorCode(rawValue: CInt(-status))) }
    return Outcome(status: status, output: [], errors: said)
  }

  /// Whether a path leads to something that this process may run.
  package static func isThere(_ path: [UInt8]) -> Bool {
    unsafe access((path + [0]).map { CChar(bitPattern: $0) }, X_OK) == 0
  }

  /// The first program of this name in an absolute folder of `PATH`: one in a relative folder could be anybody's.
  package static func find(_ name: String) -> [UInt8]? {
    find(name, in: ProcessVariable("PATH")?.value ?? Array("/usr/bin:/bin".utf8))
  }

  /// The same in a search path.
  static func find(_ name: String, in path: [UInt8]) -> [UInt8]? {
    path.split(separator: UInt8(ascii: ":")).lazy
      .filter { $0.first == UInt8(ascii: "/") }
      .map { Array($0) + Array("/\(name)".utf8) }
      .first { isThere($0) }
  }

  private static func texts(_ texts: [[UInt8]]) -> [UInt8] { texts.flatMap { $0 + [0] } }

  /// Writes the input and reads both pipes to their ends, whichever is ready.
  ///
  /// - Returns: the first bytes of what was written to stderr.
  private static func follow(
    _ output: borrowing PipeEnd, _ errors: borrowing PipeEnd, feeding feed: inout Feed,
    taking take: (Span<UInt8>) -> Wish
  ) throws(Failure) -> [UInt8] {
    var said: [UInt8] = []
    var open = [output.descriptor, errors.descriptor]
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !open.isEmpty {
      Wakeup.wait(forInputOfAny: open, orRoomIn: feed.descriptor)
      if Interruption.isRequested { throw .interrupted }
      feed.write()
      for descriptor in open {
        guard let count = try read(descriptor, into: &buffer) else { continue }
        if count == 0 { open.removeAll { $0 == descriptor } }
        if descriptor == errors.descriptor {
          said += buffer[..<min(count, errorsByteCount - said.count)]
        } else if count > 0, take(buffer.span.extracting(0..<count)) == .stop {
          throw .stopped
        }
      }
    }
    return said
  }

  /// How many bytes were there to read: 0 at the end, nil if there is nothing yet.
  private static func read(
    _ descriptor: CInt, into buffer: inout [UInt8]
  ) throws(Failure) -> Int? {
    let capacity = buffer.count
    let count = unsafe Glibc.read(descriptor, &buffer, capacity)
    guard count >= 0 else {
      if [EAGAIN, EINTR].contains(errno) { return nil }
      throw .system(ErrorCode(rawValue: errno))
    }
    return count
  }
}

/// What is still to be written to a child, and the pipe for it until it is closed.
private struct Feed: ~Copyable {
  private let input: [UInt8]
  private var written = 0
  private var end: PipeEnd?

  init(_ input: [UInt8], to end: consuming PipeEnd) {
    self.input = input
    descriptor = input.isEmpty ? nil : end.descriptor
    self.end = input.isEmpty ? nil : consume end
  }

  /// Where writing goes on; nil when all is written or nobody reads.
  private(set) var descriptor: CInt?

  /// Writes what there is room for.
  mutating func write() {
    guard let descriptor else { return }
    let count = unsafe input.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      return unsafe Glibc.write(descriptor, rest.baseAddress, min(rest.count, 65_536))
    }
    // Whoever does not read to the end says so with the exit status.
    if count < 0, ![EAGAIN, EINTR].contains(errno) { close() }
    written += max(0, count)
    if written == input.count { close() }
  }

  private mutating func close() {
    descriptor = nil
    end = nil
  }
}

/// A pipe of which the child gets one end.
private struct Pipe: ~Copyable {
  let readEnd: CInt
  let writeEnd: CInt

  init() throws(ChildProgram.Failure) {
    var ends: [CInt] = [-1, -1]
    let made = unsafe vt_pipe(&ends)
    guard made == 0 else { throw .system(ErrorCode(rawValue: CInt(-made))) }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Closes the child's end of writing, so that its end can be seen; reading never blocks.
  consuming func forReading() -> PipeEnd {
    close(writeEnd)
    let end = PipeEnd(descriptor: readEnd)
    discard self
    return end
  }

  /// Closes the child's end of reading; writing never blocks.
  consuming func forWriting() -> PipeEnd {
    close(readEnd)
    let end = PipeEnd(descriptor: writeEnd)
    discard self
    return end
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }
}

/// The end of a pipe that this process holds.
private struct PipeEnd: ~Copyable {
  let descriptor: CInt

  init(descriptor: CInt) {
    self.descriptor = descriptor
    _ = vt_never_block(descriptor)
  }

  deinit { close(descriptor) }
}
