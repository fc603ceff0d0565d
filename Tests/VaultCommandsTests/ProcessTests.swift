import Glibc
import Testing
import VaultCommands
import VaultStore

@Suite struct ProcessHardeningTests {
  @Test func noCoreFileAndNoTracingAreLeft() async {
    await #expect(processExitsWith: .exitCode(0)) { exit(ProcessHardening.apply() ? 0 : 1) }
  }

  @Test func aCrashHasItsUsualEffectAndPipesGiveErrors() async {
    await #expect(processExitsWith: .signal(SIGSEGV)) {
      ProcessHardening.apply()
      raise(SIGPIPE)
      raise(SIGSEGV)
    }
  }

  @Test func noFileOfOursGetsTheNumberOfAStandardStream() async {
    await #expect(processExitsWith: .exitCode(0)) {
      for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { close(descriptor) }
      ProcessHardening.apply()
      let file = unsafe open("/dev/null", O_RDWR)
      var byte: UInt8 = 0
      let isRight =
        unsafe file > STDERR_FILENO && write(STDOUT_FILENO, &byte, 1) == -1
        && write(STDERR_FILENO, &byte, 1) == -1 && read(STDIN_FILENO, &byte, 1) == -1
      exit(isRight ? 0 : 1)
    }
  }

  @Test func theUmaskIsLeftAlone() async {
    await #expect(processExitsWith: .exitCode(0)) {
      umask(0o027)
      ProcessHardening.apply()
      exit(umask(0) == 0o027 ? 0 : 1)
    }
  }
}

@Suite struct InterruptionTests {
  @Test func theFirstSignalIsKeptForTheWorkToAskFor() async {
    await #expect(processExitsWith: .exitCode(0)) {
      expectSignal(SIGHUP)
      Interruption.listen()
      guard !Interruption.isRequested, Interruption.signal == nil else { exit(1) }
      raise(SIGHUP)
      exit(Interruption.isRequested && Interruption.signal == SIGHUP ? 0 : 1)
    }
  }

  @Test func theSecondSignalEndsTheProcess() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      expectSignal(SIGINT)
      Interruption.listen()
      raise(SIGINT)
      raise(SIGTERM)
      exit(0)
    }
  }

  @Test func whatIsIgnoredFromOutsideStaysIgnored() async {
    await #expect(processExitsWith: .exitCode(0)) {
      expectSignal(SIGHUP)
      signal(SIGHUP, SIG_IGN)
      Interruption.listen()
      raise(SIGHUP)
      exit(Interruption.isRequested ? 1 : 0)
    }
  }
}
