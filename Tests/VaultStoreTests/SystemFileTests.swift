import Testing
import VaultTestSupport

@testable import VaultStore

@Suite struct SystemFileTests {
  @Test func aReadIsShortOnlyAtTheEnd() throws {
    let place = try Workplace()
    try place.put("f", "0123456789")
    let file = try place.folder.openFile(bytes("f"))
    func read(_ count: Int, at offset: UInt64) throws -> [UInt8] {
      var buffer = [UInt8](repeating: 0, count: count)
      var span = buffer.mutableSpan
      let read = try file.read(into: &span, at: offset)
      return Array(buffer.prefix(read))
    }
    #expect(try read(4, at: 0) == bytes("0123"))
    #expect(try read(4, at: 8) == bytes("89"))
    #expect(try read(4, at: 10) == [])
    #expect(try read(0, at: 0) == [])
    #expect(try read(4, at: UInt64(Int64.max) - 4) == [])
    #expect(throws: SystemError.failed(call: "pread", .invalid)) { try read(4, at: .max) }
  }

  @Test func writingAtAnOffsetLeavesTheRestAndFillsAGapWithZeros() throws {
    let place = try Workplace()
    let file = try place.folder.createFile(bytes("f"))
    try file.write(bytes("abc").span, at: 2)
    try file.write(bytes("X").span, at: 0)
    try file.write([UInt8]().span, at: 100)
    #expect(try place.content("f") == "X\0abc")
    #expect(throws: SystemError.failed(call: "pwrite", .invalid)) {
      try file.write(bytes("x").span, at: .max)
    }
  }

  @Test func cuttingAndModesGoThroughTheDescriptor() throws {
    let place = try Workplace()
    let file = try place.folder.createFile(bytes("f"))
    try file.write(bytes("abcdef").span, at: 0)
    try file.truncate(to: 3)
    try file.setMode(0o640)
    try file.sync()
    let status = try file.status()
    #expect(status.byteCount == 3)
    #expect(status.mode == 0o640)
    #expect(status.kind == .regular)
    #expect(status.identity == (try place.folder.status(of: bytes("f")))?.identity)
  }

  @Test func aFileOpenedForReadingCannotBeWritten() throws {
    let place = try Workplace()
    try place.put("f", "old")
    let file = try place.folder.openFile(bytes("f"))
    #expect(throws: SystemError.failed(call: "pwrite", .badDescriptor)) {
      try file.write(bytes("new").span, at: 0)
    }
    let writable = try place.folder.openFileForWriting(bytes("f"))
    try writable.write(bytes("new").span, at: 0)
    #expect(try place.content("f") == "new")
  }

  @Test(arguments: [0, 1, 4_095, 4_096, 4_097, 70_000])
  func aFileIsReadWholeUpToTheLimitAndNotBeyond(byteCount: Int) throws {
    let place = try Workplace()
    let content = [UInt8](repeating: 7, count: byteCount)
    let file = try place.folder.createFile(bytes("f"))
    try file.write(content.span, at: 0)
    #expect(try place.folder.readWhole(bytes("f"), limit: byteCount) == content)
    #expect(try place.folder.readWhole(bytes("f"), limit: byteCount + 1) == content)
    if byteCount > 0 {
      #expect(throws: SystemError.overLimit(byteCount: byteCount - 1)) {
        _ = try place.folder.readWhole(bytes("f"), limit: byteCount - 1)
      }
    }
  }

  @Test func aFileThatReportsNoSizeIsReadWhole() throws {
    // Files of the proc file system report 0 bytes.
    let process = try Directory(path: bytes("/proc/self"))
    let status = try #require(try process.status(of: bytes("maps")))
    #expect(status.byteCount == 0)
    let maps = try process.readWhole(bytes("maps"), limit: 1 << 24)
    #expect(maps.count > 100)
    #expect(throws: SystemError.overLimit(byteCount: 10)) {
      _ = try process.readWhole(bytes("maps"), limit: 10)
    }
  }

  @Test func closingTwiceCannotHappenAndABadNumberIsReported() {
    #expect(throws: SystemError.failed(call: "close", .badDescriptor)) {
      try FileDescriptor(adopting: 1_000_000).close()
    }
  }

  @Test func anErrorSaysWhatWasTriedAndWhy() {
    #expect(
      SystemError.failed(call: "openat", .notFound).description
        == "openat: No such file or directory")
    #expect(ErrorCode(rawValue: 4_000).description == "error 4000")
    #expect(SystemError.notRegular(.fifo).description == "not a regular file but a named pipe")
    #expect(SystemError.overLimit(byteCount: 64).description == "larger than 64 bytes")
    #expect(SystemError.overLimit(byteCount: 64).code == nil)
    #expect(SystemError.failed(call: "open", .noSpace).code == .noSpace)
  }

  // MARK: - Times

  @Test(arguments: [
    FileTime(seconds: 1_234_567_890, nanoseconds: 123_456_789),
    FileTime(seconds: 1_234_567_890, nanoseconds: 999_999_999),
    FileTime(seconds: 0, nanoseconds: 0),
    FileTime(seconds: -1, nanoseconds: 0),
    FileTime(seconds: -1, nanoseconds: 999_999_999),
    // 1968-10-07 11:02:45.5
    FileTime(seconds: -38_926_635, nanoseconds: 500_000_000),
  ])
  func aModificationTimeIsKeptToTheNanosecond(time: FileTime) throws {
    let place = try Workplace()
    try place.put("f", "")
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("f"))
    try place.folder.makeDirectory(bytes("d"))
    for name in ["f", "link", "d"] {
      try place.folder.setTimes(bytes(name), modified: time)
      let status = try place.folder.status(of: bytes(name))
      #expect(status?.modified == time)
    }
    let file = try place.folder.createFile(bytes("g"))
    try file.setTimes(modified: time)
    #expect(try file.status().modified == time)
    try place.folder.descriptor.setTimes(modified: time)
    #expect(try place.folder.descriptor.status().modified == time)
  }

  @Test func theTimeOfALinkIsNotThatOfItsTarget() throws {
    let place = try Workplace()
    try place.put("f", "")
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("f"))
    let before = try place.folder.status(of: bytes("f"))
    try place.folder.setTimes(bytes("link"), modified: FileTime(seconds: 5, nanoseconds: 6))
    let after = try place.folder.status(of: bytes("f"))
    #expect(before == after)
  }

  @Test func timesAreOrderedAcrossZero() {
    let times = [
      FileTime(seconds: -2, nanoseconds: 0), FileTime(seconds: -1, nanoseconds: 1),
      FileTime(seconds: -1, nanoseconds: 2), FileTime(seconds: 0, nanoseconds: 0),
    ]
    #expect(times.reversed().sorted() == times)
  }

  @Test func aBirthTimeIsNotAfterTheLastChange() throws {
    let place = try Workplace()
    let file = try place.folder.createFile(bytes("f"))
    let status = try file.status()
    let birth = try file.birthTime()
    let sameBirth = try place.folder.birthTime(of: bytes("f"))
    #expect(birth == sameBirth)
    // Not every file system keeps one.
    if let birth { #expect(birth <= status.changed) }
  }

  @Test func theClockAgreesWithTheFileSystem() throws {
    let place = try Workplace()
    let before = SystemClock.now()
    try place.put("f", "")
    let modified = try #require(try place.folder.status(of: bytes("f"))).modified
    // The kernel stamps files with a clock of its last tick, a few milliseconds old.
    #expect(modified.seconds >= before.seconds - 1)
    #expect(modified <= SystemClock.now())
  }

  @Test func theMonotonicClockDoesNotGoBack() {
    let first = SystemClock.monotonicSeconds()
    #expect(SystemClock.monotonicSeconds() >= first)
    #expect(Processors.count >= 1)
  }
}
