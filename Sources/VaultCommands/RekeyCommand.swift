import VaultFormat
import VaultStore

/// `rekey`: a new master key, with every note sealed again.
package enum RekeyCommand: Command {
  private static let vault = OperandSpec("VAULT")
  static let compartment = OptionSpec.value(
    "compartment", "ID",
    help:
      "The compartment to re-key, by the first digits of its id, where the secrets open several.")

  package static let spec = CommandSpec(
    name: "rekey",
    summary: "Seal everything again under a new key; what old secrets open ends here.",
    operands: [vault],
    options: [NewSecrets.hint, NewSecrets.label, NewPhrase.out, compartment, Confirmation.yes]
      + SecretSources.severalOptions + SecretSources.newPassphraseOptions,
    notes: [
      "The whole vault is verified first, and nothing is done where anything is damaged. Then every "
        + "note is sealed again under a new key, a new signer and new names; until the end the vault "
        + "is as it was. It takes as much room again as the vault has.",
      "Every passphrase that is given lives on; with --new-passphrase-file the first one is replaced. "
        + "A recovery phrase that is given lives on too, else a new one is made. Every other slot ends "
        + "and is named first.",
      "Whoever has an old copy and an old secret keeps what is in that copy.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool rekey ~/notes.vault", "asks for everything on the terminal"),
      .init(
        "vaulttool rekey v --passphrase-file pass --phrase-out words --yes",
        "keeps the passphrase, asks nothing"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let texts = try SlotTexts(arguments)
    let keyless = try KeylessVault(at: arguments.operand(vault), arguments)
    var secrets = try NewSecrets.read(keyless.sources)
    let given = try RekeySecrets(keyless, &secrets, arguments, console)
    let newPhrase = try given.newPhrase(
      arguments, console, vault: arguments.operand(vault))
    try verify(keyless.folder, given.opened, console)
    let ending = given.ending(keyless.snapshot)
    try Confirmation.ask(warnings(given, ending, keyless.snapshot), arguments, console)
    let keys = try given.derive(&secrets, texts, for: keyless.folder.header, console)
    let run = RekeyRun(
      vault: keyless.folder, given: given, shown: keyless.snapshot, console: console)
    let outcome: Rekeying.Outcome
    if let newPhrase {
      outcome = try newPhrase.make { phrase throws(CommandError) in
        let key = try SecretChange.finish(
          try SecretChange.derive(phrase, for: keyless.folder.header))
        return try run.carryOut(keys + [SlotRequest(key, label: nil, hint: nil)])
      }
    } else {
      outcome = try run.carryOut(keys)
    }
    // Its key is that of before; where it cannot be ended now, its time-out does.
    _ = try? Session.end(given.compartment)
    run.say(outcome)
    return .done
  }

  /// Reads and decrypts everything, and goes on only where nothing is wrong that a writer does not settle by itself.
  private static func verify(
    _ vault: VaultFolder, _ opened: OpenedSlots, _ console: Console
  ) throws(CommandError) {
    let progress = Progress(on: console, label: "verifying", unit: .bytes)
    defer { progress.finish() }
    let watcher = VerifyProgress(
      begin: { progress.update(done: 0, total: Int(clamping: $0)) },
      advance: { progress.advance(by: $0) }, isCancelled: { Interruption.isRequested })
    do throws(StoreError) {
      let options = VerifyOptions(pins: [], bounds: .standard, workerCount: Processors.count)
      let report = try Verification(path: vault.path, options: options)
        .run(progress: watcher) { opened }
      let damage = report.findings.filter {
        $0.severity == .error && $0.code != .unfinishedCommit
      }
      guard damage.isEmpty else { throw StoreError.indexNotSound(damage) }
    } catch {
      throw .store(error)
    }
  }

  private static func warnings(
    _ given: RekeySecrets, _ ending: [SlotEntry], _ snapshot: Snapshot
  ) -> [String] {
    let index = snapshot.compartments[given.compartment]
    let (count, bytes) = (index?.aliveCount ?? 0, index?.sealedByteCount ?? 0)
    let notes = count == 1 ? "1 note" : "\(count) notes"
    var lines = [
      "\(notes), \(byteCountText(Int(clamping: bytes))), will be sealed again under a new key"
    ]
    for slot in ending {
      let kind =
        switch slot.head?.purpose {
        case .phrase: "the recovery phrase's slot"
        case .passphrase: "the passphrase slot"
        case nil: "the slot"
        }
      lines.append("\(kind) \(slot.choiceText) ends: its secret was not given, or is replaced")
    }
    return lines
  }
}

/// The work between the lock and the end.
struct RekeyRun {
  let vault: VaultFolder
  let given: RekeySecrets
  /// What the slots were when those that end were named.
  let shown: Snapshot
  let console: Console

  func carryOut(_ slots: [SlotRequest]) throws(CommandError) -> Rekeying.Outcome {
    let progress = Progress(on: console, label: "sealing", unit: .bytes)
    defer { progress.finish() }
    do throws(StoreError) {
      var session = try WriterSession(vault, bounds: .standard, waitingSeconds: 0)
      try session.removeLeftovers()
      guard given.fits(session.snapshot, shown: shown) else { throw StoreError.changedMeanwhile }
      let unlocked = try given.opened.read(session.snapshot, of: vault)
      guard
        let compartment = unlocked.compartments.first(where: {
          $0.index.compartment == given.compartment
        })
      else { throw StoreError.changedMeanwhile }
      let rekeying = try Rekeying(unlocked, of: compartment)
      progress.update(done: 0, total: Int(clamping: rekeying.sealedByteCount))
      let watch = PackWatch(
        isInterrupted: { Interruption.isRequested }, didHandle: { progress.advance(by: $0) })
      return try rekeying.run(in: session, slots: slots, watch: watch)
    } catch {
      throw .store(error)
    }
  }

  func say(_ outcome: Rekeying.Outcome) {
    if let error = outcome.unfinished {
      console.warn(
        "done, but not tidied up: \(error.text); the next command that writes does it")
    }
    let notes = outcome.noteCount == 1 ? "1 note was" : "\(outcome.noteCount) notes were"
    console.note(
      "\(notes) sealed again; the old passphrases and phrases open nothing here any more")
    console.note("the signer handed over; pin the new fingerprint where the old one was pinned")
    console.note("old fingerprint: \(outcome.formerSigner.hex)")
    console.note("new fingerprint: \(outcome.signer.hex)")
    switch GitHistory.earlierSlots(of: vault) {
    case .success(0): break
    case .success(let count):
      let slots = count == 1 ? "1 slot that opens" : "\(count) slots that open"
      console.note(
        "git's history still holds the notes of before, and \(slots) them with an old secret; a fresh "
          + "vault in a fresh repository is the only way to leave them behind")
    case .failure(.noRepository):
      console.note("old copies of the vault still open with the old secrets")
    case .failure(let reason):
      console.note(
        "old copies of the vault still open with the old secrets; what git's history holds is not known "
          + "(\(reason))")
    }
  }
}
