import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing

@Suite struct SlotTests {
  static let cheap = KDFBounds(passphrase: 1...100_000_000, phrase: 1...100_000_000)

  /// A slot of the known vault under `secret`, with a cost of few iterations.
  static func slot(
    _ secret: String, iterations: UInt32 = 1, purpose: SlotPurpose = .passphrase,
    salt: UInt8 = 1, masterKey: UInt8 = 5, vault: VaultHeader
  ) throws -> KeySlot {
    let prepared = try SecretBytes(copying: Array(secret.utf8).span)
    let derived = try SlotSecret.derive(
      prepared: prepared, purpose: purpose, iterations: iterations, vaultID: vault.vaultID,
      vaultSalt: vault.vaultSalt)
    let terms = SlotTerms(
      purpose: purpose, iterations: iterations,
      slotSalt: Salt(UInt64(salt), 0, 0, 0), label: nil, hint: nil)
    let masterKey = try SecretBytes(
      copying: [UInt8](repeating: masterKey, count: 32).span)
    return try SlotSealing.wrap(
      masterKey: masterKey, derived: derived, vault: vault, terms: terms,
      nonce: Nonce(high: 1, low: 2), bounds: cheap)
  }

  /// What opening with `secret` gives: the slots in order, and the report.
  static func open(
    _ slots: [KeySlot], _ secret: String, purpose: SlotPurpose = .passphrase, vault: VaultHeader
  ) throws -> (opened: [KeySlot], report: SlotReport) {
    let prepared = try SecretBytes(copying: Array(secret.utf8).span)
    var opened: [KeySlot] = []
    let report = try SlotOpening.open(slots, of: vault, purpose: purpose, prepared: prepared) {
      opened.append($0.slot)
    }
    return (opened, report)
  }

  // MARK: - Known answers

  @Test func knownSlotsAreReproducedByteForByte() throws {
    let (vault, keys) = (try Known.header(), try Known.keys())
    let slots = try Known.slots().slots
    #expect(slots.count == 2)
    for (known, secret) in zip(slots, keys.secrets) {
      let derived = try SecretBytes(copying: secret.t.bytes.span)
      let masterKey = try SecretBytes(copying: keys.masterKey.bytes.span)
      let terms = SlotTerms(
        purpose: try #require(SlotPurpose(rawValue: known.purpose)),
        iterations: known.iterations,
        slotSalt: try Salt(copying: known.slotSalt.bytes.span), label: known.label,
        hint: known.hint)
      let slot = try SlotSealing.wrap(
        masterKey: masterKey, derived: derived, vault: vault, terms: terms,
        nonce: try Known.nonce(of: known.box.bytes), bounds: .standard)
      #expect(slot.encoded() == known.file.bytes)
      #expect(slot.head.locator.bytes == known.locator.bytes)
    }
  }

  @Test func knownSlotOpensToTheKnownMasterKey() throws {
    let (vault, keys) = (try Known.header(), try Known.keys())
    let slots = try Known.slots().slots.map {
      try KeySlot(decoding: $0.file.bytes.span, bounds: .standard)
    }
    let passphrase = try #require(keys.secrets.first).prepared.bytes
    let prepared = try SecretBytes(copying: passphrase.span)
    var masterKeys: [[UInt8]] = []
    let report = try SlotOpening.open(
      slots, of: vault, purpose: .passphrase, prepared: prepared
    ) { opened in
      masterKeys.append(opened.masterKey.exposed)
      #expect(opened.keys.compartmentID.bytes == keys.compartmentId.bytes)
    }
    #expect(masterKeys == [keys.masterKey.bytes])
    #expect(report.openedCount == 1)
  }

  // MARK: - Opening

  @Test func wrongSecretAndWrongPurposeOpenNothingAndDamageNothing() throws {
    let vault = try Known.header()
    let slots = [
      try Self.slot("a", vault: vault),
      try Self.slot("b", purpose: .phrase, vault: vault),
    ]
    for secret in ["c", "b"] {
      let report = try Self.open(slots, secret, vault: vault).report
      #expect(report.triedCount == 1)  // the one of that purpose
      #expect(report.openedCount == 0)
      #expect(report.damaged == [])
      #expect(report.notTried == [])
      #expect(report.otherVault == [])
      #expect(!report.isOnlyOtherVault)
    }
    #expect(try Self.open(slots, "b", purpose: .phrase, vault: vault).opened == [slots[1]])
    #expect(try Self.open([], "a", vault: vault).report == SlotReport())
  }

  @Test func oneSecretOpensSeveralSlotsAndEqualCopiesCountOnce() throws {
    let vault = try Known.header()
    let slots = [
      try Self.slot("a", iterations: 3, salt: 1, masterKey: 1, vault: vault),
      try Self.slot("a", iterations: 2, salt: 2, masterKey: 2, vault: vault),
      try Self.slot("b", iterations: 2, salt: 3, masterKey: 1, vault: vault),
    ]
    let (opened, report) = try Self.open(slots + slots, "a", vault: vault)
    #expect(opened == [slots[1], slots[0]])  // the cheaper one first
    #expect(report.openedCount == 2)
  }

  @Test func slotsOfAnotherVaultArePassedOver() throws {
    let vault = try Known.header()
    let other = try VaultHeader(
      vaultID: VaultID(high: 1, low: 2), vaultSalt: vault.vaultSalt,
      firstCompartment: vault.firstCompartment, laterKeys: LaterKeys())
    let salted = try VaultHeader(
      vaultID: vault.vaultID, vaultSalt: Salt(1, 2, 3, 4),
      firstCompartment: vault.firstCompartment, laterKeys: LaterKeys())
    let slots = [try Self.slot("a", vault: other), try Self.slot("a", vault: salted)]
    let (opened, report) = try Self.open(slots, "a", vault: vault)
    #expect(opened.isEmpty)
    #expect(report.otherVault == slots)
  }

  @Test func damagedCopyIsNamedAndTheOtherCopyOpens() throws {
    let vault = try Known.header()
    let slot = try Self.slot("a", vault: vault)
    for index in slot.box.indices {
      var box = slot.box
      box[index] ^= 1
      let damaged = try KeySlot(head: slot.head, box: box)
      let (opened, report) = try Self.open([damaged, slot], "a", vault: vault)
      #expect(opened == [slot])
      #expect(report.damaged == [damaged])
    }
  }

  @Test func slotThatNamesAnotherSignerOrCompartmentIsDamaged() throws {
    let vault = try Known.header()
    let slot = try Self.slot("a", vault: vault)
    let other = try Self.slot("a", masterKey: 6, vault: vault)
    let head = slot.head
    let swapped = try KeySlotHead(
      vaultID: head.vaultID, vaultSalt: head.vaultSalt, firstCompartment: head.firstCompartment,
      compartment: other.head.compartment, purpose: head.purpose, iterations: head.iterations,
      slotSalt: head.slotSalt, locator: head.locator, signer: other.head.signer, label: nil,
      hint: nil, laterKeys: LaterKeys(), bounds: Self.cheap)
    // Sealed anew with the right slot key, as only a holder of the secret can.
    let derived = try SlotSecret.derive(
      prepared: try SecretBytes(copying: Array("a".utf8).span), purpose: .passphrase,
      iterations: 1, vaultID: vault.vaultID, vaultSalt: vault.vaultSalt)
    let key = try SlotSecret.slotKey(
      derived, vaultID: vault.vaultID, slotSalt: head.slotSalt)
    var aead = try AEAD()
    try aead.setKey(key)
    let box = try SealedBox.seal(
      [UInt8](repeating: 5, count: 32).span, nonce: Nonce(high: 0, low: 0),
      label: Label.slot.bytes, context: swapped.prefix.span, with: &aead)
    let lying = try KeySlot(head: swapped, box: box)
    let (opened, report) = try Self.open([lying], "a", vault: vault)
    #expect(opened.isEmpty)
    #expect(report.damaged == [lying])
  }

  @Test func openedKeysOutliveTheCall() throws {
    let vault = try Known.header()
    let slot = try Self.slot("a", vault: vault)
    let prepared = try SecretBytes(copying: Array("a".utf8).span)
    let kept = KeptKeys()
    _ = try SlotOpening.open([slot], of: vault, purpose: .passphrase, prepared: prepared) {
      kept.keys = $0.intoKeys()
    }
    #expect(kept.keys?.signer == slot.head.signer)
  }

  /// A place for keys that live longer than the call that opened them.
  private final class KeptKeys {
    var keys: CompartmentKeys?
  }

  // MARK: - Caps

  @Test func onlyTheFourCheapestCountsAreTried() throws {
    let vault = try Known.header()
    let slots = try [5, 1, 4, 2, 3].map {
      try Self.slot("a", iterations: $0, salt: UInt8($0), vault: vault)
    }
    let (opened, report) = try Self.open(slots, "a", vault: vault)
    #expect(opened == [slots[1], slots[3], slots[4], slots[2]])
    #expect(report.notTried == [slots[0]])
  }

  @Test func countsThatPassTheSumAreNotTried() throws {
    let vault = try Known.header()
    let cheap = try Self.slot("a", iterations: 1, vault: vault)
    let head = cheap.head
    let dear = try [40_000_000, 39_999_999].map { iterations in
      try KeySlot(
        head: try KeySlotHead(
          vaultID: head.vaultID, vaultSalt: head.vaultSalt,
          firstCompartment: head.firstCompartment, compartment: head.compartment,
          purpose: head.purpose, iterations: iterations, slotSalt: head.slotSalt,
          locator: head.locator, signer: head.signer, label: nil, hint: nil,
          laterKeys: LaterKeys(), bounds: Self.cheap), box: cheap.box)
    }
    #expect(SlotOpening.affordable([40_000_000, 1, 39_999_999]) == [1, 39_999_999])
    let (opened, report) = try Self.open([dear[0], cheap], "a", vault: vault)
    #expect(opened == [cheap])
    #expect(report.notTried == [dear[0]])
  }

  @Test func termsOutsideTheBoundsAreRefused() throws {
    let vault = try Known.header()
    let secret = try SecretBytes(count: 64)
    let masterKey = try SecretBytes(count: 32)
    let terms = SlotTerms(
      purpose: .phrase, iterations: 799_999, slotSalt: Salt(0, 0, 0, 0), label: nil, hint: nil)
    #expect(
      throws: SealingError.format(
        .valueOutOfRange(
          field: "iterations", offset: 0, found: 799_999, allowed: 800_000...10_000_000))
    ) {
      try SlotSealing.wrap(
        masterKey: masterKey, derived: secret, vault: vault, terms: terms,
        nonce: Nonce(high: 0, low: 0), bounds: .standard)
    }
  }
}
