import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// A vault whose notes move into a new compartment (spec §7.5).
@Suite struct RekeyingTests {
  static let before = ["a": "one", "b/c": "two", "d": String(repeating: "three ", count: 20_000)]

  static func vault() throws -> TestVault {
    let vault = try TestVault()
    try vault.commit(before.sorted { $0.key < $1.key }.map { .put($0.key, $0.value) })
    return vault
  }

  @Test func allNotesComeOverAndTheOldSecretsEnd() throws {
    let vault = try Self.vault()
    try vault.commit([.move("a", to: "renamed"), .delete("b/c")])
    let (signer, ids) = (try vault.signer(), Set(try vault.sealedFiles().keys))
    let outcome = try vault.rekey(to: "new")
    #expect(outcome.unfinished == nil)
    #expect(outcome.noteCount == 2)
    #expect(outcome.formerSigner == signer)
    #expect(try vault.signer() == outcome.signer)
    #expect(outcome.signer != signer)
    #expect(try vault.opens("new") == ["d", "renamed"])
    #expect(try vault.opensByPhrase(TestVault.otherPhrase) == ["d", "renamed"])
    #expect(throws: StoreError.secretRefused(notTried: 0)) {
      try vault.opens(TestVault.passphrase)
    }
    #expect(throws: StoreError.phraseRefused(notTried: 0)) { try vault.opensByPhrase() }
    let newIDs = Set(try vault.sealedFiles().keys)
    #expect(newIDs.count == 2)
    #expect(newIDs.isDisjoint(with: ids))
    #expect(try vault.names("index")?.count == 3)
    #expect(try vault.names("spare")?.count == 2)
    #expect(try vault.findings(unlockedBy: "new").isEmpty)
    #expect(try vault.findings(pins: [outcome.signer]).isEmpty)
    try expectSettled(vault)
  }

  @Test func contentsStayByteForByte() throws {
    let vault = try Self.vault()
    // Longer than one run of chunks, and not a multiple of anything.
    let large = String(repeating: "0123456789abcde\n", count: 90_000) + "end"
    try vault.commit([.put("large", large)])
    try vault.rekey(to: TestVault.passphrase)
    #expect(try vault.texts() == Self.before.merging(["large": large]) { $1 })
    // The vault is worked on as before.
    try vault.commit([.put("a", "changed"), .put("new", "more")])
    #expect(try vault.texts()["a"] == "changed")
    #expect(try vault.findings(unlockedBy: TestVault.passphrase).isEmpty)
  }

  @Test func aPinOfTheOldSignerSeesTheHandOver() throws {
    let vault = try Self.vault()
    let first = try vault.rekey(to: "second")
    let found = try vault.findings(pins: [first.formerSigner])
    #expect(found.map(\.code) == [.handedOver])
    #expect(found.first?.expected == first.formerSigner.hex)
    #expect(found.first?.found == first.signer.hex)
    // A second time: the first signer still leads to the present one.
    let second = try vault.rekey(from: "second", to: "third", phrase: TestVault.phrase)
    for pin in [first.formerSigner, first.signer] {
      let found = try vault.findings(pins: [pin])
      #expect(found.map(\.code) == [.handedOver])
      #expect(found.first?.found == second.signer.hex)
    }
    #expect(try vault.findings(pins: [second.signer]).isEmpty)
    #expect(try vault.codes(pins: [SignerKey(1, 2, 3, 4)]) == [.signerAbsent, .signerUnpinned])
    #expect(try vault.opens("third").count == 3)
  }

  @Test func theNewOwnerHasTheFormerKeys() throws {
    let vault = try Self.vault()
    let first = try vault.rekey(to: "second")
    try vault.rekey(from: "second", to: "third", phrase: TestVault.phrase)
    let folder = try vault.open()
    let opened = try TestVault.openSlots(folder, vault.snapshot(), with: TestVault.secret("third"))
    let secret = try #require(opened.secrets.values.first)
    let segment = try #require(
      vault.snapshot().compartments.values.first?.live.first {
        $0.verified.file.head.isHandOver
      })
    let formers = segment.verified.file.head.predecessors
    #expect(formers.map(\.signer) == [first.formerSigner, first.signer])
    for former in formers {
      let masterKey = try HandOver.masterKey(of: former, keys: secret.keys)
      let old = try CompartmentKeys(masterKey: masterKey, vaultID: secret.keys.vaultID)
      #expect(old.signer == former.signer)
    }
  }

  @Test func aHandOverIsNeverCompacted() throws {
    let vault = try Self.vault()
    try vault.rekey(to: TestVault.passphrase)
    for number in 0..<40 { try vault.commit([.put("n\(number)", "text")]) }
    let opened = try TestVault.openSlots(
      vault.open(), vault.snapshot(), with: TestVault.secret(TestVault.passphrase))
    let merged: Int
    do {
      var session = try TestVault.session(vault.open())
      merged = try Compaction.run(&session, secret: try #require(opened.secrets.values.first))
    }
    #expect(merged > 16)
    let index = try #require(vault.snapshot().compartments.values.first)
    #expect(index.live.count { $0.verified.file.head.isHandOver } == 1)
    #expect(try vault.findings().isEmpty)
  }

  @Test func anInterruptedRunLeavesNothing() throws {
    let vault = try Self.vault()
    let names = try vault.names("index")
    #expect(throws: StoreError.interrupted) {
      try vault.rekey(
        to: "new", watch: PackWatch(isInterrupted: { true }, didHandle: { _ in }))
    }
    #expect(try vault.names("index") == names)
    #expect(try vault.names("staging") == nil)
    #expect(try vault.findings().isEmpty)
  }

  @Test func aDamagedNoteStopsItBeforeAnyChange() throws {
    let vault = try Self.vault()
    let note = try #require(vault.unlock().note(at: bytes("d")))
    let name = String(decoding: Layout.notePath(note.id), as: UTF8.self)
    var content = try vault.content(name)
    content[content.count / 2] ^= 1
    try vault.put(name, content)
    let names = try vault.names("index")
    #expect(throws: StoreError.self) { try vault.rekey(to: "new") }
    #expect(try vault.names("index") == names)
    #expect(try vault.names("staging") == nil)
    #expect(try vault.codes() == [.noteChanged])
  }
}
