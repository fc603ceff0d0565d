import Glibc
import Testing
import VaultTestSupport

@testable import VaultStore

@Suite struct SystemLockTests {
  private func isBusy(
    _ folder: borrowing Directory, waiting seconds: Double = 0
  ) throws(SystemError) -> Bool {
    switch try Lock.acquire(bytes("VAULT"), in: folder, waitingSeconds: seconds) {
    case .held: false
    case .busy: true
    }
  }

  private func held(_ folder: borrowing Directory) throws -> Lock {
    switch try Lock.acquire(bytes("VAULT"), in: folder, waitingSeconds: 0) {
    case .held(let lock): return lock
    case .busy: throw Busy()
    }
  }

  private struct Busy: Error {}

  @Test func aSecondDescriptorOfTheSameProcessIsBusyUntilTheFirstEnds() throws {
    let place = try Workplace()
    try place.put("VAULT", "v")
    do {
      let lock = try held(place.folder)
      #expect(try isBusy(place.folder))
      #expect(try lock.isCurrent(in: place.folder))
      #expect(try lock.file.readWhole(limit: 1) == bytes("v"))
    }
    #expect(try !isBusy(place.folder))
  }

  @Test func anotherProcessIsBusyUntilTheLockEnds() throws {
    let place = try Workplace()
    try place.put("VAULT", "v")
    let other = ["/usr/bin/flock", "-n", "-E", "9", place.temporary.path(of: "VAULT"), "/bin/true"]
    do {
      let lock = try held(place.folder)
      #expect(TemporaryFolder.run(other) == 9)
      #expect(try lock.isCurrent(in: place.folder))
    }
    #expect(TemporaryFolder.run(other) == 0)
  }

  @Test func aLockDiesWithItsProcess() async throws {
    let place = try Workplace()
    try place.put("VAULT", "v")
    let path = place.temporary.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let folder = try Directory(path: bytes(path))
      if case .held(let lock) = try Lock.acquire(
        bytes("VAULT"), in: folder, waitingSeconds: 0), try lock.isCurrent(in: folder)
      {
        kill(getpid(), SIGKILL)
      }
    }
    #expect(try !isBusy(place.folder))
  }

  @Test func waitingEndsWithTheDeadline() throws {
    let place = try Workplace()
    try place.put("VAULT", "v")
    let lock = try held(place.folder)
    let start = SystemClock.monotonicSeconds()
    #expect(try isBusy(place.folder, waiting: 0.1))
    #expect(SystemClock.monotonicSeconds() - start >= 0.1)
    #expect(try lock.isCurrent(in: place.folder))
  }

  @Test(.timeLimit(.minutes(1))) func waitingEndsWhenTheOtherLetsGo() throws {
    let place = try Workplace()
    try place.put("VAULT", "v")
    let path = place.temporary.bytes
    let isWaiting = Channel<Bool>(capacity: 1)
    let task: BackgroundTask<Bool, SystemError>
    do {
      let lock = try held(place.folder)
      task = try BackgroundTask { () throws(SystemError) in
        let folder = try Directory(path: path)
        isWaiting.put(true)
        switch try Lock.acquire(bytes("VAULT"), in: folder, waitingSeconds: 60) {
        case .held: return true
        case .busy: return false
        }
      }
      _ = isWaiting.take()
      #expect(try lock.isCurrent(in: place.folder))
    }
    #expect(try task.wait())
  }

  @Test func aLockOnAReplacedFileIsNoLongerCurrentAndTheNewFileIsLocked() throws {
    let place = try Workplace()
    try place.put("VAULT", "v")
    let old = try held(place.folder)
    try place.put("new", "v")
    try place.folder.rename(bytes("new"), to: place.folder, bytes("VAULT"), replacing: .allowed)
    #expect(try !old.isCurrent(in: place.folder))
    let new = try held(place.folder)
    #expect(try new.isCurrent(in: place.folder))
    try place.folder.unlink(bytes("VAULT"))
    #expect(try !new.isCurrent(in: place.folder))
  }

  @Test(.timeLimit(.minutes(1))) func aPipeOrLinkInPlaceOfTheFileIsRefusedAtOnce() throws {
    let place = try Workplace()
    try #require(unsafe mkfifo(place.temporary.path(of: "VAULT"), 0o600) == 0)
    #expect(throws: SystemError.notRegular(.fifo)) { try isBusy(place.folder, waiting: 30) }
    try place.folder.unlink(bytes("VAULT"))
    try place.put("target", "v")
    try place.folder.makeSymbolicLink(bytes("VAULT"), target: bytes("target"))
    #expect(throws: SystemError.notRegular(.symlink)) { try isBusy(place.folder) }
    try place.folder.unlink(bytes("VAULT"))
    #expect(throws: SystemError.failed(call: "fstatat", .notFound)) { try isBusy(place.folder) }
  }
}
