import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What the commands that change slots do, each from the lock to the end.
extension TestVault {
  static let costs = VaultCreation.Costs(passphrase: 2, phrase: 3)
  /// Another 24 words whose checksum holds.
  static let otherPhrase = String(repeating: "zoo ", count: 23) + "vote"

  /// T of a new secret for this vault.
  static func key(of secret: consuming VaultSecret, in vault: VaultFolder) throws -> SlotKey {
    try SlotDerivation(of: secret, for: vault.header, costs: costs).finish()
  }

  /// What a secret opens, with the master keys.
  static func openSlots(
    _ vault: VaultFolder, _ snapshot: Snapshot, with secret: consuming VaultSecret
  ) throws -> OpenedSlots {
    try Unlocking(
      snapshot.usableSlots, of: vault.header, with: secret, keepingMasterKeys: true
    ).finish()
  }

  /// A change of the slots of the first compartment, by its passphrase or phrase.
  /// - Parameter change: what to add and to end; it is given the slot that the secret opened.
  func changeSlots(
    with secret: consuming VaultSecret, faults: FaultPlan? = nil,
    _ change: (inout SlotChange, KeySlot, VaultFolder) throws -> Void
  ) throws -> SlotChange.Outcome {
    let vault = try open(faults: faults)
    var session = try WriterSession(
      forSlotsOf: vault, bounds: Self.bounds, waitingSeconds: 30)
    try session.removeLeftovers()
    let opened = try Self.openSlots(vault, session.snapshot, with: secret)
    let slot = try #require(opened.slots.first)
    let keys = try #require(opened.secrets[slot.head.compartment])
    var changes = SlotChange(of: keys, openedBy: opened.slots)
    try change(&changes, slot, vault)
    return try changes.commit(in: session)
  }

  /// What `rewrap` does.
  @discardableResult
  func rewrap(
    from old: String = passphrase, to new: String, faults: FaultPlan? = nil
  ) throws -> SlotChange.Outcome {
    try changeSlots(with: Self.secret(old), faults: faults) { change, slot, vault in
      let key = try Self.key(of: Self.secret(new), in: vault)
      change.add(SlotRequest(key, label: nil, hint: nil))
      change.end(slot.head.locator)
    }
  }

  /// What `reset` does.
  @discardableResult
  func reset(
    to passphrase: String, phrase: String, faults: FaultPlan? = nil
  ) throws -> CompartmentID {
    let vault = try open(faults: faults)
    var session = try WriterSession(
      forSlotsOf: vault, bounds: Self.bounds, waitingSeconds: 30)
    try session.removeLeftovers()
    let keys = (
      try Self.key(of: Self.secret(passphrase), in: vault),
      try Self.key(of: Self.secret(phrase: phrase), in: vault)
    )
    let creation = try CompartmentCreation(
      in: vault, passphrase: SlotRequest(keys.0, label: nil, hint: nil),
      phrase: SlotRequest(keys.1, label: nil, hint: nil), bounds: Self.bounds)
    _ = try creation.commit(in: session)
    return creation.compartment
  }

  /// The shown paths that a passphrase opens.
  func opens(_ passphrase: String) throws -> [String] {
    try paths(openedBy: Self.secret(passphrase))
  }

  func opensByPhrase(_ phrase: String = phrase) throws -> [String] {
    try paths(openedBy: Self.secret(phrase: phrase))
  }

  private func paths(openedBy secret: consuming VaultSecret) throws -> [String] {
    let vault = try open()
    let snapshot = try Snapshot.load(vault, bounds: Self.bounds)
    return try Self.openSlots(vault, snapshot, with: secret).read(snapshot, of: vault).notes
      .map { String(decoding: $0.shownPath, as: UTF8.self) }
  }
}
