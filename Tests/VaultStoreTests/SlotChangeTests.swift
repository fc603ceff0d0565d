import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Slots come and go; the master key and the notes stay (spec §9.1).
@Suite struct SlotChangeTests {
  @Test func aNewPassphraseTakesThePlaceOfTheOld() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let before = try (vault.sealedFiles(), vault.names("index")?.count)
    let outcome = try vault.rewrap(to: "another horse")
    #expect(outcome.isListed)
    #expect(outcome.unfinished == nil)
    #expect(try vault.opens("another horse") == ["a"])
    #expect(throws: StoreError.secretRefused(notTried: 0)) {
      _ = try vault.opens(TestVault.passphrase)
    }
    #expect(try vault.opensByPhrase() == ["a"])
    #expect(try vault.sealedFiles() == before.0, "no note is touched")
    #expect(try vault.names("index")?.count == before.1.map { $0 + 1 }, "one segment more")
    try expectSettled(vault)
  }

  @Test func aResetMakesACompartmentBesideTheOld() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let made = try vault.reset(to: "fresh start", phrase: TestVault.otherPhrase)
    #expect(try vault.opens("fresh start") == [])
    #expect(try vault.opens(TestVault.passphrase) == ["a"])
    let snapshot = try vault.snapshot()
    #expect(snapshot.compartments.count == 2)
    #expect(snapshot.compartments[made]?.slots.count == 2)
    try expectSettled(vault)
  }
}
