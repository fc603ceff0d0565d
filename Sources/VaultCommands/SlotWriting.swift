import VaultFormat
import VaultStore

/// Carries out changes of slots, and says what came of them; all commands that change slots share it.
struct SlotWriting {
  let vault: VaultFolder
  let console: Console

  /// A new passphrase's slot takes the place of each slot that ends, and keeps its label; it is added where none ends.
  func replace(
    _ replacement: (SlotListing, OpenedSlots) throws(CommandError) -> SlotReplacement,
    with key: SlotKey,
    _ texts: SlotTexts?, openedBy opened: OpenedSlots, in session: consuming WriterSession?
  ) throws(CommandError) -> Result {
    var plan: SlotReplacement?
    let outcomes = try commit(opened, in: session) { listing, opened throws(CommandError) in
      let found = try replacement(listing, opened)
      if let label = texts?.label { try requireFree(label, listing, found.ended) }
      plan = found
      return found.ended.mapValues { ended in
        let labels = ended.isEmpty ? [nil] : ended.map { $0.head?.label }
        // One phrase needs one slot; a passphrase keeps the label of each that it replaces.
        let kept = key.purpose == .phrase ? Array(labels.prefix(1)) : labels
        return Changes(
          added: kept.map {
            SlotRequest(key, label: texts?.label ?? $0, hint: texts?.hint)
          }, ended: ended.map(\.locator))
      }
    }
    return Result(outcomes: outcomes, replacement: plan)
  }

  /// A label tells slots apart, so no other slot of a compartment may have it that stays.
  private func requireFree(
    _ label: String, _ listing: SlotListing, _ ended: [CompartmentID: [SlotEntry]]
  ) throws(CommandError) {
    for (compartment, ended) in ended.sorted(by: { $0.key < $1.key }) {
      let namesakes = listing.entries.filter { entry in
        entry.compartment == compartment && entry.head?.label == label
          && !ended.contains { $0.locator == entry.locator }
      }
      guard namesakes.isEmpty else {
        throw SlotListing.refusal("there is a slot with this label", namesakes)
      }
    }
  }

  /// What was done, for the command to say.
  struct Result {
    let outcomes: [SlotChange.Outcome]
    let replacement: SlotReplacement?

    /// Whether a new slot stands in a compartment that has no valid segment.
    var isUnlisted: Bool { outcomes.contains { !$0.isListed } }
    /// All slots that ended.
    var ended: [SlotEntry] {
      isUnlisted ? [] : replacement.map { $0.ended.values.flatMap(\.self) } ?? []
    }
  }

  /// What comes and goes in one compartment.
  struct Changes {
    let added: [SlotRequest]
    let ended: [Locator]
  }

  /// Locks the vault, decides on the slots as they are then, and makes the changes, a compartment after the other.
  ///
  /// - Parameters:
  ///   - session: where the vault was locked already.
  ///   - decide: is given what was opened but for compartments that ended; throws before anything is written.
  /// - Throws: what the store refuses; then this compartment is as it was.
  func commit(
    _ opened: OpenedSlots, in session: consuming WriterSession?,
    decide: (SlotListing, OpenedSlots) throws(CommandError) -> [CompartmentID: Changes]
  ) throws(CommandError) -> [SlotChange.Outcome] {
    var session = try begin(session)
    let gone: Set<Locator>
    do { gone = try session.removeLeftovers() } catch { throw .store(error) }
    guard let left = opened.without(gone) else {
      throw .refused(
        "the secret is of a run that stopped before its end; what that run left was removed now",
        .secretRefused, hint: "the passphrases and phrases of before still count")
    }
    let opened = try current(left, in: session.snapshot)
    let all = try decide(SlotListing(session.snapshot), opened)
    var outcomes: [SlotChange.Outcome] = []
    for (compartment, changes) in all.sorted(by: { $0.key < $1.key }) {
      guard let secret = opened.secrets[compartment] else { continue }
      var change = SlotChange(of: secret, openedBy: opened.slots)
      for request in changes.added { change.add(request) }
      for locator in changes.ended { change.end(locator) }
      do {
        if !outcomes.isEmpty { try session.refresh() }
        outcomes.append(try change.commit(in: session))
      } catch {
        throw .store(error)
      }
    }
    report(outcomes)
    return outcomes
  }

  /// What was opened but for compartments that ended, which get no slot any more.
  func current(
    _ opened: OpenedSlots, in snapshot: Snapshot
  ) throws(CommandError) -> OpenedSlots {
    let current: OpenedSlots
    do { current = try opened.withoutClosed(in: snapshot) } catch { throw .store(error) }
    for finding in opened.closedFindings(in: snapshot) {
      console.warn("\(DisplayName(finding.path)): \(finding.code.rawValue): \(finding.message)")
    }
    return current
  }

  /// Makes a new compartment.
  func commit(_ creation: CompartmentCreation) throws(CommandError) {
    var session = try begin(nil)
    do {
      try session.removeLeftovers()
      report([try creation.commit(in: session)])
    } catch {
      throw .store(error)
    }
  }

  /// Locks the vault and reads its index, of the notes only as much as this needs.
  func open() throws(CommandError) -> WriterSession {
    do { return try WriterSession(forSlotsOf: vault, bounds: .standard, waitingSeconds: 0) } catch {
      throw .store(error)
    }
  }

  private func begin(_ opened: consuming WriterSession?) throws(CommandError) -> WriterSession {
    if let opened = consume opened { return opened }
    return try open()
  }

  private func report(_ outcomes: [SlotChange.Outcome]) {
    for case let error? in outcomes.map(\.unfinished) {
      console.warn("done, but not tidied up: \(error.text); the next command that writes does it")
    }
  }
}

// MARK: - What has to be said

extension SlotWriting {
  /// That ended slots live on in copies: one line.
  func sayWhatCopiesOpen(_ kind: String) {
    let history =
      switch GitHistory.earlierSlots(of: vault) {
      case .success(1): "; git's history holds 1 earlier slot"
      case .success(let count): "; git's history holds \(count) earlier slots"
      case .failure(.noRepository): ""
      case .failure(let reason):
        "; how many earlier slots git's history holds is not known (\(reason))"
      }
    console.note(
      "old copies of the vault still open with the \(kind)\(history); 'vaulttool rekey' is the stronger step"
    )
  }

  /// That a hint went with its passphrase.
  func sayWhichHintWent(_ ended: [SlotEntry], _ texts: SlotTexts) {
    if texts.hint == nil, ended.contains(where: { $0.head?.hint != nil }) {
      console.note("the hint of the old passphrase is gone too; --hint sets a new one")
    }
  }

  /// What comes next where there is no index to list the new slot.
  func sayThatTheIndexIsLost() {
    console.warn(
      "the vault's index is lost: the new secret opens the vault, but its notes cannot be listed")
    console.hint(
      "'vaulttool salvage' brings the notes back into a folder; 'vaulttool verify --repair --unlock' "
        + "makes the index again")
  }
}
