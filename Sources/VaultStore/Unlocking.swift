package import VaultFormat
package import VaultSealing

/// Derives keys in a thread of its own, while the caller reads the vault (spec §5.5).
package struct Unlocking: ~Copyable {
  /// What the derivation gave.
  struct Opened: Sendable {
    let secrets: [CompartmentID: CompartmentSecret]
    /// The slot of each.
    let slots: [KeySlot]
    let report: SlotReport
  }

  private let task: BackgroundTask<Opened, StoreError>
  private let unreadable: [Finding]
  private let purpose: SlotPurpose

  /// Starts the derivation.
  /// - Parameters:
  ///   - unreadable: slots that could not be tried: where no other opens, the secret may still be right.
  ///   - keepingMasterKeys: for a command that makes slots; everything else wipes them at once.
  /// - Throws: `system` when the system gives no thread.
  package init(
    _ slots: [KeySlot], of vault: VaultHeader, with secret: consuming VaultSecret,
    unreadable: [Finding] = [], keepingMasterKeys: Bool = false
  ) throws(StoreError) {
    purpose = secret.purpose
    let held = HeldSecret(secret)
    self.unreadable = unreadable
    do {
      task = try BackgroundTask { () throws(StoreError) -> Opened in
        try Self.open(slots, of: vault, with: held, keepingMasterKeys)
      }
    } catch {
      throw .system(error, path: [])
    }
  }

  /// Waits for the keys.
  /// - Throws: `secretRefused` or `phraseRefused` when no slot has the secret's locator; `damaged` when one has it and does not open.
  package consuming func finish() throws(StoreError) -> OpenedSlots {
    let unreadable = self.unreadable
    let purpose = self.purpose
    let opened = try task.wait()
    if opened.secrets.isEmpty {
      if opened.report.isOnlyOtherVault { throw .slotsOfAnotherVault }
      if let slot = opened.report.damaged.first {
        let path = Layout.path(Layout.index, FileNameHex.name(of: slot.head.locator))
        throw .noteNotAsListed(path: path, .sealBroken)
      }
      if !unreadable.isEmpty { throw .slotsUnreadable(unreadable) }
      let notTried = opened.report.notTried.count
      throw purpose == .phrase
        ? .phraseRefused(notTried: notTried) : .secretRefused(notTried: notTried)
    }
    return OpenedSlots(secrets: opened.secrets, slots: opened.slots, report: opened.report)
  }

  private static func open(
    _ slots: [KeySlot], of vault: VaultHeader, with secret: HeldSecret,
    _ keepingMasterKeys: Bool
  ) throws(StoreError) -> Opened {
    var secrets: [CompartmentID: CompartmentSecret] = [:]
    var opened: [KeySlot] = []
    do {
      let report = try SlotOpening.open(
        slots, of: vault, purpose: secret.value.purpose, prepared: secret.value.prepared
      ) { slot in
        opened.append(slot.slot)
        let secret = slot.intoParts { keys, masterKey in
          CompartmentSecret(keys, masterKey: keepingMasterKeys ? MasterKey(masterKey) : nil)
        }
        secrets[secret.keys.compartmentID] = secret
      }
      return Opened(secrets: secrets, slots: opened, report: report)
    } catch {
      throw .sealing(error, path: Layout.index)
    }
  }
}

/// The compartments that a secret opened, before their notes are read.
package struct OpenedSlots: Sendable {
  package let secrets: [CompartmentID: CompartmentSecret]
  /// The slots that opened.
  package let slots: [KeySlot]
  package let report: SlotReport

  /// With the keys of compartments that were handed over to an opened one, where a merge brought segments of theirs back.
  private func withFormer(
    _ snapshot: Snapshot
  ) throws(StoreError) -> [CompartmentID: CompartmentSecret] {
    var all = secrets
    for (id, secret) in secrets {
      for segment in snapshot.compartments[id]?.live ?? [] {
        for former in segment.verified.file.head.predecessors {
          do throws(SealingError) {
            let keys = try CompartmentKeys(
              masterKey: try HandOver.masterKey(of: former, keys: secret.keys),
              vaultID: secret.keys.vaultID)
            let formerID = keys.compartmentID
            if snapshot.compartments[formerID] != nil, all[formerID] == nil {
              all[formerID] = CompartmentSecret(keys)
            }
          } catch {
            throw .sealing(error, path: Layout.path(Layout.index, Layout.segment(segment.id)))
          }
        }
      }
    }
    return all
  }

  /// Reads the notes of the opened compartments.
  /// - Throws: `crypto`, `sealing` for the library's own failures; what is wrong with the vault becomes findings.
  package func read(
    _ snapshot: Snapshot, of vault: VaultFolder
  ) throws(StoreError) -> UnlockedVault {
    var compartments: [UnlockedCompartment] = []
    var findings: [Finding] = []
    let secrets = try withFormer(snapshot)
    for (id, secret) in secrets.sorted(by: { $0.key < $1.key }) {
      if snapshot.compartments[id] == nil, snapshot.handOvers.closed[id] != nil {
        findings.append(
          Finding(
            .closedCompartment, Layout.index,
            "this vault was re-keyed, and the secret is one of before"))
        continue
      }
      if snapshot.compartments[id] == nil {
        findings.append(
          Finding(
            .noIndex, Layout.index,
            "the secret opens a compartment that has no valid segment: its notes cannot be listed"))
      }
      let index =
        snapshot.compartments[id]
        ?? CompartmentIndex(compartment: id, signer: secret.keys.signer, segments: [])
      let table = try NoteTable(index, keys: secret.keys) { NoteFiles.state(of: $0, in: vault) }
      findings += table.findings
      compartments.append(UnlockedCompartment(secret: secret, index: index, table: table))
    }
    for slot in report.damaged {
      findings.append(
        Finding(
          .sealBroken, Layout.path(Layout.index, FileNameHex.name(of: slot.head.locator)),
          "the secret fits this slot, but its content was altered or is damaged"))
    }
    for slot in report.notTried {
      findings.append(
        Finding(
          .slotPassedOver, Layout.path(Layout.index, FileNameHex.name(of: slot.head.locator)),
          "not tried: it would cost more derivations than one unlock may spend"))
    }
    return UnlockedVault(
      vault: vault, snapshot: snapshot, compartments: compartments,
      lockedCompartments: snapshot.compartments.keys.filter { secrets[$0] == nil }.sorted(),
      findings: findings)
  }
}
