import Foundation
import Testing
import VaultTestSupport

@testable import VaultCommands

@Suite struct SignerCommandTests {
  private func run(_ arguments: String...) -> (status: CInt, output: String, errors: String) {
    let console = Console.recording()
    let status = Program.run(arguments.map { Array($0.utf8) }, on: console)
    return (
      status, String(decoding: console.recorded.output, as: UTF8.self),
      String(decoding: console.recorded.errors, as: UTF8.self)
    )
  }

  private func path(of vault: String) -> String {
    Fixtures.url("vaults/v1/\(vault)/vault").path(percentEncoded: false)
  }

  private let first = "0f4e5142604d6271b8fe275c109a7c651d63b24d8d280b7d21848df83c66abde"

  @Test func aFingerprintIsALine() {
    let outcome = run("signer", path(of: "basic"))
    #expect(outcome.status == 0)
    #expect(outcome.output == first + "\n")
    #expect(outcome.errors == "")
  }

  @Test func whatItPrintsIsWhatVerifyTakes() {
    let fingerprints = run("signer", path(of: "two-compartments")).output.split(separator: "\n")
    #expect(fingerprints.count == 2)
    let pins = fingerprints.flatMap { ["--signer", String($0)] }
    let console = Console.recording()
    let arguments = ["verify"] + pins + [path(of: "two-compartments")]
    #expect(Program.run(arguments.map { Array($0.utf8) }, on: console) == 0)
  }

  @Test func jsonSaysWhichCompartmentListsTheVaultsOwnFiles() throws {
    let data = Data(run("signer", "--json", path(of: "two-compartments")).output.utf8)
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(report.keys.sorted() == ["schema", "signers"])
    #expect(report["schema"] as? String == "vaulttool-signer/1")
    let signers = try #require(report["signers"] as? [[String: Any]])
    #expect(
      signers.map { $0.keys.sorted() }
        == Array(
          repeating: ["compartment", "fingerprint", "lists_companions"], count: 2))
    #expect(signers.map { $0["lists_companions"] as? Bool } == [true, false])
  }

  @Test func aVaultWithoutSegmentsHasNoSignerToPin() throws {
    let folder = try TemporaryFolder()
    try #require(
      TemporaryFolder.run(["/bin/cp", "-R", path(of: "basic"), folder.path(of: "vault")]) == 0)
    let index = folder.path(of: "vault/index")
    for name in try FileManager.default.contentsOfDirectory(atPath: index)
    where name.hasSuffix(".seg") {
      try FileManager.default.removeItem(atPath: index + "/" + name)
    }
    let outcome = run("signer", folder.path(of: "vault"))
    #expect(outcome.status == 5)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("no-index"))
  }

  @Test func whatIsNoVaultIsStatus1() throws {
    let folder = try TemporaryFolder()
    #expect(run("signer", folder.path).status == 1)
  }
}
