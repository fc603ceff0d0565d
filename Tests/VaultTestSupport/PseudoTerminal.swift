package import Glibc

/// Both ends of a terminal: the program opens `path`, the test types and looks at the other end.
package final class PseudoTerminal: Sendable {
  /// The system refused to make one.
  package struct Refused: Error {
    package let code: CInt
  }

  /// What the program opens.
  package let path: String
  private let screen: CInt
  /// Held open, so that the terminal lives on when the program closes it.
  private let keeper: CInt

  package init() throws(Refused) {
    screen = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // The kernel's TIOCSPTLCK and TIOCGPTN; Glibc's module has neither them nor posix_openpt.
    var lock: CInt = 0
    var number: CUnsignedInt = 0
    guard unsafe ioctl(screen, 0x4004_5431, &lock) == 0,
      unsafe ioctl(screen, 0x8004_5430, &number) == 0
    else { throw Refused(code: errno) }
    path = "/dev/pts/\(number)"
    keeper = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard keeper >= 0 else { throw Refused(code: errno) }
  }

  deinit {
    close(keeper)
    close(screen)
  }

  /// What is shown up to and with `text`; ends early, without it, if nothing comes for 30 seconds.
  package func wait(for text: String) -> String {
    var seen: [UInt8] = []
    var byte: UInt8 = 0
    while !String(decoding: seen, as: UTF8.self).hasSuffix(text) {
      var ready = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&ready, 1, 30_000) == 1, unsafe read(screen, &byte, 1) == 1 else { break }
      seen.append(byte)
    }
    return String(decoding: seen, as: UTF8.self)
  }

  /// Types some text.
  package func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe write(screen, bytes, bytes.count)
  }

  /// The local modes: echo and the like.
  package var modes: tcflag_t {
    var settings = termios()
    unsafe tcgetattr(screen, &settings)
    return settings.c_lflag
  }

  /// Whether what is typed shows.
  package var echoes: Bool { modes & tcflag_t(ECHO) != 0 }
}
