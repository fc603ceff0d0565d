internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// Moves all that a compartment holds into a new one: another master key, another signer, every note sealed again under
/// another id (spec §7.5). Until the hand-over is committed the vault is as it was.
package struct Rekeying: Sendable {
  private let vault: UnlockedVault
  private let old: UnlockedCompartment
  private let new: CompartmentSecret
  private let notes: [NoteInfo]

  /// What was done.
  package struct Outcome: Sendable {
    package let formerSigner: SignerKey
    package let signer: SignerKey
    package let noteCount: Int
    /// Byte count of the files that were sealed.
    package let sealedByteCount: UInt64
    /// What could not be done after the commit; the next writer does it.
    package let unfinished: StoreError?
  }

  /// - Parameters:
  ///   - vault: as the session's snapshot has it; opened with the master keys kept.
  ///   - compartment: one that was opened.
  /// - Throws: `indexNotSound` where an index is broken or torn, `crypto`, `sealing`.
  package init(_ vault: UnlockedVault, of compartment: UnlockedCompartment) throws(StoreError) {
    precondition(compartment.secret.masterKey != nil, "a vault is re-keyed with its master key")
    try PackSoundness.checkIndex(vault.snapshot)
    try PackSoundness.check(vault)
    self.vault = vault
    old = compartment
    new = try CompartmentSecret.fresh(in: vault.vault.header.vaultID)
    notes = vault.notes.filter { $0.compartment == compartment.index.compartment }
  }

  package var signer: SignerKey { new.keys.signer }

  /// How many bytes will be sealed.
  package var sealedByteCount: UInt64 { notes.reduce(0) { $0 + $1.sealedByteCount } }

  /// Seals everything again and hands over, or leaves the vault as it is.
  /// - Parameter slots: of the new compartment; at least one.
  /// - Throws: as `NoteReader` for a note that is damaged; `tooManySlots`, `changedMeanwhile`, `interrupted`, `system`,
  ///   `sealing`.
  package func run(
    in session: borrowing WriterSession, slots requests: [SlotRequest], watch: PackWatch
  ) throws(StoreError) -> Outcome {
    precondition(!requests.isEmpty, "a compartment has a slot")
    for isSpare in [false, true] {
      let count = session.snapshot.slots.count { $0.isSpare == isSpare }
      guard count + requests.count <= Limits.slotFiles else { throw .tooManySlots }
    }
    var slots: [NewSlot] = []
    for request in requests {
      slots.append(
        try NewSlot(request, for: new, in: session.vault.header, bounds: session.bounds))
    }
    var change = IndexChange()
    for slot in slots {
      try change.state(.slot(slot.slot.head.locator), slot.state, over: Register())
    }
    try addCompanions(to: &change)
    let run = try session.newRun()
    let sealed = try seal(into: run, watch)
    for (note, file) in zip(notes, sealed) { try add(note, file, to: &change) }
    let unfinished = try session.commitHandOver(
      change, run: run, slots: slots, from: old, to: new, predecessors: try predecessors())
    return Outcome(
      formerSigner: old.secret.keys.signer, signer: new.keys.signer, noteCount: notes.count,
      sealedByteCount: sealed.reduce(0) { $0 + $1.byteCount }, unfinished: unfinished)
  }

  private func add(
    _ note: NoteInfo, _ file: Resealed, to change: inout IndexChange
  ) throws(StoreError) {
    let place: Place
    do { place = try Place(path: note.path, executable: note.isExecutable) } catch {
      throw .sealing(.format(error), path: Layout.notePath(note.id))
    }
    try change.state(
      file.id, .file(file.digest, byteCount: file.byteCount), record: note.record,
      over: Register(), place: (place, 1),
      plan: CommitPlan.Item(noteID: file.id, before: nil, after: file.digest))
    change.leave(note.id, before: note.digest)
  }

  /// The companions as they are listed, where this compartment lists them.
  private func addCompanions(to change: inout IndexChange) throws(StoreError) {
    for (path, register) in old.index.companions {
      guard let state = register.onlyCurrent, state.isFile else { continue }
      try change.state(.companion(path), state, over: Register())
    }
  }

  /// The line of those that handed over: what the old compartment says of its own, and then itself.
  private func predecessors() throws(StoreError) -> [Predecessor] {
    guard let masterKey = old.secret.masterKey else { return [] }
    let handOver = old.index.live.first { $0.verified.file.head.isHandOver }
    do throws(SealingError) {
      var line: [Predecessor] = []
      for former in handOver?.verified.file.head.predecessors ?? [] {
        line.append(
          try HandOver.restated(
            former.signer, signature: former.signature,
            masterKey: try HandOver.masterKey(of: former, keys: old.secret.keys), in: new.keys,
            nonce: try Fresh().nonce))
      }
      line.append(
        try HandOver.predecessor(
          old.secret.keys, masterKey: masterKey.bytes, to: new.keys, nonce: try Fresh().nonce))
      return line
    } catch {
      throw .sealing(error, path: Layout.index)
    }
  }
}

// MARK: - Sealing

extension Rekeying {
  /// A note's new file.
  private struct Resealed: Sendable {
    let id: NoteID
    let digest: Digest
    let byteCount: UInt64
  }

  private struct Progress: Sendable {
    var sealed: [Resealed?]
    var failure: StoreError?
  }

  /// Seals all notes into the folder of a run, with all cores.
  /// - Returns: the new files in the order of `notes`.
  private func seal(
    into run: borrowing StagingRun, _ watch: PackWatch
  ) throws(StoreError) -> [Resealed] {
    let files = try NoteReaderFiles(vault.vault)
    let folder = try run.sharedFolder()
    let queue = WorkQueue(count: notes.count)
    let progress = Monitor(Progress(sealed: Array(repeating: nil, count: notes.count)))
    do throws(SystemError) {
      try Workers.run(count: min(Processors.count, max(1, notes.count))) { _ in
        do throws(StoreError) {
          var resealer = try Resealer()
          while let position = queue.next() {
            if watch.isInterrupted() { throw .interrupted }
            let note = notes[position]
            let sealed = try reseal(note, with: &resealer, files, into: folder)
            progress.change { $0.sealed[position] = sealed }
            watch.didHandle(Int(note.sealedByteCount))
          }
        } catch {
          queue.cancel()
          progress.change { $0.failure = $0.failure ?? error }
        }
      }
    } catch {
      throw .system(error, path: Layout.staging)
    }
    let done = progress.change { $0 }
    if let failure = done.failure { throw failure }
    return done.sealed.compactMap { $0 }
  }

  private func reseal(
    _ note: NoteInfo, with resealer: inout Resealer, _ files: NoteReaderFiles,
    into folder: SharedFolder
  ) throws(StoreError) -> Resealed {
    let id: NoteID
    do { id = try Fresh().id } catch { throw .sealing(error, path: []) }
    let state = try resealer.reseal(
      try files.open(note), of: note, in: old, as: id, keys: new.keys, into: folder.folder)
    guard case .file(let digest, let byteCount) = state else {
      throw .noteNotAsListed(path: Layout.notePath(note.id), .noteMissing)
    }
    return Resealed(id: id, digest: digest, byteCount: byteCount)
  }
}
