import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultCommands
@testable import VaultStore

@Suite struct VerifyCommandTests {
  /// What a command line gave.
  private struct Outcome {
    let status: CInt
    let output: String
    let errors: String

    var json: [String: Any] {
      get throws {
        let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(object as? [String: Any])
      }
    }
  }

  private func run(_ arguments: String...) -> Outcome {
    let console = Console.recording()
    let status = Program.run(arguments.map { Array($0.utf8) }, on: console)
    let recorded = console.recorded
    return Outcome(
      status: status, output: String(decoding: recorded.output, as: UTF8.self),
      errors: String(decoding: recorded.errors, as: UTF8.self))
  }

  private func path(of vault: String) -> String {
    Fixtures.url("vaults/v1/\(vault)/vault").path(percentEncoded: false)
  }

  /// A copy of a fixture with one file changed.
  private func copy(
    of vault: String, _ file: String, _ change: (inout [UInt8]) -> Void
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try #require(
      TemporaryFolder.run(["/bin/cp", "-R", path(of: vault), folder.path(of: "vault")]) == 0)
    let url = URL(filePath: folder.path(of: "vault/\(file)"))
    var bytes = [UInt8](try Data(contentsOf: url))
    change(&bytes)
    try Data(bytes).write(to: url)
    return folder
  }

  private let note = "notes/13/13c596c08c8a2e04460f383d5d98a11d.sealed"

  @Test func aCleanVaultHasStatus0AndSaysWhatWasNotChecked() {
    let outcome = run("verify", path(of: "basic"))
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(
      outcome.output == """
        signer 0f4e5142604d6271b8fe275c109a7c651d63b24d8d280b7d21848df83c66abde
        checked 40 files, 60.1 KiB, 26 notes, 5 segments, 2 slots
        clean, as far as can be checked without a secret
        not checked: that the notes decrypt to what the index says (--unlock checks it)
        not checked: that nobody withheld a newer state of the vault
        signature: self-consistent, signer not pinned

        """)
  }

  @Test func quietPrintsFindingsOnly() {
    #expect(run("verify", "--quiet", path(of: "basic")).output == "")
    let outcome = run("verify", "-q", path(of: "missing-segment"))
    #expect(outcome.status == 5)
    #expect(
      outcome.output.hasPrefix("error segment-missing index/112a7301b0fabcb765cd00653be05102"))
    #expect(!outcome.output.contains("checked"))
  }

  @Test func aFindingIsABlockWithItsNextStep() throws {
    let vault = try copy(of: "later-keys", note) { $0[900] ^= 1 }
    let outcome = run("verify", "--quiet", vault.path(of: "vault"))
    #expect(outcome.status == 5)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.first == "error note-changed \(note)")
    #expect(lines.dropFirst().first == "  the note has bytes that were never listed")
    #expect(lines.dropFirst(2).first?.hasPrefix("  expected: 983 bytes, digest 5cedea86") == true)
    #expect(lines.last?.hasSuffix("else restore the file from a copy or from git") == true)
  }

  @Test func theJSONReportHasThePromisedFields() throws {
    let outcome = run("verify", "--json", path(of: "conflict"))
    #expect(outcome.status == 5)
    #expect(outcome.errors == "")
    #expect(outcome.output.hasSuffix("}\n") && outcome.output.count { $0 == "\n" } == 1)
    let report = try outcome.json
    #expect(
      report.keys.sorted() == [
        "checked", "findings", "level", "not_checked", "schema", "signature", "signers", "state",
        "status", "verdict",
      ])
    #expect(report["schema"] as? String == "vaulttool-verify/1")
    #expect(report["level"] as? String == "keyless")
    #expect(report["verdict"] as? String == "findings")
    #expect(report["status"] as? Int == 5)
    let checked = try #require(report["checked"] as? [String: Int])
    #expect(checked.keys.sorted() == ["bytes", "files", "notes", "segments", "slots"])
    let signers = try #require(report["signers"] as? [[String: Any]])
    #expect(signers.map { $0.keys.sorted() } == [["compartment", "fingerprint", "pinned"]])
    let findings = try #require(report["findings"] as? [[String: String]])
    #expect(
      findings.map { $0.keys.sorted() } == [
        ["code", "expected", "found", "message", "next", "path", "severity"]
      ])
    #expect(findings.first?["code"] == "note-conflict")
  }

  @Test func pinsDecide() {
    let fingerprint = "0f4e5142604d6271b8fe275c109a7c651d63b24d8d280b7d21848df83c66abde"
    #expect(run("verify", "--signer", fingerprint, path(of: "basic")).status == 0)
    #expect(
      run("verify", "--signer", fingerprint, path(of: "basic")).output
        .hasSuffix("\nsignature: pinned\n"))
    let other = String(repeating: "ab", count: 32)
    #expect(
      run("verify", "--signer", other, path(of: "basic")).output
        .hasSuffix("\nsignature: not by the pinned signer\n"))
    let outcome = run("verify", "-q", "--signer", other, path(of: "basic"))
    #expect(outcome.status == 5)
    #expect(outcome.output.contains("error signer-unpinned\n"))
    #expect(outcome.output.contains("error signer-absent\n"))
  }

  @Test func onlyANewerVersionIsStatus7() throws {
    let newer = try copy(of: "later-keys", note) { $0[9] = 2 }
    #expect(run("verify", newer.path(of: "vault")).status == 7)
    // The segments name the VAULT of this version, so this one was altered.
    let altered = try copy(of: "later-keys", "VAULT") { $0[9] = 2 }
    let outcome = run("verify", "-q", "--unlock", altered.path(of: "vault"))
    #expect(outcome.status == 5)
    #expect(outcome.output.contains("error newer-version VAULT\n"))
    #expect(outcome.output.contains("error header-differs VAULT\n"))
    #expect(outcome.errors == "")
  }

  @Test func theSecretOpensTheContents() throws {
    let secret = try TemporaryFolder()
    let file = secret.path(of: "passphrase")
    try Data("correct horse battery staple\n".utf8).write(to: URL(filePath: file))
    let outcome = run(
      "verify", "--json", "--unlock", "--passphrase-file", file, path(of: "merged"))
    #expect(outcome.status == 0)
    #expect(try outcome.json["level"] as? String == "unlocked")
    let findings = try #require(try outcome.json["findings"] as? [[String: String]])
    #expect(findings.map { $0["code"] } == ["name-conflict"])
    try Data("wrong\n".utf8).write(to: URL(filePath: file))
    let refused = run("verify", "--unlock", "--passphrase-file", file, path(of: "basic"))
    #expect(refused.status == 4)
    #expect(refused.output.contains("clean, as far as can be checked without a secret"))
    #expect(refused.errors.contains("the secret does not open this vault"))
    let damaged = run("verify", "--unlock", "--passphrase-file", file, path(of: "conflict"))
    #expect(damaged.status == 5)
  }

  @Test func withoutASecretAndATerminalItEndsAtOnce() {
    let outcome = run("verify", "--unlock", path(of: "basic"))
    #expect(outcome.status == 4)
    #expect(outcome.output == "")
  }

  @Test func wrongUsageTouchesNothing() {
    let vault = path(of: "basic")
    for arguments in [
      ["verify"], ["verify", vault, "more"], ["verify", "--signer", "ABC", vault],
      ["verify", "--signer", String(repeating: "A", count: 64), vault], ["verify", "--all", vault],
      ["verify", "--json", "--quiet", vault], ["verify", ""],
      ["verify", "--passphrase-file", "/dev/null", vault],
    ] {
      let console = Console.recording()
      #expect(Program.run(arguments.map { Array($0.utf8) }, on: console) == 2, "\(arguments)")
      #expect(console.recorded.output.isEmpty)
    }
  }

  @Test func whatIsNoVaultIsStatus1() throws {
    let folder = try TemporaryFolder()
    let outcome = run("verify", folder.path)
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("there is no vault at"))
  }
}

/// The table of findings in the spec is a promise.
@Suite struct FindingTableTests {
  private func table() throws -> [String: String] {
    let text = try String(
      contentsOf: Fixtures.folder.appending(path: "../spec/command-line.md"), encoding: .utf8)
    var table: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let cells = line.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 3, ["error", "warning", "note"].contains(cells[1]) else { continue }
      for code in cells[0].split(separator: ",") {
        table[code.trimmingCharacters(in: CharacterSet(charactersIn: " `"))] = cells[1]
      }
    }
    return table
  }

  @Test func everyCodeStandsInTheSpecWithItsSeverity() throws {
    let table = try table()
    let codes = Dictionary(
      uniqueKeysWithValues: Finding.Code.allCases.map {
        ($0.rawValue, Finding($0, [], "").severity.rawValue)
      })
    #expect(table == codes)
  }

  @Test func everyErrorHasANextStep() {
    for code in Finding.Code.allCases where Finding(code, [], "").severity != .note {
      #expect(code.hint?.isEmpty == false, "\(code)")
    }
  }
}
