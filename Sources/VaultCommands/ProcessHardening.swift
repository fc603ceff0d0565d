import CSystem
import Glibc

/// What the program does first, before it looks at anything.
package enum ProcessHardening {
  /// Forbids core files and tracing, gives crash signals their usual effect (no report of memory),
  /// turns a vanished reader and a limit of file sizes into errors of `write`, and takes care that no file we open gets
  /// the number of a standard stream. The umask is left alone.
  ///
  /// - Returns: whether no core file and no tracing are possible from now on; a system that
  ///   refuses is nothing to end for.
  @discardableResult package static func apply() -> Bool {
    let hasNoCoreFiles = vt_disable_core_files() == 0
    vt_forbid_tracing()
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT] {
      vt_default_signal(number)
    }
    for number in [SIGPIPE, SIGXFSZ] { vt_ignore_signal(number) }
    occupyStandardStreams()
    return hasNoCoreFiles && vt_allows_tracing() == 0
  }

  /// A closed stream becomes one on which every use fails, as it would have without us.
  private static func occupyStandardStreams() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
      // The lowest free number is taken, which is this one.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
