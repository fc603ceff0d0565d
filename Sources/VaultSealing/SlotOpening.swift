package import VaultCrypto
package import VaultFormat

/// A slot that the secret opened.
package struct OpenedSlot: ~Copyable, Sendable {
  /// The slot, as it was given.
  package let slot: KeySlot
  /// The master key, for wrapping it again; drop it where that is not wanted.
  package let masterKey: SecretBytes
  /// What follows from the master key. Its ids were compared with the slot's.
  package let keys: CompartmentKeys
}

/// What became of the slots that the secret did not open (spec §5.5).
package struct SlotReport: Hashable, Sendable {
  /// Slots with another vault id or salt: they belong to another vault.
  package internal(set) var otherVault: [KeySlot] = []
  /// Slots whose iterations would have passed the caps of one unlock.
  package internal(set) var notTried: [KeySlot] = []
  /// Slots that the secret recognises and that do not hold what they should.
  package internal(set) var damaged: [KeySlot] = []
  /// Slots of this vault that were tried.
  package internal(set) var triedCount = 0
  /// How many slots were opened. None and none damaged: the secret does not open this vault.
  package internal(set) var openedCount = 0

  /// The report of an opening that met nothing to report.
  package init() {}

  /// Adds what became of the slots with another secret. A slot that one of the two opened is not counted out here.
  package mutating func join(_ other: SlotReport) {
    otherVault += other.otherVault.filter { !otherVault.contains($0) }
    notTried += other.notTried.filter { !notTried.contains($0) }
    damaged += other.damaged.filter { !damaged.contains($0) }
    triedCount += other.triedCount
    openedCount += other.openedCount
  }
}

extension SlotReport {
  /// Whether there were slots, and each names another vault.
  package var isOnlyOtherVault: Bool {
    triedCount == 0 && notTried.isEmpty && !otherVault.isEmpty
  }
}

/// Tries a secret on the slots of a vault (spec §5.5, steps 1 to 5).
package enum SlotOpening {
  /// Opens every slot of one purpose that `prepared` fits, cheapest iteration count first.
  ///
  /// - Parameters:
  ///   - slots: all that could be decoded, of `index/` and `spare/`, in any order. Equal ones count
  ///     once; copies that differ are each tried.
  ///   - prepared: the prepared passphrase or phrase.
  ///   - deliver: receives each opened slot; several may be of one compartment.
  /// - Throws: `crypto`. That no slot fits is a result, not an error.
  package static func open(
    _ slots: [KeySlot], of vault: VaultHeader, purpose: SlotPurpose,
    prepared: borrowing SecretBytes, deliver: (consuming OpenedSlot) -> Void
  ) throws(SealingError) -> SlotReport {
    var report = SlotReport()
    var groups: [UInt32: [KeySlot]] = [:]
    var seen: Set<KeySlot> = []
    for slot in slots where slot.head.purpose == purpose && seen.insert(slot).inserted {
      if slot.head.vaultID == vault.vaultID, slot.head.vaultSalt == vault.vaultSalt {
        groups[slot.head.iterations, default: []].append(slot)
      } else {
        report.otherVault.append(slot)
      }
    }
    let affordable = affordable(groups.keys)
    for (iterations, group) in groups.sorted(by: { $0.key < $1.key }) {
      guard affordable.contains(iterations) else {
        report.notTried += group
        continue
      }
      let derived = try SlotSecret.derive(
        prepared: prepared, purpose: purpose, iterations: iterations, vaultID: vault.vaultID,
        vaultSalt: vault.vaultSalt)
      for slot in group {
        report.triedCount += 1
        switch try attempt(slot, derived) {
        case .notThisSecret: break
        case .damaged: report.damaged.append(slot)
        case .opened(let opened):
          report.openedCount += 1
          deliver(opened)
        }
      }
    }
    return report
  }

  /// The iteration counts that one unlock may spend: the cheapest 4, together at most 40,000,000.
  static func affordable(_ counts: some Sequence<UInt32>) -> Set<UInt32> {
    var sum: UInt64 = 0
    let cheapest = counts.sorted().prefix(Limits.iterationCountsPerPurpose)
    return Set(
      cheapest.prefix { count in
        sum += UInt64(count)
        return sum <= Limits.iterationsPerUnlock
      })
  }

  /// The outcome for one slot and one T.
  enum Attempt: ~Copyable {
    case notThisSecret
    case damaged
    case opened(OpenedSlot)
  }

  /// Compares the locator, opens the box and compares what follows from the master key.
  static func attempt(
    _ slot: KeySlot, _ derived: borrowing SecretBytes
  ) throws(SealingError) -> Attempt {
    let head = slot.head
    let locator = try lifting(SealingError.crypto) { () throws(CryptoError) in
      try SlotSecret.locator(derived, vaultID: head.vaultID, slotSalt: head.slotSalt)
    }
    guard areEqualInConstantTime(locator, head.locator) else { return .notThisSecret }
    guard let masterKey = try masterKey(of: slot, derived) else { return .damaged }
    let keys = try CompartmentKeys(masterKey: masterKey, vaultID: head.vaultID)
    guard keys.signer == head.signer, keys.compartmentID == head.compartment else {
      return .damaged
    }
    return .opened(OpenedSlot(slot: slot, masterKey: masterKey, keys: keys))
  }

  /// The content of the box; nil if it does not authenticate.
  private static func masterKey(
    of slot: KeySlot, _ derived: borrowing SecretBytes
  ) throws(SealingError) -> SecretBytes? {
    do throws(CryptoError) {
      let key = try SlotSecret.slotKey(
        derived, vaultID: slot.head.vaultID, slotSalt: slot.head.slotSalt)
      var aead = try AEAD()
      try aead.setKey(key)
      var masterKey = try SecretBytes(count: Limits.masterKeyByteCount)
      try masterKey.withMutableBytes { output throws(CryptoError) in
        try SealedBox.open(
          slot.box.span, label: Label.slot.bytes, context: slot.head.prefix.span, with: &aead,
          into: &output)
      }
      return masterKey
    } catch .authenticationFailed {
      return nil
    } catch {
      throw .crypto(error)
    }
  }
}

extension OpenedSlot {
  /// Keeps the keys and wipes the master key.
  package consuming func intoKeys() -> CompartmentKeys { keys }

  /// Hands over the keys and the master key, for a caller that wraps it again.
  package consuming func intoParts<Result>(
    _ take: (consuming CompartmentKeys, consuming SecretBytes) -> Result
  ) -> Result { take(keys, masterKey) }
}
