import Glibc
import Testing
import VaultTestSupport

@testable import VaultStore

@Suite struct SystemSourceRootTests {
  @Test func filesOfSeveralFoldersAreOpenedByTheirPaths() throws {
    let place = try Workplace()
    try makeChain([bytes("a"), bytes("b")], file: bytes("f"), in: place.folder)
    var root = try SourceRoot(place.folder)
    for path in ["f", "a/f", "a/b/f", "a/b/f", "a/f", "f"] {
      let file = try root.openFile(bytes(path))
      #expect(try file.status() == root.status(of: bytes(path)))
      #expect(try file.birthTime() == root.birthTime(of: bytes(path)))
    }
    let none = try root.status(of: bytes("a/none"))
    #expect(none == nil)
    #expect(throws: SystemError.failed(call: "openat", .notFound)) {
      _ = try root.status(of: bytes("none/f"))
    }
    // A failure leaves the value usable.
    #expect(try root.openFile(bytes("a/f")).status().kind == .regular)
  }

  @Test(arguments: ["", "/f", "a//f", "a/", "./f", "../f", "a/../f", "a/."])
  func aPathThatIsNotPlainlyBelowTheRootIsRefused(path: String) throws {
    let place = try Workplace()
    try makeChain([bytes("a")], file: bytes("f"), in: place.folder)
    var root = try SourceRoot(place.folder)
    let error = #expect(throws: SystemError.self) { _ = try root.openFile(bytes(path)) }
    #expect(error?.code == .invalid)
  }

  @Test func noComponentIsFollowedAsALink() throws {
    let place = try Workplace()
    try makeChain([bytes("a")], file: bytes("f"), in: place.folder)
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("a"))
    try place.folder.makeSymbolicLink(bytes("file"), target: bytes("f"))
    var root = try SourceRoot(place.folder)
    #expect(throws: SystemError.failed(call: "openat", .notAFolder)) {
      _ = try root.openFile(bytes("link/f"))
    }
    #expect(throws: SystemError.notRegular(.symlink)) { _ = try root.openFile(bytes("file")) }
    #expect(try root.readLink(bytes("file")) == bytes("f"))
  }

  @Test(.timeLimit(.minutes(1))) func aPipeThatTookThePlaceOfAFileDoesNotBlock() throws {
    let place = try Workplace()
    try place.put("f", "")
    var root = try SourceRoot(place.folder)
    try place.folder.unlink(bytes("f"))
    try #require(unsafe mkfifo(place.temporary.path(of: "f"), 0o600) == 0)
    #expect(throws: SystemError.notRegular(.fifo)) { _ = try root.openFile(bytes("f")) }
  }
}
