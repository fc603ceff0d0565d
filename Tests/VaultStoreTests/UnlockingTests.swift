import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

/// Which slots open, and what is said of the others (spec §5.5).
@Suite struct UnlockingTests {
  private func unlock(
    _ vault: TestVault, with secret: consuming VaultSecret
  ) throws -> UnlockedVault {
    let folder = try vault.open()
    let snapshot = try Snapshot.load(folder, bounds: TestVault.bounds)
    return try Unlocking(snapshot.usableSlots, of: folder.header, with: secret).finish()
      .read(snapshot, of: folder)
  }

  private func slots(of vault: TestVault, _ purpose: SlotPurpose) throws -> [String] {
    let folder = try vault.open()
    return try Snapshot.load(folder, bounds: TestVault.bounds).slots
      .filter { $0.slot?.head.purpose == purpose }
      .map {
        let name = FileNameHex.name(of: $0.locator)
        return String(
          decoding: Layout.path($0.isSpare ? Layout.spare : Layout.index, name), as: UTF8.self)
      }
  }

  @Test func thePassphraseAndThePhraseOpenTheSameCompartment() throws {
    let vault = try TestVault()
    let first = try vault.open().header.firstCompartment
    let byPassphrase = try unlock(vault, with: TestVault.secret(TestVault.passphrase))
    let byPhrase = try unlock(vault, with: TestVault.secret(phrase: TestVault.phrase))
    for opened in [byPassphrase, byPhrase] {
      #expect(opened.compartments.map(\.index.compartment) == [first])
      #expect(opened.lockedCompartments == [])
      #expect(opened.findings == [])
    }
  }

  @Test(arguments: ["", "Correct horse", "correct horse\n", "correct  horse", TestVault.phrase])
  func anotherPassphraseIsRefused(text: String) throws {
    let vault = try TestVault()
    #expect(
      throws: text.isEmpty ? .passphraseUnusable(.empty) : StoreError.secretRefused(notTried: 0)
    ) {
      _ = try unlock(vault, with: TestVault.secret(text))
    }
  }

  @Test func aChangedSaltInVAULTIsNotCalledAWrongPassphrase() throws {
    let vault = try TestVault()
    var header = try vault.content("VAULT")
    header[50] ^= 1  // inside the vault salt
    try vault.put("VAULT", header)
    #expect(throws: StoreError.slotsOfAnotherVault) { _ = try vault.unlock() }
  }

  @Test(arguments: ["rm", "truncate -s 0", "truncate -s 90"])
  func aDamagedSlotIsNotCalledAWrongPassphrase(damage: String) throws {
    let vault = try TestVault()
    for slot in try slots(of: vault, .passphrase) { try vault.shell("\(damage) \(slot)") }
    if damage == "rm" { try vault.shell("rm index/*.slot spare/*.slot") }
    let snapshot = try vault.snapshot()
    #expect(!snapshot.unreadableSlots.isEmpty)
    let folder = try vault.open()
    let error = #expect(throws: StoreError.self) {
      _ = try Unlocking(
        snapshot.usableSlots, of: folder.header, with: TestVault.secret(TestVault.passphrase),
        unreadable: snapshot.unreadableSlots
      ).finish()
    }
    guard case .slotsUnreadable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func aLostIndexIsAFindingAndNotAnEmptyVault() throws {
    let vault = try TestVault()
    for file in try slots(of: vault, .passphrase) { #expect(!file.hasSuffix(".seg")) }
    try vault.shell("rm index/*.seg")
    let opened = try vault.unlock()
    #expect(opened.notes.isEmpty)
    #expect(opened.findings.map(\.code) == [.noIndex])
  }

  @Test func anotherPhraseIsRefused() throws {
    let vault = try TestVault()
    let other = String(repeating: "zoo ", count: 23) + "vote"
    #expect(throws: StoreError.phraseRefused(notTried: 0)) {
      _ = try unlock(vault, with: TestVault.secret(phrase: other))
    }
  }

  @Test func aSlotOfAnotherVaultWithTheSamePassphraseIsRefusedAndNamed() throws {
    let (vault, other) = try (TestVault(), TestVault())
    let own = try slots(of: vault, .passphrase)
    let foreign = try #require(try slots(of: other, .passphrase).first { $0.hasPrefix("index/") })
    for slot in own { try vault.remove(slot) }
    try vault.put(foreign, other.content(foreign))
    let snapshot = try vault.snapshot()
    #expect(snapshot.findings.map(\.code) == [.foreignVault])
    #expect(snapshot.findings.map(\.path) == [bytes(foreign)])
    #expect(snapshot.findings.first?.found == (try other.open().header.vaultID.hex))
    #expect(throws: StoreError.slotsOfAnotherVault) { _ = try vault.unlock() }
  }

  @Test func strayKeyFilesDoNotKeepTheProperOneFromOpening() throws {
    let (vault, other) = try (TestVault(), TestVault())
    let slot = try #require(try slots(of: vault, .passphrase).first { $0.hasPrefix("index/") })
    let foreign = try #require(try slots(of: other, .passphrase).first { $0.hasPrefix("index/") })
    let stray: [(name: String, content: [UInt8], code: Finding.Code)] = [
      ("index/" + String(repeating: "0", count: 64) + ".slot", [], .emptyFile),
      ("index/" + String(repeating: "f", count: 64) + ".slot", try vault.content(slot), .misnamed),
      (slot + ".bak", try vault.content(slot), .foreignFile),
      (foreign, try other.content(foreign), .foreignVault),
    ]
    for file in stray { try vault.put(file.name, file.content) }
    let found = try vault.snapshot().findings
    #expect(
      Set(found.map { "\($0.code) \(String(decoding: $0.path, as: UTF8.self))" })
        == Set(stray.map { "\($0.code) \($0.name)" }))
    #expect(found.count == stray.count)
    #expect(try vault.unlock().compartments.count == 1)
  }

  @Test func theSpareOpensWhereTheSlotIsGoneOrBroken() throws {
    for damage in ["rm $slot", ": > $slot", "printf x >> $slot"] {
      let vault = try TestVault()
      let slot = try #require(try slots(of: vault, .passphrase).first { $0.hasPrefix("index/") })
      try vault.shell("slot=\(slot); \(damage)")
      #expect(try vault.unlock().compartments.count == 1, "\(damage)")
    }
  }

  @Test func aSlotWhoseContentWasAlteredIsDamageAndNotAWrongSecret() throws {
    let vault = try TestVault()
    let slots = try slots(of: vault, .passphrase)
    for slot in slots {
      var content = try vault.content(slot)
      content[content.count - 1] ^= 1
      try vault.put(slot, content)
    }
    let index = try #require(slots.first { $0.hasPrefix("index/") })
    #expect(throws: StoreError.noteNotAsListed(path: bytes(index), .sealBroken)) {
      _ = try vault.unlock()
    }
    // Where the spare is whole, the vault opens and says so.
    let whole = try TestVault(copying: vault)
    let spare = try #require(slots.first { $0.hasPrefix("spare/") })
    var content = try whole.content(spare)
    content[content.count - 1] ^= 1
    try whole.put(spare, content)
    #expect(try whole.unlock().findings.map(\.code) == [.sealBroken])
  }

  @Test func aVaultWithoutIndexStillOpensAndHasNoNotes() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    try vault.shell("rm index/*.seg")
    let opened = try vault.unlock()
    #expect(opened.compartments.count == 1)
    #expect(opened.notes.isEmpty)
  }

  @Test func iterationsOutsideTheBoundsAreRefusedBeforeAnyDerivation() throws {
    let vault = try TestVault()
    let snapshot = try Snapshot.load(vault.open(), bounds: .standard)
    #expect(snapshot.usableSlots.isEmpty)
    #expect(snapshot.findings.map(\.code) == Array(repeating: .malformed, count: 4))
  }
}
