import Testing
import VaultFormat

@testable import VaultStore

extension TestVault {
  static let unwatched = PackWatch(isInterrupted: { false }, didHandle: { _ in })

  /// What `rekey` does after it has verified the vault: new slots for a passphrase and a phrase.
  @discardableResult
  func rekey(
    from old: String = passphrase, to new: String, phrase: String = otherPhrase,
    faults: FaultPlan? = nil, watch: PackWatch = unwatched, meanwhile: () throws -> Void = {}
  ) throws -> Rekeying.Outcome {
    let vault = try open(faults: faults)
    var session = try Self.session(vault)
    try session.removeLeftovers()
    let opened = try Self.openSlots(vault, session.snapshot, with: Self.secret(old))
    let unlocked = try opened.read(session.snapshot, of: vault)
    let rekeying = try Rekeying(unlocked, of: try #require(unlocked.compartments.first))
    let slots = [
      SlotRequest(try Self.key(of: Self.secret(new), in: vault), label: "desk", hint: nil),
      SlotRequest(
        try Self.key(of: Self.secret(phrase: phrase), in: vault), label: nil, hint: nil),
    ]
    try meanwhile()
    return try rekeying.run(in: session, slots: slots, watch: watch)
  }

  /// What `verify` finds, with the contents where a passphrase is given.
  func findings(unlockedBy passphrase: String? = nil, pins: [SignerKey] = []) throws -> [Finding] {
    let options = VerifyOptions(pins: pins, bounds: Self.bounds, workerCount: 1)
    let verification = try Verification(path: path, options: options)
    let opened = try passphrase.map { passphrase in
      try Self.openSlots(open(), snapshot(), with: Self.secret(passphrase))
    }
    let progress = VerifyProgress(begin: { _ in }, advance: { _ in }, isCancelled: { false })
    guard let opened else { return try verification.run(progress: progress, keys: nil).findings }
    return try verification.run(progress: progress) { opened }.findings
  }

  func codes(unlockedBy passphrase: String? = nil, pins: [SignerKey] = []) throws
    -> Set<Finding.Code>
  {
    Set(try findings(unlockedBy: passphrase, pins: pins).map(\.code))
  }

  /// The only signer of the vault.
  func signer() throws -> SignerKey {
    let compartments = try snapshot().compartments.values
    try #require(compartments.count == 1)
    return try #require(compartments.first).signer
  }
}
