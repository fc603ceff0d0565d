import VaultFormat
package import VaultStore

/// One run of `pack`, from the arguments to what came of it.
package struct PackRun {
  private let request: PackRequest
  private let source: SourceFolder
  private let console: Console
  private let progress: Progress
  private let watch: PackWatch

  package init(_ request: PackRequest, _ source: SourceFolder, _ console: Console) {
    self.request = request
    self.source = source
    self.console = console
    let progress = Progress(on: console, label: "packing", unit: .bytes)
    self.progress = progress
    watch = PackWatch(
      isInterrupted: { Interruption.isRequested }, didHandle: { progress.advance(by: $0) })
  }

  /// What a dry run says where there is no vault yet.
  package func withoutVault() throws(CommandError) -> PackOutcome {
    do { return PackOutcome(adding: try scan(passingOver: nil)) } catch { throw .store(error) }
  }

  /// Packs into a vault that is there.
  /// - Parameter opened: for a vault that was just made.
  package func run(
    on vault: VaultFolder, opened: OpenedSlots? = nil
  ) throws(CommandError) -> PackOutcome {
    defer { progress.finish() }
    if request.isDryRun {
      let snapshot: Snapshot
      do { snapshot = try Snapshot.load(vault, bounds: .standard) } catch { throw .store(error) }
      let (packing, decision, _) = try prepare(vault, snapshot, opened)
      if let doubt = decision.doubt { say(doubt) }
      return packing.outcome(of: decision)
    }
    var session: WriterSession
    do {
      session = try WriterSession(vault, bounds: .standard, waitingSeconds: 0)
    } catch {
      throw .store(error)
    }
    let (packing, decision, ahead) = try prepare(vault, session.snapshot, opened)
    if let doubt = decision.doubt, !request.answersYes { try ask(about: doubt) }
    progress.update(done: 0, total: packing.byteCount(of: decision))
    do {
      try session.removeLeftovers()
      let outcome = try packing.carryOut(decision, in: &session, ahead: ahead)
      if !outcome.segments.isEmpty { try compact(&session, packing.vault) }
      return outcome
    } catch {
      throw .store(error)
    }
  }

  /// Walks the source and, for an empty vault, reads ahead, while the key is derived; then compares.
  private func prepare(
    _ vault: VaultFolder, _ snapshot: Snapshot, _ opened: OpenedSlots?
  ) throws(CommandError) -> (Packing, PackDecision, PackReadAhead.Contents?) {
    do { try PackSoundness.checkIndex(snapshot) } catch { throw .store(error) }
    let pending: VaultAccess.Pending =
      if let opened { .opened(opened) } else {
        try VaultAccess.begin(vault, snapshot, request.secrets, console)
      }
    do {
      let scan = try scan(passingOver: vault.root.descriptor.status().identity)
      let isEmpty = snapshot.compartments.values.allSatisfy { $0.aliveCount == 0 }
      if isEmpty, !request.isDryRun {
        let reading = try PackReadAhead(
          scan, of: source, policy: request.options.compression, watch: watch)
        let unlocked = try pending.finish().read(snapshot, of: vault)
        let ahead = try reading.finish()
        let (packing, decision) = try decide(scan, unlocked)
        return (packing, decision, ahead)
      }
      // An only compartment can be looked at while the key is derived.
      let only = snapshot.compartments.count == 1 ? snapshot.compartments.keys.first : nil
      if let only { try PackSoundness.checkPresence(snapshot, of: vault, in: [only]) }
      let unlocked = try pending.finish().read(snapshot, of: vault)
      if only == nil {
        try PackSoundness.checkPresence(
          snapshot, of: vault, in: unlocked.compartments.map(\.index.compartment))
      }
      let (packing, decision) = try decide(scan, unlocked)
      return (packing, decision, nil)
    } catch let error as StoreError {
      throw .store(error)
    } catch let error as SystemError {
      throw .store(.system(error, path: vault.path))
    } catch {
      throw .store(.changedMeanwhile)
    }
  }

  private func decide(
    _ scan: SourceScan, _ unlocked: UnlockedVault
  ) throws(StoreError) -> (Packing, PackDecision) {
    for finding in unlocked.findings where finding.severity != .note {
      console.warn("\(DisplayName(finding.path)): \(finding.message)")
    }
    let packing = try Packing(
      scan, of: source, into: unlocked, options: request.options, watch: watch)
    return (packing, try packing.decide())
  }

  private func scan(passingOver vault: FileIdentity?) throws(StoreError) -> SourceScan {
    try SourceScan(
      source, excluding: request.excludes, passingOver: vault,
      isInterrupted: watch.isInterrupted)
  }

  // MARK: - Asking

  private func say(_ doubt: PackDecision.Doubt) {
    if doubt.isSourceEmpty { console.warn("the source holds no file") }
    console.warn("\(doubt.removed) notes would be removed and \(doubt.replaced) replaced")
  }

  private func ask(about doubt: PackDecision.Doubt) throws(CommandError) {
    let refused = CommandError.store(
      .needsConfirmation(removed: doubt.removed, replaced: doubt.replaced))
    guard console.surroundings.terminalPath != nil else { throw refused }
    progress.finish()
    say(doubt)
    do {
      guard try TerminalPrompt(on: console).confirm("Go on?") else { throw refused }
    } catch SecretError.noTerminal {
      throw refused
    } catch let error as SecretError {
      throw .secret(error)
    } catch {
      throw refused
    }
  }

  // MARK: - Afterwards

  /// Merges segments where that is due; in a git work tree that is a commit of its own, so it is only named.
  private func compact(
    _ session: inout WriterSession, _ unlocked: UnlockedVault
  ) throws(StoreError) {
    // Most often there are so few that the index need not be read again.
    guard unlocked.compartments.contains(where: { $0.index.live.count >= Compaction.fan }) else {
      return
    }
    try session.refresh()
    let due = unlocked.compartments.filter { opened in
      session.snapshot.compartments[opened.index.compartment].map { !Compaction.due($0).isEmpty }
        ?? false
    }
    guard !due.isEmpty else { return }
    if GitSurroundings.contains(unlocked.vault) {
      return console.hint("'vaulttool compact' is due; commit what it does by itself")
    }
    for compartment in due { _ = try Compaction.run(&session, secret: compartment.secret) }
  }
}
