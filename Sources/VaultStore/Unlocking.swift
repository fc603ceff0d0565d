package import VaultFormat
package import VaultSealing

/// Derives keys in threads of their own, while the caller reads the vault (spec §5.5).
package struct Unlocking: ~Copyable {
  /// What one secret gave.
  private typealias Outcome = Result<OpenedSlots, StoreError>

  private let task: BackgroundTask<[Outcome], StoreError>
  private let secrets: [HeldSecret]
  private let unreadable: [Finding]

  /// Starts the derivation for one secret.
  /// - Parameters:
  ///   - unreadable: slots that could not be tried: where no other opens, the secret may still be right.
  ///   - keepingMasterKeys: for a command that makes slots; everything else wipes them at once.
  /// - Throws: `system` when the system gives no thread.
  package init(
    _ slots: [KeySlot], of vault: VaultHeader, with secret: consuming VaultSecret,
    unreadable: [Finding] = [], keepingMasterKeys: Bool = false
  ) throws(StoreError) {
    try self.init(
      slots, of: vault, with: [HeldSecret(secret)], unreadable: unreadable,
      keepingMasterKeys: keepingMasterKeys)
  }

  /// Starts the derivations for several secrets, side by side. There is at least one.
  /// - Parameters:
  ///   - unreadable: slots that could not be tried: where no other opens, the secret may still be right.
  ///   - keepingMasterKeys: for a command that makes slots; everything else wipes them at once.
  /// - Throws: `system` when the system gives no thread.
  package init(
    _ slots: [KeySlot], of vault: VaultHeader, with secrets: [HeldSecret],
    unreadable: [Finding] = [], keepingMasterKeys: Bool = false
  ) throws(StoreError) {
    precondition(!secrets.isEmpty, "a vault is opened with a secret")
    do {
      task = try BackgroundTask { () throws(StoreError) -> [Outcome] in
        try Self.open(slots, of: vault, with: secrets, keepingMasterKeys)
      }
    } catch {
      throw .system(error, path: [])
    }
    self.secrets = secrets
    self.unreadable = unreadable
  }

  /// Waits for the keys of all secrets together.
  /// - Throws: `secretRefused` or `phraseRefused` when no slot has a secret's locator; `noteNotAsListed` when one has it
  ///   and does not open; each in `ofSecret` where there are several.
  package consuming func finish() throws(StoreError) -> OpenedSlots {
    let nothing = OpenedSlots(secrets: [:], slots: [], report: SlotReport())
    return try finishEach().reduce(nothing) { $0.joined(with: $1.opened) }
  }

  /// The same for each secret by itself, for whoever has to know which slot each opened.
  package consuming func finishEach() throws(StoreError) -> [(
    secret: HeldSecret, opened: OpenedSlots
  )] {
    let (unreadable, secrets) = (self.unreadable, self.secrets)
    let outcomes = try task.wait()
    var all: [(secret: HeldSecret, opened: OpenedSlots)] = []
    for (secret, outcome) in zip(secrets, outcomes) {
      do {
        let opened = try outcome.get()
        try opened.check(secret.value.purpose, unreadable)
        all.append((secret, opened))
      } catch {
        if let origin = secret.origin, secrets.count > 1 {
          throw .ofSecret(origin: origin, error)
        }
        throw error
      }
    }
    return all
  }

  private static func open(
    _ slots: [KeySlot], of vault: VaultHeader, with secrets: [HeldSecret],
    _ keepingMasterKeys: Bool
  ) throws(StoreError) -> [Outcome] {
    let queue = WorkQueue(count: secrets.count)
    let outcomes = Monitor(
      [Outcome](
        repeating: .failure(.secretRefused(notTried: 0)), count: secrets.count))
    do {
      try Workers.run(count: min(secrets.count, max(2, Processors.count))) { _ in
        while let position = queue.next() {
          let outcome = open(slots, of: vault, with: secrets[position], keepingMasterKeys)
          outcomes.change { $0[position] = outcome }
        }
      }
    } catch {
      throw .system(error, path: [])
    }
    return outcomes.change { $0 }
  }

  private static func open(
    _ slots: [KeySlot], of vault: VaultHeader, with secret: HeldSecret,
    _ keepingMasterKeys: Bool
  ) -> Outcome {
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
      return .success(OpenedSlots(secrets: secrets, slots: opened, report: report))
    } catch {
      return .failure(.sealing(error, path: Layout.index))
    }
  }
}

/// The compartments that the secrets opened, before their notes are read.
package struct OpenedSlots: Sendable {
  package let secrets: [CompartmentID: CompartmentSecret]
  /// The slots that opened.
  package let slots: [KeySlot]
  package let report: SlotReport

  /// What two secrets opened together; a compartment that both open counts once.
  package func joined(with other: OpenedSlots) -> OpenedSlots {
    var report = report
    report.join(other.report)
    return OpenedSlots(
      secrets: secrets.merging(other.secrets) { first, _ in first },
      slots: slots + other.slots.filter { !slots.contains($0) }, report: report)
  }

  /// Says why one secret opened nothing.
  fileprivate func check(
    _ purpose: SlotPurpose, _ unreadable: [Finding]
  ) throws(StoreError) {
    guard secrets.isEmpty else { return }
    if report.isOnlyOtherVault { throw .slotsOfAnotherVault }
    if let slot = report.damaged.first {
      let path = Layout.path(Layout.index, FileNameHex.name(of: slot.head.locator))
      throw .noteNotAsListed(path: path, .sealBroken)
    }
    if !unreadable.isEmpty { throw .slotsUnreadable(unreadable) }
    let notTried = report.notTried.count
    throw purpose == .phrase
      ? .phraseRefused(notTried: notTried) : .secretRefused(notTried: notTried)
  }

  /// With the keys of compartments that were handed over to an opened one.
  /// - Parameter isWanted: asked for each of them; where a merge brought segments of theirs back, or of the past.
  func withFormer(
    _ snapshot: Snapshot, where isWanted: (CompartmentID) -> Bool
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
            if isWanted(formerID), all[formerID] == nil {
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
    let secrets = try withFormer(snapshot) { snapshot.compartments[$0] != nil }
    for (id, secret) in secrets.sorted(by: { $0.key < $1.key }) {
      findings += snapshot.closedFindings([id])
      if snapshot.compartments[id] == nil, snapshot.isClosed(id) { continue }
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
      openedSlots: Set(slots.map(\.head.locator)), findings: findings)
  }
}
