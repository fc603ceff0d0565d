import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Repairs of vaults that another program made.
@Suite struct RepairFixtureTests {
  private func repair(_ vault: borrowing VaultCopy) throws -> [RepairAction.Kind] {
    let options = VerifyOptions(pins: [], bounds: .standard, workerCount: 2)
    var repair = try Repair(
      path: bytes(vault.path), options: options, for: .writing(waitingSeconds: 30),
      progress: .silent)
    let plan = try repair.plan(with: nil)
    let outcome = try repair.carryOut(plan, with: nil)
    return outcome.steps.filter(\.isDone).map(\.action.kind)
  }

  @Test(arguments: ["basic", "two-compartments", "merged", "conflict", "missing-segment"])
  func everySlotAndVAULTComeBackByteForByte(_ name: String) throws {
    let vault = try VaultCopy(name)
    let before = try vault.findings()
    for file in try vault.files() where file == "VAULT" || file.hasSuffix(".slot") {
      let content = try vault.read(file)
      try vault.remove(file)
      let kind: RepairAction.Kind = file == "VAULT" ? .rebuildHeader : .restoreSlot
      #expect(try repair(vault) == [kind], "\(file)")
      #expect(try vault.read(file) == content, "\(file)")
      #expect(try vault.findings() == before, "\(file)")
    }
  }

  @Test(arguments: ["basic", "two-compartments", "later-keys"])
  func everyStrayComesBackByteForByte(_ name: String) throws {
    let vault = try VaultCopy(name)
    let names = try vault.files().filter { !["README.md", ".gitattributes"].contains($0) }
    for file in names where !file.hasPrefix(".git") && !file.hasPrefix("kit") {
      let content = try vault.read(file)
      try vault.remove(file)
      let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
      try vault.write("\(folder)x (conflicted copy)", content)
      #expect(!(try repair(vault)).isEmpty, "\(file)")
      #expect(try vault.read(file) == content, "\(file)")
      #expect(try vault.findings() == [], "\(file)")
    }
  }

  @Test func anUnfinishedCommitIsCompleted() throws {
    let vault = try VaultCopy("unfinished-commit")
    #expect(try vault.findings() != [])
    #expect(try repair(vault).contains(.completeRun))
    #expect(try vault.findings() == [])
  }
}
