internal import VaultFormat
internal import VaultSealing

/// Finds out what a reconciliation would do in one compartment; reads only (spec §7.6).
struct ReconcilePlanner {
  let reading: RepairReading
  let unlocked: UnlockedVault
  let compartment: UnlockedCompartment
  let options: VerifyOptions
  let progress: VerifyProgress
  private(set) var plan: ReconcilePlan

  private var id: CompartmentID { compartment.index.compartment }
  private var outcome: VerifySweep.Outcome { reading.pass.outcome }

  init(
    _ reading: RepairReading, _ unlocked: UnlockedVault, _ compartment: UnlockedCompartment,
    _ options: VerifyOptions, _ progress: VerifyProgress
  ) {
    self.reading = reading
    self.unlocked = unlocked
    self.compartment = compartment
    self.options = options
    self.progress = progress
    plan = ReconcilePlan(of: unlocked)
  }

  /// - Throws: as `NoteAuthentication`.
  mutating func run() throws(StoreError) {
    try planNotes()
    planSlots()
    if id == unlocked.snapshot.companionCompartment(of: unlocked.vault.header) { planCompanions() }
    planSegments()
  }

  private mutating func add(
    _ subject: ReconcileItem.Subject, _ code: Finding.Code, _ step: ReconcileItem.Step,
    isAutomatic: Bool = false, name: [UInt8]? = nil, _ reason: String
  ) {
    plan.items.append(
      ReconcileItem(
        compartment: id, subject: subject, code: code, step: step, isAutomatic: isAutomatic,
        name: name, reason: reason))
  }

  // MARK: - Notes

  /// A note that is not as the index says, or that has no place there.
  private struct Odd {
    let note: NoteID
    let register: Register
    /// None where only the place is missing.
    let verdicts: [VerifyVerdict]
    let state: State?
  }

  private mutating func planNotes() throws(StoreError) {
    let odd = oddNotes()
    let tasks = odd.compactMap { odd in
      odd.state.map {
        NoteAuthentication.Task(note: odd.note, path: Layout.notePath(odd.note), state: $0)
      }
    }
    let outcomes = try NoteAuthentication(
      unlocked.vault, compartment.secret, tasks, options, progress
    ).run()
    let found = Dictionary(
      zip(tasks.map(\.note), outcomes), uniquingKeysWith: { first, _ in first })
    let names = Dictionary(
      unlocked.notes.filter { $0.compartment == id }.map { ($0.id, $0.shownPath) },
      uniquingKeysWith: { first, _ in first })
    for note in odd { plan(note, found[note.note], name: names[note.note]) }
  }

  private func oddNotes() -> [Odd] {
    var odd: [Odd] = []
    for (note, register) in compartment.index.notes where !outcome.notes.explained.contains(note) {
      let file = outcome.notes.files[note]
      if let file, file.compartment != id { continue }
      if file == nil, outcome.unlisted.contains(note.firstByte) { continue }
      let verdicts = VerifyVerdict.verdicts(register, onDisk: file?.state)
      let lacksPlace = register.isAlive && register.placeVersion == 0
      if verdicts.isEmpty, !lacksPlace { continue }
      odd.append(Odd(note: note, register: register, verdicts: verdicts, state: file?.state))
    }
    for (note, file) in outcome.notes.files
    where file.compartment == id && compartment.index.notes[note] == nil {
      odd.append(Odd(note: note, register: Register(), verdicts: [.unlisted], state: file.state))
    }
    return odd.sorted { $0.note < $1.note }
  }

  private mutating func plan(_ odd: Odd, _ found: NoteAuthentication.Outcome?, name: [UInt8]?) {
    let verdict = odd.verdicts.last
    let code = verdict.map(VerifySubject.note.code) ?? .malformed
    let isConflict = odd.verdicts.first == .conflict
    switch found {
    case .failure(let finding):
      add(.note(odd.note), code, .none, name: name, "\(finding.message): restore it from git")
    case .success(let note):
      plan.found[odd.note] = note
      let isMerged = isConflict && Self.isMerge(note.mergedFrom, of: odd.register)
      add(
        .note(odd.note), isMerged ? .noteConflict : code, .reseal,
        isAutomatic: verdict == .conflict || isMerged,
        name: name ?? note.header.path, isMerged ? Self.merged : Self.reason(verdict, isConflict))
    case nil:
      let isDecided = isConflict && verdict == .conflict
      add(
        .note(odd.note), code, .delete, isAutomatic: isDecided, name: name,
        isDecided
          ? "one branch deleted it, another changed it, and it is not there: it is deleted"
          : "it is listed and not there")
    }
  }

  /// Whether the file on the disk was made by a merge driver from all versions that are current.
  private static func isMerge(_ mergedFrom: MergedFrom?, of register: Register) -> Bool {
    guard let states = mergedFrom?.states else { return false }
    let known = Set(register.stated.map(\.prefix)).union(register.superseded)
    return register.current.allSatisfy { $0.isFile && states.contains($0.prefix) }
      && states.allSatisfy(known.contains)
  }

  private static let merged = "two branches changed it, and the file is what was merged from both"

  private static func reason(_ verdict: VerifyVerdict?, _ isConflict: Bool) -> String {
    switch verdict {
    case nil: "no segment here says where it belongs: it gets the path it was sealed under"
    case .conflict: "two branches changed it, and the version on the disk is one of theirs"
    case .superseded: "an older version lies there, as a revert or a restored file leaves it"
    case .deleted: "it was deleted, and a version of it lies there again"
    case .unlisted: "no segment lists it"
    case .changed, .missing:
      isConflict
        ? "two branches changed it, and a version lies there that neither lists"
        : "a version lies there that no segment here lists"
    }
  }

  // MARK: - Slots

  private mutating func planSlots() {
    let slots = compartment.index.slots
    let files = unlocked.snapshot.slots.filter { !$0.isSpare }
    for (locator, register) in slots.sorted(by: { $0.key < $1.key }) {
      let file = files.first { $0.locator == locator }
      guard let verdict = VerifyVerdict.verdicts(register, onDisk: file?.state).last else {
        continue
      }
      plan(locator, verdict, file)
    }
    let listed = unlocked.snapshot.compartments.values
    for file in files {
      guard let slot = file.slot, slot.head.compartment == id,
        !listed.contains(where: { $0.slots[file.locator] != nil })
      else { continue }
      add(
        .slot(file.locator), .slotUnlisted, .list,
        "no segment lists this slot: only who knows that the owner made it should accept it")
    }
  }

  private mutating func plan(_ locator: Locator, _ verdict: VerifyVerdict, _ file: SlotFile?) {
    let code = VerifySubject.slot.code(verdict)
    switch verdict {
    case .conflict:
      add(
        .slot(locator), code, .list, isAutomatic: true,
        "two branches changed it, and the file is one of theirs")
    case .missing where unlocked.snapshot.slots.contains { $0.isSpare && $0.locator == locator }:
      add(.slot(locator), code, .none, "'vaulttool verify --repair' brings it back from spare/")
    case .missing:
      add(
        .slot(locator), code, hasOther(than: locator) ? .delete : .none,
        "a listed slot is not there: restore both its files from git, if its secret shall still open "
          + "the vault")
    case .deleted:
      add(
        .slot(locator), code, hasOther(than: locator) ? .removeFile : .none,
        "a slot that was ended is there again: if its secret is the one to keep, run 'vaulttool "
          + "rewrap' or 'slot add' with it first")
    case .changed, .superseded, .unlisted:
      add(.slot(locator), code, .none, "'vaulttool verify --repair', or restore it from git")
    }
  }

  /// Whether another passphrase of the compartment has a slot that is listed and there.
  private func hasOther(than locator: Locator) -> Bool {
    unlocked.snapshot.slots.contains { file in
      file.locator != locator && !file.isSpare && file.slot?.head.purpose == .passphrase
        && compartment.index.slots[file.locator]?.current.contains(file.state) == true
    }
  }

  // MARK: - Companions and segments

  private mutating func planCompanions() {
    let registers = compartment.index.companions
    let files = reading.topLevel.companions
    for path in Set(registers.keys).union(files.keys).sorted(by: Syscalls.precedes)
    where !reading.topLevel.unusable.contains(path) && !reading.awaited.contains(path) {
      let state = files[path]?.state
      let verdict =
        registers[path].map { VerifyVerdict.verdicts($0, onDisk: state).last }
        ?? (state == nil ? nil : .unlisted)
      guard let verdict else { continue }
      let code = VerifySubject.companion.code(verdict)
      switch verdict {
      case .conflict:
        add(
          .companion(path), code, .list, isAutomatic: true,
          "two branches changed it, and the file is one of theirs")
      case .missing: add(.companion(path), code, .delete, "it is listed and not there")
      case .changed, .unlisted:
        add(
          .companion(path), code, .list,
          "its bytes are listed nowhere: read the file before you accept it")
      case .superseded, .deleted:
        add(
          .companion(path), code, .none,
          "an older version lies there, which cannot come back: restore the newer one from git, or "
            + "remove the file")
      }
    }
  }

  private mutating func planSegments() {
    for missing in compartment.index.graph.missing {
      let item = ReconcileItem.Subject.segment(missing.segment)
      let path = Layout.path(Layout.index, Layout.segment(missing.segment))
      let isAwaited = reading.awaited.contains(path)
      add(
        item, .segmentMissing, isAwaited ? .none : .excuse,
        isAwaited
          ? "a sync tool has not brought it yet"
          : "segment \(missing.namedBy.hex) builds on it, as after a cherry-pick or a revert; what "
            + "only it said stays unknown")
    }
  }
}
