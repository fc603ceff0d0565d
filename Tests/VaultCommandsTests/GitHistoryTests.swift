import Testing
import VaultStore
import VaultTestSupport

@testable import VaultCommands

/// What is read from git's answers, and how git is found and run. (That slots of real histories are counted is tested
/// with the built program.)
@Suite struct GitHistoryTests {
  private static let slot = String(repeating: "0a", count: 32) + ".slot"
  private static let other = String(repeating: "fe", count: 32) + ".slot"

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func eachNameCountsOnceWhereverItLies() {
    let answer = """
      5d41402abc4b2a76b9719d911017c592a1b2c3d4
      5d41402abc4b2a76b9719d911017c592a1b2c3d5 vault/index
      5d41402abc4b2a76b9719d911017c592a1b2c3d6 vault/index/\(Self.slot)
      5d41402abc4b2a76b9719d911017c592a1b2c3d7 vault/spare/\(Self.slot)
      5d41402abc4b2a76b9719d911017c592a1b2c3d8 index/\(Self.other)

      """
    #expect(GitHistory.slotNames(in: bytes(answer)) == [bytes(Self.slot), bytes(Self.other)])
  }

  @Test(arguments: [
    "", "\n\n", slot, "x\(slot)", "id index/x\(slot)", "id index/\(slot.uppercased())",
    "id index/\(slot.dropFirst())", "id index/\(slot)x", "id index/g\(slot.dropFirst())",
  ])
  func whatIsNoSlotIsNotCounted(answer: String) {
    #expect(GitHistory.slotNames(in: bytes(answer)).isEmpty)
  }

  @Test func gitIsTakenFromAbsoluteFoldersOnly() throws {
    let folder = try TemporaryFolder()
    let outcome = try BuiltTool.shell(
      "mkdir bin && printf x > bin/git && chmod 755 bin/git", in: folder)
    #expect(outcome.status == 0)
    let found = bytes(folder.path(of: "bin/git"))
    #expect(
      ChildProgram.find("git", in: bytes(".:bin::\(folder.path)/none:\(folder.path)/bin")) == found)
    #expect(ChildProgram.find("git", in: bytes("bin:.:")) == nil)
    #expect(ChildProgram.find("git", in: []) == nil)
  }

  @Test func aRefusalIsTold() throws {
    let folder = try TemporaryFolder()
    #expect(throws: Git.Refusal.noRepository) {
      try Git.run(["rev-list", "--all"], in: folder.bytes, limit: 100)
    }
    #expect(throws: Git.Refusal.system(.notFound)) {
      try Git.run(["--version"], in: folder.bytes + Array("/none".utf8), limit: 100)
    }
    #expect(throws: Git.Refusal.answerTooLong) {
      try Git.run(["--version"], in: folder.bytes, limit: 3)
    }
    #expect(
      try Git.run(["--version"], in: folder.bytes, limit: 100).starts(with: bytes("git version ")))
    #expect(try BuiltTool.shell("git init -q .", in: folder).status == 0)
    #expect(try Git.run(["rev-list", "--all"], in: folder.bytes, limit: 100).isEmpty)
    do {
      _ = try Git.run(["rev-list", "\u{1B}[31m"], in: folder.bytes, limit: 100)
      Issue.record("git found a commit of that name")
    } catch {
      guard case .refused(let reason) = error else { throw error }
      #expect(!reason.isEmpty)
      #expect(error.description.hasPrefix("git says: "))
      #expect(!error.description.unicodeScalars.contains("\u{1B}"))
    }
  }
}
