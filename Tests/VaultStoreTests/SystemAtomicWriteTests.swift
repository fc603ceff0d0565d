import Glibc
import Testing
import VaultTestSupport

@testable import VaultStore

@Suite struct SystemAtomicWriteTests {
  private static let stepCount = 6  // create, write, fsync, close, rename, fsync of the folder

  private func save(
    _ content: String, in folder: borrowing Directory, _ replacing: Replacing = .allowed
  ) throws(SystemError) {
    try AtomicWrite.save(
      bytes(content).span, as: bytes("f"), in: folder, temporaryName: bytes("t"),
      replacing: replacing)
  }

  @Test func savingMakesOrReplacesTheFileAndLeavesNothingElse() throws {
    let place = try Workplace()
    try save("one", in: place.folder, .forbidden)
    try save("two", in: place.folder)
    #expect(try place.content("f") == "two")
    #expect(try place.names() == ["f"])
    let status = try place.folder.status(of: bytes("f"))
    #expect(status?.mode == 0o600)
  }

  @Test func savingDoesNotReplaceWhereThatIsForbidden() throws {
    let place = try Workplace()
    try place.put("f", "old")
    #expect(throws: SystemError.failed(call: "renameat", .exists)) {
      try save("new", in: place.folder, .forbidden)
    }
    #expect(try place.content("f") == "old")
    #expect(try place.names() == ["f"])
  }

  @Test func aTemporaryNameThatIsTakenIsNeitherUsedNorRemoved() throws {
    let place = try Workplace()
    try #require(unsafe mkfifo(place.temporary.path(of: "t"), 0o600) == 0)
    #expect(throws: SystemError.failed(call: "openat", .exists)) {
      try save("new", in: place.folder)
    }
    #expect(try place.names() == ["t"])
  }

  @Test func savingReplacesALinkAndNotItsTarget() throws {
    let place = try Workplace()
    try place.put("target", "kept")
    try place.folder.makeSymbolicLink(bytes("f"), target: bytes("target"))
    try save("new", in: place.folder)
    #expect(try place.content("f") == "new")
    #expect(try place.content("target") == "kept")
  }

  @Test(arguments: 1...stepCount)
  func aFailureAtAnyStepLeavesOldOrNewBytesAndNoTemporaryFile(step: Int) throws {
    let plan = FaultPlan(atStep: step, .fail(.noSpace))
    let place = try Workplace(faults: plan)
    try place.put("f", "old")
    let error = #expect(throws: SystemError.self) { try save("new", in: place.folder) }
    #expect(error?.code == .noSpace)
    #expect(try place.content("f") == (step < Self.stepCount ? "old" : "new"))
    #expect(try place.names() == ["f"])
  }

  @Test(arguments: 1...stepCount)
  func aStopAtAnyStepLeavesOldOrNewBytes(step: Int) throws {
    let plan = FaultPlan(atStep: step, .stop)
    let place = try Workplace(faults: plan)
    try place.put("f", "old")
    #expect(throws: SystemError.self) { try save("new", in: place.folder) }
    #expect(try place.content("f") == (step < Self.stepCount ? "old" : "new"))
    let isLeft = step > 1 && step < Self.stepCount
    #expect(try place.names() == (isLeft ? ["f", "t"] : ["f"]))
  }

  @Test func aSaveHasNoStepBeyondThoseTried() throws {
    let plan = FaultPlan(atStep: Self.stepCount + 1, .stop)
    let place = try Workplace(faults: plan)
    try save("new", in: place.folder)
    #expect(plan.stepCount == Self.stepCount)
    #expect(!plan.wasReached)
  }

  @Test func aFullDiskLeavesTheOldBytesAndNoTemporaryFile() throws {
    let place = try Workplace()
    let path = place.temporary.path
    guard TemporaryFolder.run(["/bin/mount", "-t", "tmpfs", "-o", "size=64k", "none", path]) == 0
    else {
      print("skipped: a small file system cannot be mounted here")
      return
    }
    defer { _ = TemporaryFolder.run(["/bin/umount", "-l", path]) }
    let small = try Directory(path: place.temporary.bytes)
    try save("old", in: small)
    let large = String(repeating: "x", count: 100_000)
    #expect(throws: SystemError.failed(call: "pwrite", .noSpace)) { try save(large, in: small) }
    let kept = try small.readWhole(bytes("f"), limit: 10)
    let names = try small.entries().map(\.name)
    #expect(kept == bytes("old"))
    #expect(names == [bytes("f")])
  }
}
