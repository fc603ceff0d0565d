import Testing
import VaultFormat

@testable import VaultStore

@Suite struct PackBaseTests {
  private let written = FileTime(seconds: 1_000, nanoseconds: 500)

  private func status(
    size: UInt64 = 3, inode: UInt64 = 1, modified: FileTime, changed: FileTime
  ) -> FileStatus {
    FileStatus(
      kind: .regular, byteCount: size, mode: 0o755, identity: .init(device: 1, inode: inode),
      modified: modified, changed: changed)
  }

  private func line(_ path: String, _ status: FileStatus) -> PackBase.Line {
    .init(
      path: bytes(path), status: status, note: NoteID(high: 7, low: 8),
      state: StatePrefix(high: 9, low: 10))
  }

  private func proves(_ packed: FileStatus, _ now: FileStatus) -> Bool {
    PackBase(written: written, lines: []).proves(line("a", packed), now)
  }

  @Test func anOldFileWithTheSameStatusIsProved() {
    let old = FileTime(seconds: 998, nanoseconds: 499)
    let status = status(modified: old, changed: old)
    #expect(proves(status, status))
  }

  @Test(arguments: [
    FileTime(seconds: 998, nanoseconds: 500), FileTime(seconds: 999, nanoseconds: 0),
    FileTime(seconds: 1_000, nanoseconds: 500), FileTime(seconds: 2_000, nanoseconds: 0),
    FileTime(seconds: .max, nanoseconds: 0),
  ])
  func aFileTouchedWithinTwoSecondsOfTheBaseProvesNothing(time: FileTime) {
    let old = FileTime(seconds: 1, nanoseconds: 0)
    let modified = status(modified: time, changed: old)
    let changed = status(modified: old, changed: time)
    #expect(!proves(modified, modified))
    #expect(!proves(changed, changed))
  }

  @Test func anyDifferenceOfTheStatusProvesNothing() {
    let old = FileTime(seconds: 1, nanoseconds: 0)
    let other = FileTime(seconds: 1, nanoseconds: 1)
    let packed = status(modified: old, changed: old)
    #expect(!proves(packed, status(size: 4, modified: old, changed: old)))
    #expect(!proves(packed, status(inode: 2, modified: old, changed: old)))
    #expect(!proves(packed, status(modified: other, changed: old)))
    #expect(!proves(packed, status(modified: old, changed: other)))
  }

  // MARK: - The file

  private func base(lineCount: Int) -> PackBase {
    let lines = (0..<lineCount).map { number in
      line(
        "folder/note \(number)",
        status(
          size: UInt64(number), inode: UInt64.max - UInt64(number),
          modified: FileTime(seconds: -Int64(number), nanoseconds: 999_999_999), changed: written))
    }
    return PackBase(written: written, lines: lines)
  }

  @Test(arguments: [0, 1, 300]) func whatIsSavedIsLoaded(lineCount: Int) throws {
    let vault = try TestVault()
    let unlocked = try vault.unlock()
    let file = try BaseFile(
      of: bytes("/a"), in: unlocked.vault, secret: unlocked.compartmentForNewNotes.secret)
    #expect(file.load() == nil)
    for count in [lineCount + 1, lineCount] {
      try file.save(base(lineCount: count))
      #expect(file.load() == base(lineCount: count))
    }
    let other = try BaseFile(
      of: bytes("/b"), in: unlocked.vault, secret: unlocked.compartmentForNewNotes.secret)
    #expect(other.load() == nil)
    #expect(try vault.names("local")?.count == 1)
    try vault.shell("test $(stat -c %a local/*.cache) = 600 && test $(stat -c %a local) = 700")
  }

  @Test func whateverCannotBeReadIsNoBase() throws {
    let vault = try TestVault()
    let unlocked = try vault.unlock()
    let file = try BaseFile(
      of: bytes("/a"), in: unlocked.vault, secret: unlocked.compartmentForNewNotes.secret)
    try file.save(base(lineCount: 3))
    let name = "local/" + (try #require(try vault.names("local")?.first))
    let good = try vault.content(name)
    for count in 0..<good.count {
      try vault.put(name, Array(good[..<count]))
      #expect(file.load() == nil, "cut to \(count) bytes")
    }
    for index in good.indices {
      var bad = good
      bad[index] ^= 0x20
      try vault.put(name, bad)
      #expect(file.load() == nil, "byte \(index) changed")
    }
    try vault.shell("rm \(name) && mkfifo \(name)")
    #expect(file.load() == nil)
    try vault.shell("rm \(name) && mkdir \(name)")
    #expect(file.load() == nil)
  }

  @Test func contentThatNobodySealedIsRefusedTyped() throws {
    let packed = try base(lineCount: 5).packed()
    for count in 0..<packed.count {
      #expect(throws: (any Error).self) { try PackBase(unpacking: Array(packed[..<count])) }
    }
    var huge = packed
    huge.replaceSubrange(0..<8, with: [UInt8](repeating: 0xFF, count: 8))
    #expect(throws: (any Error).self) { try PackBase(unpacking: huge) }
  }
}
