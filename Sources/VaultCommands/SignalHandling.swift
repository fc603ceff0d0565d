import CSystem
import Glibc
import Synchronization

/// The wish to stop that came by signal INT, TERM or HUP during long work.
///
/// Work in progress asks `isRequested` between two notes, cleans up and ends; the program then
/// ends with `ExitCode.interrupted`. A second such signal ends the process at once.
package enum Interruption {
  /// The first signal that asked for the end, nil as long as none did.
  package static var signal: CInt? {
    let number = requestedSignal.load(ordering: .acquiring)
    return number == 0 ? nil : number
  }

  /// Whether the work shall stop.
  package static var isRequested: Bool { signal != nil }

  /// Listens from now on; called once, at the start of the program. A signal that whoever started
  /// us ignores (`nohup`) stays ignored.
  package static func listen() {
    Wakeup.prepare()
    _ = requestedSignal.load(ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var before = sigaction()
      unsafe vt_catch_signal(number, interruptionArrived, &before)
    }
  }
}

private let requestedSignal = Atomic<CInt>(0)

/// Runs in a signal handler: only atomic loads and stores, `write`, `signal` and `raise`.
private func interruptionArrived(_ number: CInt) {
  let isFirst = requestedSignal.compareExchange(
    expected: 0, desired: number, ordering: .acquiringAndReleasing
  ).exchanged
  if isFirst {
    Wakeup.signalArrived()
  } else {
    vt_default_signal(number)
    raise(number)
  }
}

/// A pipe that signal handlers write to, so that waiting for input ends whichever thread the
/// system picks for the handler.
enum Wakeup {
  private static let readEnd = Atomic<CInt>(-1)
  private static let writeEnd = Atomic<CInt>(-1)

  /// Makes the pipe; must come before the first handler. Without one, waiting ends with `EINTR`.
  static func prepare() {
    guard readEnd.load(ordering: .acquiring) < 0 else { return }
    var ends: (CInt, CInt) = (-1, -1)
    let result = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
      unsafe vt_wakeup_pipe(bytes.assumingMemoryBound(to: CInt.self).baseAddress)
    }
    guard result == 0 else { return }
    writeEnd.store(ends.1, ordering: .releasing)
    readEnd.store(ends.0, ordering: .releasing)
  }

  /// Runs in a signal handler.
  static func signalArrived() {
    let code = errno
    var byte: UInt8 = 0
    _ = unsafe write(writeEnd.load(ordering: .acquiring), &byte, 1)
    errno = code
  }

  /// Waits until `descriptor` has something to read or has ended, or a signal arrived; the caller
  /// looks which.
  static func waitForInput(_ descriptor: CInt) {
    guard wait([readEnd.load(ordering: .acquiring), descriptor], milliseconds: -1)[0] else {
      return
    }
    var bytes: (UInt64, UInt64) = (0, 0)
    _ = unsafe read(readEnd.load(ordering: .acquiring), &bytes, 16)
  }

  /// The same for the first of several descriptors, or until `writing` takes bytes. What woke it stays in the pipe for
  /// whoever waits in another thread; so a wakeup that is not for this one is outwaited for a moment.
  static func wait(forInputOfAny descriptors: [CInt], orRoomIn writing: CInt?) {
    let ready = wait(
      [readEnd.load(ordering: .acquiring)] + descriptors, orRoomIn: writing, milliseconds: -1)
    if ready[0], !ready.dropFirst().contains(true), !Interruption.isRequested {
      _ = wait(descriptors, orRoomIn: writing, milliseconds: 50)
    }
  }

  /// Which of the descriptors have something to read, take bytes (the last one) or have ended.
  private static func wait(
    _ descriptors: [CInt], orRoomIn writing: CInt? = nil, milliseconds: CInt
  ) -> [Bool] {
    var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    if let writing { waiting.append(pollfd(fd: writing, events: Int16(POLLOUT), revents: 0)) }
    _ = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    return waiting.map { $0.revents != 0 }
  }
}
