import Glibc
import Testing
import VaultTestSupport

@testable import VaultStore

@Suite struct SystemDirectoryTests {
  // MARK: - Names

  @Test(arguments: ["", ".", "..", "a/b", "/", "a\0b"])
  func aNameThatIsNotOneComponentIsRefusedByEveryCall(name: String) throws {
    let place = try Workplace()
    let name = bytes(name)
    func refused(_ call: String) -> SystemError { .failed(call: call, .invalid) }
    #expect(throws: refused("openat")) { _ = try Directory(opening: name, in: place.folder) }
    #expect(throws: refused("fstatat")) { _ = try place.folder.openFile(name) }
    #expect(throws: refused("openat")) { _ = try place.folder.createFile(name) }
    #expect(throws: refused("fstatat")) { _ = try place.folder.status(of: name) }
    #expect(throws: refused("statx")) { _ = try place.folder.birthTime(of: name) }
    #expect(throws: refused("readlinkat")) { _ = try place.folder.readLink(name) }
    #expect(throws: refused("mkdirat")) { try place.folder.makeDirectory(name) }
    #expect(throws: refused("symlinkat")) {
      try place.folder.makeSymbolicLink(name, target: bytes("t"))
    }
    #expect(throws: refused("unlinkat")) { try place.folder.unlink(name) }
    #expect(throws: refused("unlinkat")) { try place.folder.removeDirectory(name) }
    #expect(throws: refused("fchmodat")) { try place.folder.setMode(name, 0o600) }
    #expect(throws: refused("utimensat")) {
      try place.folder.setTimes(name, modified: FileTime(seconds: 0, nanoseconds: 0))
    }
    #expect(throws: refused("renameat")) {
      try place.folder.rename(name, to: place.folder, bytes("b"), replacing: .allowed)
    }
    #expect(throws: refused("renameat")) {
      try place.folder.rename(bytes("b"), to: place.folder, name, replacing: .allowed)
    }
    #expect(try place.names() == [])
  }

  @Test func aNameOf255BytesWorksAndOneMoreIsTooLong() throws {
    let place = try Workplace()
    let longest = [UInt8](repeating: 0xC3, count: 255)
    try place.folder.createFile(longest).close()
    let entries = try place.folder.entries()
    #expect(entries.map(\.name) == [longest])
    #expect(throws: SystemError.failed(call: "openat", .nameTooLong)) {
      _ = try place.folder.createFile(longest + [0x61])
    }
  }

  @Test func anyOtherByteIsANameAndNamesStayApart() throws {
    let place = try Workplace()
    let singles = (UInt8(1)...255).filter { $0 != 0x2E && $0 != 0x2F }.map { [$0] }
    let composed: [[UInt8]] = [[0xC3, 0xA9], [0x65, 0xCC, 0x81], bytes("..."), bytes("-v")]
    for name in singles + composed { try place.folder.createFile(name).close() }
    let found = try place.folder.entries().map(\.name)
    #expect(found == (singles + composed).sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func aListingIsSortedByBytesWithAPrefixFirstAndLargerThanOneBuffer() throws {
    let place = try Workplace()
    let names = (0..<1_500).map { bytes("note number \($0 * 7_919 % 1_500) with a long name") }
    for name in names { try place.folder.createFile(name).close() }
    try place.folder.makeDirectory(bytes("note"))
    let entries = try place.folder.entries()
    #expect(
      entries.map(\.name)
        == [bytes("note")] + names.sorted { $0.lexicographicallyPrecedes($1) })
    let first = try #require(entries.first)
    let status = try #require(try place.folder.status(of: first.name))
    #expect(first.inode == status.identity.inode)
    #expect(first.kindHint == .folder || first.kindHint == .unknown)
    #expect(try place.folder.entries() == entries)
  }

  // MARK: - Opening

  @Test func whatIsNotThereIsNilForStatusAndAnErrorForOpening() throws {
    let place = try Workplace()
    let status = try place.folder.status(of: bytes("none"))
    #expect(status == nil)
    #expect(throws: SystemError.failed(call: "fstatat", .notFound)) {
      _ = try place.folder.openFile(bytes("none"))
    }
    #expect(throws: SystemError.failed(call: "openat", .notFound)) {
      _ = try Directory(opening: bytes("none"), in: place.folder)
    }
    #expect(throws: SystemError.failed(call: "open", .notFound)) {
      _ = try Directory(path: place.temporary.bytes + bytes("/none"))
    }
    #expect(throws: SystemError.failed(call: "open", .notFound)) { _ = try Directory(path: []) }
    #expect(throws: SystemError.failed(call: "readlinkat", .notFound)) {
      _ = try place.folder.readLink(bytes("none"))
    }
    #expect(throws: SystemError.failed(call: "unlinkat", .notFound)) {
      try place.folder.unlink(bytes("none"))
    }
  }

  @Test func aFileBelowAFileIsNotTakenForAbsent() throws {
    let place = try Workplace()
    try place.put("file", "x")
    #expect(throws: SystemError.failed(call: "openat", .notAFolder)) {
      _ = try Directory(opening: bytes("file"), in: place.folder)
    }
    #expect(throws: SystemError.failed(call: "open", .notAFolder)) {
      _ = try Directory(path: place.temporary.bytes + bytes("/file"))
    }
  }

  @Test func aLinkInPlaceOfAFolderIsNeverFollowed() throws {
    let place = try Workplace()
    try place.folder.makeDirectory(bytes("real"))
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("real"))
    let target = try place.folder.readLink(bytes("link"))
    #expect(target == bytes("real"))
    #expect(throws: SystemError.failed(call: "openat", .notAFolder)) {
      _ = try Directory(opening: bytes("link"), in: place.folder)
    }
    #expect(throws: SystemError.failed(call: "openat", .notAFolder)) {
      _ = try place.folder.open(
        components: [bytes("link")])
    }
  }

  @Test func thePathAPersonNamesMayBeALink() throws {
    let place = try Workplace()
    try place.folder.makeDirectory(bytes("real"))
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("real"))
    let real = try place.folder.status(of: bytes("real"))
    let opened = try Directory(path: place.temporary.bytes + bytes("/link"))
    let status = try opened.descriptor.status()
    #expect(status.identity == real?.identity)
  }

  @Test func componentsLeadStepByStepAndNeverUp() throws {
    let place = try Workplace()
    try makeChain([bytes("a"), bytes("b")], file: bytes("f"), in: place.folder)
    let deep = try place.folder.open(components: [bytes("a"), bytes("b")])
    let names = try deep.entries().map(\.name)
    #expect(names == [bytes("f")])
    let same = try place.folder.open(components: [])
    #expect(try same.entries() == place.folder.entries())
    #expect(throws: SystemError.failed(call: "openat", .invalid)) {
      _ = try place.folder.open(components: [bytes("a"), bytes("..")])
    }
  }

  // MARK: - Special files

  @Test(.timeLimit(.minutes(1)), arguments: [FileKind.fifo, .socket, .folder, .symlink])
  func nothingButARegularFileIsOpened(kind: FileKind) throws {
    let place = try Workplace()
    let path = place.temporary.path(of: "x")
    switch kind {
    case .fifo: try #require(unsafe mkfifo(path, 0o600) == 0)
    case .socket: try #require(unsafe mknod(path, S_IFSOCK | 0o600, 0) == 0)
    case .folder: try place.folder.makeDirectory(bytes("x"))
    default:
      try place.put("target", "secret")
      try place.folder.makeSymbolicLink(bytes("x"), target: bytes("target"))
    }
    let status = try place.folder.status(of: bytes("x"))
    #expect(status?.kind == kind)
    #expect(throws: SystemError.notRegular(kind)) { _ = try place.folder.openFile(bytes("x")) }
    #expect(throws: SystemError.notRegular(kind)) {
      _ = try place.folder.openFileForWriting(bytes("x"))
    }
    #expect(throws: SystemError.notRegular(kind)) {
      _ = try place.folder.readWhole(bytes("x"), limit: 10)
    }
    #expect(throws: SystemError.failed(call: "openat", .exists)) {
      _ = try place.folder.createFile(bytes("x"))
    }
  }

  @Test func aDeviceIsNotOpened() throws {
    let devices = try Directory(path: bytes("/dev"))
    #expect(throws: SystemError.notRegular(.characterDevice)) {
      _ = try devices.openFile(bytes("zero"))
    }
  }

  @Test func aFileIsNotCreatedThroughADanglingLink() throws {
    let place = try Workplace()
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("elsewhere"))
    #expect(throws: SystemError.failed(call: "openat", .exists)) {
      _ = try place.folder.createFile(bytes("link"))
    }
    #expect(try place.names() == ["link"])
  }

  // MARK: - Changing

  @Test func newFilesAndFoldersAreForTheirOwnerOnly() throws {
    let place = try Workplace()
    try place.folder.createFile(bytes("f")).close()
    try place.folder.makeDirectory(bytes("d"))
    let file = try place.folder.status(of: bytes("f"))
    let folder = try place.folder.status(of: bytes("d"))
    #expect(file?.mode == 0o600)
    #expect(file?.byteCount == 0)
    #expect(folder?.mode == 0o700)
    #expect(folder?.kind == .folder)
  }

  @Test func whatExistsIsNotMadeAgain() throws {
    let place = try Workplace()
    try place.put("x", "old")
    #expect(throws: SystemError.failed(call: "mkdirat", .exists)) {
      try place.folder.makeDirectory(bytes("x"))
    }
    #expect(throws: SystemError.failed(call: "symlinkat", .exists)) {
      try place.folder.makeSymbolicLink(bytes("x"), target: bytes("y"))
    }
    #expect(try place.content("x") == "old")
  }

  @Test func renamingReplacesOnlyWhereThatIsAllowed() throws {
    let place = try Workplace()
    try place.put("a", "new")
    try place.put("b", "old")
    #expect(throws: SystemError.failed(call: "renameat", .exists)) {
      try place.folder.rename(bytes("a"), to: place.folder, bytes("b"), replacing: .forbidden)
    }
    #expect(try place.content("b") == "old")
    try place.folder.rename(bytes("a"), to: place.folder, bytes("b"), replacing: .allowed)
    #expect(try place.content("b") == "new")
    try place.folder.rename(bytes("b"), to: place.folder, bytes("c"), replacing: .forbidden)
    #expect(try place.names() == ["c"])
  }

  @Test(arguments: [ErrorCode.invalid, .notImplemented])
  func renamingReplacesNothingWhereTheFileSystemCannotForbidIt(code: ErrorCode) throws {
    func place() throws -> Workplace { try Workplace(faults: FaultPlan(atStep: 1, .fail(code))) }
    let free = try place()
    try free.put("a", "new")
    try free.folder.rename(bytes("a"), to: free.folder, bytes("b"), replacing: .forbidden)
    #expect(try free.content("b") == "new")
    #expect(try free.names() == ["b"])
    let taken = try place()
    try taken.put("a", "new")
    try taken.put("b", "old")
    #expect(throws: SystemError.failed(call: "linkat", .exists)) {
      try taken.folder.rename(bytes("a"), to: taken.folder, bytes("b"), replacing: .forbidden)
    }
    #expect(try taken.content("b") == "old")
    let allowed = try place()
    try allowed.put("a", "new")
    #expect(throws: SystemError.failed(call: "renameat", code)) {
      try allowed.folder.rename(bytes("a"), to: allowed.folder, bytes("b"), replacing: .allowed)
    }
  }

  @Test func renamingMovesBetweenFolders() throws {
    let place = try Workplace()
    try place.folder.makeDirectory(bytes("d"))
    let inner = try Directory(opening: bytes("d"), in: place.folder)
    try place.put("a", "1")
    try place.folder.rename(bytes("a"), to: inner, bytes("b"), replacing: .forbidden)
    let moved = try inner.readWhole(bytes("b"), limit: 1)
    #expect(moved == bytes("1"))
    #expect(try place.names() == ["d"])
  }

  @Test func aFolderIsRemovedOnlyWhenEmptyAndOnlyAsAFolder() throws {
    let place = try Workplace()
    try makeChain([bytes("d")], file: bytes("f"), in: place.folder)
    #expect(throws: SystemError.failed(call: "unlinkat", .notEmpty)) {
      try place.folder.removeDirectory(bytes("d"))
    }
    #expect(throws: SystemError.failed(call: "unlinkat", .isAFolder)) {
      try place.folder.unlink(bytes("d"))
    }
    #expect(throws: SystemError.failed(call: "unlinkat", .notAFolder)) {
      try place.folder.removeDirectory(bytes("f"))
    }
    let inner = try Directory(opening: bytes("d"), in: place.folder)
    try inner.unlink(bytes("f"))
    try place.folder.removeDirectory(bytes("d"))
    #expect(try place.names() == ["f"])
  }

  @Test func removingALinkLeavesItsTarget() throws {
    let place = try Workplace()
    try place.put("target", "kept")
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("target"))
    try place.folder.unlink(bytes("link"))
    #expect(try place.content("target") == "kept")
  }

  @Test func aModeIsSetOnTheEntryAndNeverThroughALink() throws {
    let place = try Workplace()
    try place.put("f", "")
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("f"))
    try place.folder.setMode(bytes("f"), 0o750)
    #expect(throws: SystemError.self) { try place.folder.setMode(bytes("link"), 0o777) }
    let status = try place.folder.status(of: bytes("f"))
    #expect(status?.mode == 0o750)
    #expect(status?.isExecutable == true)
  }

  @Test func syncingAFolderAndItsFileSystemWorks() throws {
    let place = try Workplace()
    try place.folder.sync()
    try place.folder.syncFileSystem()
  }
}
