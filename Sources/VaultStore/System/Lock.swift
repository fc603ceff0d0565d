/// The exclusive lock of a writer on one file; it ends with its value or with the process.
package struct Lock: ~Copyable, Sendable {
  /// The locked file, open for reading: a lock needs no right to write.
  package let file: FileDescriptor
  private let name: [UInt8]
  private let identity: FileIdentity

  /// What came of the wish for a lock.
  package enum Attempt: ~Copyable, Sendable {
    case held(Lock)
    /// Another process has it.
    case busy
  }

  /// Locks a regular file, waiting at most so many seconds for another to let go (0: not at all).
  ///
  /// A lock counts only while the locked file is the one that has the name: where it was replaced
  /// meanwhile, all starts over.
  /// - Throws: `notRegular`, `failed`.
  package static func acquire(
    _ name: [UInt8], in folder: borrowing Directory, waitingSeconds: Double
  ) throws(SystemError) -> Attempt {
    let deadline = SystemClock.monotonicSeconds() + waitingSeconds
    while true {
      let file = try folder.openFile(name)
      let identity = try file.status().identity
      if try tryLock(file, isShared: false) {
        let lock = Lock(file: file, name: name, identity: identity)
        if try lock.isCurrent(in: folder) { return .held(lock) }
        continue
      }
      if SystemClock.monotonicSeconds() >= deadline { return .busy }
      SystemClock.rest(milliseconds: 20)
    }
  }

  /// Waits at most so many seconds until no other process has the lock. A reader asks this who sees what only a writer
  /// at work explains; it shares the lock for a moment and holds nothing afterwards.
  /// - Returns: whether another process had it.
  /// - Throws: `notRegular`, `failed`.
  static func waitWhileHeld(
    _ name: [UInt8], in folder: borrowing Directory, seconds: Double
  ) throws(SystemError) -> Bool {
    let deadline = SystemClock.monotonicSeconds() + seconds
    var wasHeld = false
    while true {
      let file = try folder.openFile(name)
      if try tryLock(file, isShared: true) { return wasHeld }
      wasHeld = true
      if SystemClock.monotonicSeconds() >= deadline { return true }
      SystemClock.rest(milliseconds: 20)
    }
  }

  /// Whether the locked file still has its name; asked again before a commit.
  package borrowing func isCurrent(in folder: borrowing Directory) throws(SystemError) -> Bool {
    try folder.status(of: name)?.identity == identity
  }

  private init(file: consuming FileDescriptor, name: [UInt8], identity: FileIdentity) {
    self.file = file
    self.name = name
    self.identity = identity
  }

  private static func tryLock(
    _ file: borrowing FileDescriptor, isShared: Bool
  ) throws(SystemError) -> Bool {
    do {
      if isShared { try Syscalls.lockShared(file.number) } else { try Syscalls.lock(file.number) }
      return true
    } catch {
      if error.code == .wouldBlock { return false }
      throw error
    }
  }
}
