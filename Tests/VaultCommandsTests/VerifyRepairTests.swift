import Foundation
import Testing
import VaultStore
import VaultTestSupport

@testable import VaultCommands

/// `verify --repair` as a person or a script meets it.
@Suite struct VerifyRepairTests {
  private let folder: TemporaryFolder
  private var vault: String { folder.path(of: "vault") }

  init() throws {
    folder = try TemporaryFolder.inMemory()
    let source = Fixtures.url("vaults/v1/basic/vault").path()
    try #require(TemporaryFolder.run(["/bin/cp", "-R", source, vault]) == 0)
    try set(passphrase: "correct horse battery staple")
  }

  private struct Outcome {
    let status: CInt
    let output: String
    let errors: String
  }

  private func set(passphrase: String) throws {
    try Data("\(passphrase)\n".utf8).write(to: URL(filePath: folder.path(of: "passphrase")))
  }

  private func run(_ arguments: String..., on console: Console = .recording()) -> Outcome {
    let status = Program.run(
      (["verify"] + arguments + [vault]).map { Array($0.utf8) }, on: console)
    let recorded = console.recorded
    return Outcome(
      status: status, output: String(decoding: recorded.output, as: UTF8.self),
      errors: String(decoding: recorded.errors, as: UTF8.self))
  }

  private func runUnlocked(_ arguments: String...) -> Outcome {
    let secret = ["--unlock", "--passphrase-file", folder.path(of: "passphrase")]
    let console = Console.recording()
    let status = Program.run(
      (["verify"] + arguments + secret + [vault]).map { Array($0.utf8) }, on: console)
    let recorded = console.recorded
    return Outcome(
      status: status, output: String(decoding: recorded.output, as: UTF8.self),
      errors: String(decoding: recorded.errors, as: UTF8.self))
  }

  private func shell(_ command: String) throws {
    try #require(
      TemporaryFolder.run(["/bin/sh", "-c", "cd '\(vault)' && \(command)"]) == 0, "\(command)")
  }

  /// Every file with its bytes.
  private func state() throws -> [String: Data] {
    var state: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: vault) {
      state[name] = (try? Data(contentsOf: URL(filePath: "\(vault)/\(name)"))) ?? Data()
    }
    return state
  }

  private let slot = "57c370867be4def60f3303408620f2af61e86d2d5ebd3a4cd2ae899a8b9fe4c9.slot"

  @Test func fr108WithoutAYesNothingIsWritten() throws {
    try shell("rm index/\(slot)")
    let before = try state()
    let outcome = run("--repair")
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("one thing would be repaired, and nobody said yes"))
    #expect(outcome.errors.contains("repair: restore-slot index/\(slot) from spare/\(slot): "))
    #expect(try state() == before)
  }

  @Test func aDryRunOnlyShows() throws {
    try shell("rm index/\(slot)")
    let before = try state()
    let outcome = run("--repair", "--dry-run", "--quiet")
    #expect(outcome.status == 5)
    #expect(outcome.output.hasPrefix("error slot-missing index/\(slot)\n"))
    #expect(outcome.errors.contains("restore-slot index/\(slot)"))
    #expect(try state() == before)
  }

  @Test func aYesRepairsAndTheReportIsThatOfTheVaultAfterwards() throws {
    let before = try state()
    try shell("rm index/\(slot) VAULT && cp README.md 'README (1).md'")
    let outcome = run("--repair", "--yes")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("\nclean, as far as can be checked without a secret\n"))
    #expect(outcome.errors.contains("repaired: 3 of 3"))
    #expect(try state() == before)
    let again = run("--repair", "--yes")
    #expect(again.status == 0)
    #expect(again.errors.contains("there is nothing that can be repaired without loss"))
  }

  @Test func whatIsNotMendedStaysAFinding() throws {
    try shell("rm spare/\(slot) && echo milk > shopping.md")
    let outcome = run("--repair", "--yes", "--quiet")
    #expect(outcome.status == 5)
    #expect(outcome.output.hasPrefix("error foreign-file shopping.md\n"))
    #expect(!outcome.output.contains("spare"))
  }

  @Test func theJSONReportHasPlanDeedsAndTheReportAfterwards() throws {
    try shell("rm index/*.seg && cp VAULT index/V")
    let outcome = runUnlocked("--repair", "--yes", "--json")
    #expect(outcome.status == 5)
    let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    let report = try #require(object as? [String: Any])
    #expect(report.keys.sorted() == ["actions", "dry_run", "left", "schema", "verify"])
    #expect(report["schema"] as? String == "vaulttool-repair/1")
    #expect(report["dry_run"] as? Bool == false)
    let actions = try #require(report["actions"] as? [[String: Any]])
    #expect(actions.allSatisfy { $0["done"] as? Bool == true && $0["path"] is String })
    let notes = actions.filter { $0["action"] as? String == "list-note" }
    #expect(notes.count == 26)
    #expect(notes.allSatisfy { ($0["note"] as? [String: String])?.count == 1 })
    let verify = try #require(report["verify"] as? [String: Any])
    #expect(verify["level"] as? String == "unlocked")
    let findings = try #require(verify["findings"] as? [[String: Any]])
    #expect(
      findings.filter { $0["severity"] as? String == "error" }.map { $0["path"] as? String }
        == ["index/V"])
  }

  @Test func theOwnerIsToldThatOnlyHeCanJudge() throws {
    try shell("rm index/*.seg")
    let outcome = runUnlocked("--repair", "--dry-run")
    #expect(outcome.errors.contains("only you can judge"))
    #expect(outcome.errors.contains("list-note notes/"))
    #expect(outcome.errors.contains("excuse-segment") == false)
  }

  @Test func aWrongSecretChangesNothing() throws {
    try shell("rm index/\(slot)")
    try set(passphrase: "wrong")
    let before = try state()
    #expect(runUnlocked("--repair", "--yes").status == 4)
    #expect(try state() == before)
  }

  @Test func theOptionsBelongToRepair() {
    #expect(run("--yes").status == 2)
    #expect(run("--dry-run").status == 2)
    #expect(run("--repair", "--json", "--quiet").status == 2)
  }

  @Test(arguments: [("y\n", CInt(0)), ("\n", CInt(1))])
  func aPersonIsAsked(answer: String, status: CInt) throws {
    try shell("rm index/\(slot)")
    let before = try state()
    let terminal = try PseudoTerminal()
    let driver = try BackgroundTask<Bool, Never> {
      let seen = terminal.wait(for: "Repair this? [y/N] ")
      terminal.type(answer)
      return seen.hasSuffix("[y/N] ")
    }
    let outcome = run(
      "--repair", on: .recording(.init(inputIsTerminal: true, terminalPath: terminal.path)))
    let isAsked = driver.wait()
    #expect(isAsked)
    #expect(outcome.status == status)
    #expect(try (state() == before) == (status == 1))
  }
}
