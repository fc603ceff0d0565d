import Glibc
import Testing
import VaultTestSupport

@testable import VaultStore

extension WalkMaxima {
  static let wide = WalkMaxima(pathByteCount: 8_192, partByteCount: 255, depth: 1_024)
}

/// All items of a walk in short: the path and a `/` for a folder, or the path and its issue.
func walk(
  _ root: borrowing Directory, maxima: WalkMaxima = .wide, passingOver: Set<FileIdentity> = [],
  excluding: @escaping ([UInt8], Bool) -> Bool = { _, _ in false }
) throws(SystemError) -> [String] {
  var walk = try SourceWalk(
    of: root, maxima: maxima, passingOver: passingOver, excluding: excluding)
  var lines: [String] = []
  while let item = try walk.next() { lines.append(line(item)) }
  return lines
}

func line(_ item: SourceItem) -> String {
  let path = String(decoding: item.path, as: UTF8.self)
  switch item.finding {
  case .entry(let status): return path + (status.kind == .folder ? "/" : "")
  case .issue(let issue): return "\(path) \(issue)"
  }
}

@Suite struct SystemWalkTests {
  @Test func aFolderComesBeforeItsContentAndNamesComeByTheirBytes() throws {
    let place = try Workplace()
    for name in ["b", "a", "empty"] { try place.folder.makeDirectory(bytes(name)) }
    let inner = try Directory(opening: bytes("a"), in: place.folder)
    for name in ["z", ".hidden", "_draft"] { try inner.createFile(bytes(name)).close() }
    for name in ["a-b", "a.md", "B", ".dot"] { try place.put(name, "") }
    #expect(
      try walk(place.folder)
        == [".dot", "B", "a/", "a/.hidden", "a/_draft", "a/z", "a-b", "a.md", "b/", "empty/"])
  }

  @Test func anItemHasTheStatusOfItsFileAndOfALinkItself() throws {
    let place = try Workplace()
    try place.put("f", "12345")
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("f"))
    try place.folder.makeSymbolicLink(bytes("loop"), target: bytes("."))
    let file = try #require(try place.folder.status(of: bytes("f")))
    let link = try #require(try place.folder.status(of: bytes("link")))
    let loop = try #require(try place.folder.status(of: bytes("loop")))
    var walk = try SourceWalk(
      of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
    var items: [SourceItem] = []
    while let item = try walk.next() { items.append(item) }
    #expect(
      items == [
        SourceItem(path: bytes("f"), finding: .entry(file)),
        SourceItem(path: bytes("link"), finding: .entry(link)),
        SourceItem(path: bytes("loop"), finding: .entry(loop)),
      ])
    #expect(loop.kind == .symlink)
  }

  @Test(.timeLimit(.minutes(1))) func specialFilesAreListedWithTheirKind() throws {
    let place = try Workplace()
    try #require(unsafe mkfifo(place.temporary.path(of: "pipe"), 0o600) == 0)
    try #require(unsafe mknod(place.temporary.path(of: "socket"), S_IFSOCK | 0o600, 0) == 0)
    var walk = try SourceWalk(
      of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
    var kinds: [FileKind] = []
    while let item = try walk.next() {
      if case .entry(let status) = item.finding { kinds.append(status.kind) }
    }
    #expect(kinds == [.fifo, .socket])
  }

  @Test func namesOfAnyBytesArriveAsTheyAre() throws {
    let place = try Workplace()
    let name: [UInt8] = [0x62, 0x69, 0x6E, 0xE4, 0x72]
    try place.folder.makeDirectory(name)
    let inner = try Directory(opening: name, in: place.folder)
    try inner.createFile([0xFF]).close()
    var walk = try SourceWalk(
      of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
    var paths: [[UInt8]] = []
    while let item = try walk.next() { paths.append(item.path) }
    #expect(paths == [name, name + [0x2F, 0xFF]])
  }

  // MARK: - Left out

  @Test func whatIsExcludedIsNotEnteredAndIsCounted() throws {
    let place = try Workplace()
    try makeChain([bytes("a"), bytes("b")], file: bytes("f"), in: place.folder)
    var walk = try SourceWalk(of: place.folder, maxima: .wide, passingOver: []) { path, isFolder in
      (path == bytes("a/b") && isFolder) || (path == bytes("f") && !isFolder)
    }
    var lines: [String] = []
    while let item = try walk.next() { lines.append(line(item)) }
    #expect(lines == ["a/", "a/f"])
    #expect(walk.excludedCount == 2)
  }

  @Test func theVaultInsideIsPassedOverByIdentityAndNotByName() throws {
    let place = try Workplace()
    try makeChain([bytes("a"), bytes("vault")], file: bytes("f"), in: place.folder)
    let vault = try place.folder.open(components: [bytes("a"), bytes("vault")])
    let identity = try vault.descriptor.status().identity
    try place.folder.makeDirectory(bytes("vault"))
    #expect(try walk(place.folder, passingOver: [identity]) == ["a/", "a/f", "f", "vault/"])
  }

  // MARK: - Depth and length

  @Test func pathsLongerThanTheKernelTakesAreWalkedAndOpened() throws {
    let place = try Workplace()
    let part = [UInt8](repeating: UInt8(ascii: "d"), count: 100)
    try makeChain(Array(repeating: part, count: 60), file: bytes("z"), in: place.folder)
    var walk = try SourceWalk(
      of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
    var root = try SourceRoot(place.folder)
    var longest = 0
    var opened = 0
    while let item = try walk.next() {
      longest = max(longest, item.path.count)
      guard case .entry(let status) = item.finding else {
        Issue.record("\(item.finding)")
        continue
      }
      if status.kind != .regular { continue }
      #expect(try root.openFile(item.path).status().identity == status.identity)
      opened += 1
    }
    #expect(longest == 60 * 101 + 1)
    #expect(opened == 61)
  }

  @Test func aDeepTreeIsWalkedAndOpenedWith32Descriptors() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace()
      let components = (0..<200).map { bytes("m\($0)") }
      // The files sort after the folders, so each folder is needed again on the way back.
      try makeChain(components, file: bytes("z"), in: place.folder)
      // The test program has files of its own open; an ordinary process has three of its 32.
      limitOpenFiles(toFurther: 32 - 3)
      var walk = try SourceWalk(
        of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
      var root = try SourceRoot(place.folder)
      var (files, folders) = (0, 0)
      while let item = try walk.next() {
        guard case .entry(let status) = item.finding else {
          Issue.record("\(item.finding)")
          continue
        }
        if status.kind == .folder {
          folders += 1
        } else if try root.openFile(item.path).status().identity == status.identity {
          files += 1
        }
      }
      #expect(folders == 200)
      #expect(files == 201)
    }
  }

  @Test func aProcessWithoutDescriptorsGetsOneErrorAndNoIssues() async {
    await #expect(processExitsWith: .success) {
      let place = try Workplace()
      try makeChain([bytes("a")], file: bytes("f"), in: place.folder)
      var walk = try SourceWalk(
        of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
      #expect(line(try #require(try walk.next())) == "a/")
      limitOpenFiles(toFurther: 1)
      #expect(throws: SystemError.failed(call: "openat", .tooManyOpenFiles)) {
        _ = try walk.next()
      }
    }
  }

  @Test(arguments: [1, 2, 3, 50]) func fewOpenFoldersGiveTheSameItems(openFolderCount: Int) throws {
    let place = try Workplace()
    let components = (0..<12).map { bytes("m\($0)") }
    try makeChain(components, file: bytes("z"), in: place.folder)
    try makeChain([bytes("n"), bytes("o")], file: bytes("zz"), in: place.folder)
    let maxima = WalkMaxima(
      pathByteCount: 8_192, partByteCount: 255, depth: 1_024, openFolderCount: openFolderCount)
    let lines = try walk(place.folder, maxima: maxima)
    #expect(lines == (try walk(place.folder)))
    #expect(lines.count == 12 + 13 + 2 + 3)
  }

  @Test func depthPathAndPartAreBoundedExactly() throws {
    let place = try Workplace()
    try makeChain([bytes("aa"), bytes("bb")], file: bytes("f"), in: place.folder)
    func lines(path: Int, part: Int, depth: Int) throws -> [String] {
      try walk(
        place.folder,
        maxima: WalkMaxima(pathByteCount: path, partByteCount: part, depth: depth))
    }
    let all = ["aa/", "aa/bb/", "aa/bb/f", "aa/f", "f"]
    #expect(try lines(path: 7, part: 2, depth: 3) == all)
    #expect(
      try lines(path: 6, part: 2, depth: 3)
        == ["aa/", "aa/bb/", "aa/bb/f pathTooLong", "aa/f", "f"])
    #expect(try lines(path: 7, part: 1, depth: 3) == ["aa pathTooLong", "f"])
    #expect(
      try lines(path: 7, part: 2, depth: 2)
        == ["aa/", "aa/bb/", "aa/bb/f tooDeep", "aa/f", "f"])
    #expect(try lines(path: 7, part: 2, depth: 1) == ["aa/", "aa/bb tooDeep", "aa/f tooDeep", "f"])
  }

  // MARK: - Changes under the walk

  @Test func whatVanishesAfterItWasListedIsAnIssue() throws {
    let place = try Workplace()
    for name in ["a", "c"] { try place.put(name, "") }
    try place.folder.makeDirectory(bytes("b"))
    var walk = try SourceWalk(
      of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
    #expect(line(try #require(try walk.next())) == "a")
    try place.folder.unlink(bytes("c"))
    #expect(line(try #require(try walk.next())) == "b/")
    try place.folder.removeDirectory(bytes("b"))
    #expect(line(try #require(try walk.next())) == "b vanished")
    #expect(line(try #require(try walk.next())) == "c vanished")
    #expect(try walk.next() == nil)
  }

  @Test func aFolderReplacedByALinkIsNotFollowed() throws {
    let place = try Workplace()
    try makeChain([bytes("elsewhere")], file: bytes("f"), in: place.folder)
    try place.folder.makeDirectory(bytes("d"))
    var walk = try SourceWalk(
      of: place.folder, maxima: .wide, passingOver: [], excluding: { path, _ in path != bytes("d") }
    )
    #expect(line(try #require(try walk.next())) == "d/")
    try place.folder.removeDirectory(bytes("d"))
    try place.folder.makeSymbolicLink(bytes("d"), target: bytes("elsewhere"))
    #expect(line(try #require(try walk.next())) == "d vanished")
    #expect(try walk.next() == nil)
  }

  @Test func aFolderSwappedWhileTheWalkIsBelowItIsAnIssueAndNotMixedUp() throws {
    let place = try Workplace()
    try makeChain([bytes("a"), bytes("b"), bytes("c")], file: bytes("f"), in: place.folder)
    let maxima = WalkMaxima(
      pathByteCount: 8_192, partByteCount: 255, depth: 1_024, openFolderCount: 1)
    var walk = try SourceWalk(
      of: place.folder, maxima: maxima, passingOver: [], excluding: { _, _ in false })
    for expected in ["a/", "a/b/", "a/b/c/", "a/b/c/f"] {
      #expect(line(try #require(try walk.next())) == expected)
    }
    let outer = try Directory(opening: bytes("a"), in: place.folder)
    try outer.rename(bytes("b"), to: place.folder, bytes("moved"), replacing: .forbidden)
    try outer.makeDirectory(bytes("b"))
    #expect(line(try #require(try walk.next())) == "a/b changedWhileWalked")
    #expect(line(try #require(try walk.next())) == "a/f")
    #expect(line(try #require(try walk.next())) == "f")
    #expect(try walk.next() == nil)
  }

  @Test func aFolderThatCannotBeReadIsAnIssueAndNeverEmpty() async {
    await #expect(processExitsWith: .success) {
      dropPrivileges()
      let place = try Workplace()
      for (name, mode) in [("listed", 0o600), ("open", 0o700), ("shut", 0o000)] {
        try makeChain([bytes(name)], file: bytes("f"), in: place.folder)
        try place.folder.setMode(bytes(name), UInt32(mode))
        try place.folder.unlink(bytes("f"))
      }
      var walk = try SourceWalk(
        of: place.folder, maxima: .wide, passingOver: [], excluding: { _, _ in false })
      var items: [SourceItem] = []
      while let item = try walk.next() { items.append(item) }
      let paths = items.map { String(decoding: $0.path, as: UTF8.self) }
      #expect(paths == ["listed", "listed", "open", "open/f", "shut", "shut"])
      let issues = items.map(\.finding).filter { if case .issue = $0 { true } else { false } }
      #expect(
        issues == [
          .issue(.unreadable(.failed(call: "openat", .accessDenied))),
          .issue(.unreadable(.failed(call: "openat", .accessDenied))),
        ])
    }
  }

  @Test func aRootThatCannotBeListedIsAnErrorAndNotAnEmptyWalk() async {
    await #expect(processExitsWith: .success) {
      dropPrivileges()
      let place = try Workplace()
      try place.folder.descriptor.setMode(0o000)
      #expect(throws: SystemError.failed(call: "openat", .accessDenied)) {
        _ = try walk(place.folder)
      }
    }
  }
}
