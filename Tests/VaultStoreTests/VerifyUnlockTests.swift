import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

@Suite struct VerifyUnlockTests {
  private func secret(_ text: String) throws -> VaultSecret {
    let text = bytes(text)
    let raw = try SecretBytes(copying: text.span)
    return try VaultSecret(passphrase: raw, isNew: false)
  }

  private func verify(_ vault: borrowing VaultCopy, passphrase: String) throws -> VerifyReport {
    let options = VerifyOptions(pins: [], bounds: .standard, workerCount: 2)
    let verification = try Verification(path: bytes(vault.path), options: options)
    let locked = try #require(verification.lockedVault)
    var unlocking: Unlocking? = try Unlocking(
      locked.snapshot.usableSlots, of: locked.vault.header, with: try secret(passphrase))
    return try verification.run(progress: .silent) { () throws(StoreError) in
      guard let started = unlocking.take() else { throw .secretRefused(notTried: 0) }
      return try started.finish()
    }
  }

  @Test(arguments: fixtureVaults)
  func everyNoteOfAVaultOpensAndAgreesWithTheIndex(_ name: String) throws {
    let vault = try VaultCopy(name)
    let expected = try ExpectedVault.load(name)
    let report = try verify(vault, passphrase: expected.passphrase)
    #expect(report.level == .unlocked)
    #expect(
      report.findings.map(Reported.init)
        == (expected.findings + (expected.unlockedFindings ?? [])).sorted())
    #expect(!report.unchecked.contains(.contents))
  }

  @Test func aRefusedSecretLeavesTheKeylessReport() throws {
    let vault = try VaultCopy("conflict")
    let report = try verify(vault, passphrase: "not the passphrase")
    #expect(report.level == .keyless)
    #expect(report.unlockFailure == .secretRefused(notTried: 0))
    #expect(report.findings.map(\.code) == [.noteConflict])
    #expect(report.unchecked.contains(.contents))
  }
}
