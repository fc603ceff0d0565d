import Foundation
import Synchronization
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A vault that is new, changes meanwhile, or is large.
@Suite struct VerifyRunTests {
  @Test func aNewVaultAndEveryCommitOfAWriterAreClean() throws {
    let vault = try TestVault()
    #expect(try vault.verify().findings == [])
    try vault.commit([.put("a", "one"), .put("b/c", "two")])
    #expect(try vault.verify().findings == [])
    try vault.commit([.put("a", "three"), .delete("b/c"), .put("d", "")])
    #expect(try vault.verify().findings == [])
    try vault.commit([.move("a", to: "e")])
    let report = try vault.verifyUnlocked()
    #expect(report.findings == [])
    #expect(report.counts.notes == 2)
  }

  @Test func aVaultThatChangesMeanwhileIsReadAgain() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one"), .put("b", "two")])
    let rounds = Mutex(0)
    let progress = VerifyProgress(
      begin: { _ in
        let round = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        if round == 1 {
          #expect(throws: Never.self) { try vault.commit([.put("a", "new"), .delete("b")]) }
        }
      }, advance: { _ in }, isCancelled: { false })
    #expect(try vault.verify(progress: progress).findings == [])
    #expect(rounds.withLock { $0 } == 2)
  }

  @Test func aVaultThatNeverRestsCannotBeVerified() throws {
    let vault = try TestVault()
    let rounds = Mutex(0)
    let progress = VerifyProgress(
      begin: { _ in
        let round = rounds.withLock { rounds in
          rounds += 1
          return rounds
        }
        #expect(throws: Never.self) { try vault.commit([.put("a", "version \(round)")]) }
      }, advance: { _ in }, isCancelled: { false })
    #expect(throws: StoreError.changedMeanwhile) { try vault.verify(progress: progress) }
    #expect(rounds.withLock { $0 } == 8)
  }

  @Test func aRunThatIsAskedToStopStops() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let progress = VerifyProgress(begin: { _ in }, advance: { _ in }, isCancelled: { true })
    #expect(throws: StoreError.interrupted) { try vault.verify(progress: progress) }
    #expect(throws: StoreError.interrupted) { try vault.verifyUnlocked(progress: progress) }
  }

  /// Three pieces of 16 MiB for all workers, and a file that one worker hashes.
  @Test func largeFilesAreHashedAndOpenedInPieces() throws {
    let vault = try TestVault()
    let large = String(repeating: "a", count: 34 << 20)
    try vault.commit([.put("large", large), .put("medium", String(repeating: "b", count: 5 << 20))])
    let advanced = Mutex(0)
    let progress = VerifyProgress(
      begin: { _ in }, advance: { count in advanced.withLock { $0 += count } },
      isCancelled: { false })
    #expect(try vault.verify(progress: progress).findings == [])
    #expect(advanced.withLock { $0 } > 39 << 20)
    #expect(try vault.verifyUnlocked().findings == [])
    let id = try #require(try vault.unlock().note(at: bytes("large"))).id
    let path = String(decoding: Layout.notePath(id), as: UTF8.self)
    let file = URL(filePath: String(decoding: vault.path, as: UTF8.self) + "/" + path)
    let content = [UInt8](try Data(contentsOf: file))
    for offset in [17 << 20, content.count - 1] {
      var changed = content
      changed[offset] ^= 1
      try vault.put(path, changed)
      #expect(try vault.verify().findings.map(Reported.init) == [Reported(.noteChanged, path)])
    }
    try vault.put(path, Array(content.dropLast(20 << 20)))
    #expect(try vault.verify().findings.map(Reported.init) == [Reported(.cutFile, path)])
  }

  @Test func filesThatMayNotBeReadAreUnreadableAndNotMissing() async throws {
    let vault = try VaultCopy("later-keys")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o000], ofItemAtPath: vault.path("notes/13"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o000], ofItemAtPath: vault.path("README.md"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: vault.temporary.path)
    let path = vault.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      dropPrivileges()
      let options = VerifyOptions(pins: [], bounds: .standard, workerCount: 1)
      let report = try Verification(path: bytes(path), options: options).run(
        progress: .silent, keys: nil)
      let found = report.findings.map(Reported.init)
      precondition(
        found == [Reported(.unreadable, "README.md"), Reported(.unreadable, "notes/13")],
        "\(found)")
    }
  }
}
