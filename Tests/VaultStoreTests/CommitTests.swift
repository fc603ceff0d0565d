import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A commit that goes through (spec §9).
@Suite struct CommitTests {
  @Test func aCommitPutsNewChangedAndDeletedNotesInPlaceAndLeavesNothingElse() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one"), .put("b", "two"), .put("c/d", "three")])
    #expect(try vault.texts() == ["a": "one", "b": "two", "c/d": "three"])
    try vault.commit([.put("a", "new"), .delete("b"), .move("c/d", to: "e"), .put("f", "")])
    #expect(try vault.texts() == ["a": "new", "e": "three", "f": ""])
    try expectSettled(vault)
  }
}
