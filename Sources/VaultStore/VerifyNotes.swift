internal import VaultFormat

/// Compares the sealed files on disk with what the segments list (spec §7.2).
struct VerifyNotes {
  let base: VerifyBase
  let options: VerifyOptions
  let outcome: VerifySweep.Outcome
  let completions: [NoteID: VerifyStaging.Completion]
  /// Whether `notes/` is a folder or not there, so that a missing file is missing.
  let notesAreListed: Bool
  private(set) var findings: [Finding] = []
  /// Notes whose file claims another compartment than the one that lists it.
  private var foreign: Set<NoteID> = []

  init(
    _ base: VerifyBase, _ options: VerifyOptions, _ outcome: VerifySweep.Outcome,
    completions: [NoteID: VerifyStaging.Completion], notesAreListed: Bool
  ) {
    self.base = base
    self.options = options
    self.outcome = outcome
    self.completions = completions
    self.notesAreListed = notesAreListed
  }

  /// - Parameter compartmentsWithoutIndex: their files cannot be listed anywhere, which is a finding of its own.
  mutating func compare(compartmentsWithoutIndex: Set<CompartmentID>) {
    for index in base.snapshot.compartments.values {
      for (id, register) in index.notes where options.covers(id) {
        compare(id, register, in: index.compartment)
      }
    }
    for (id, file) in outcome.notes.files where !foreign.contains(id) {
      let path = Layout.notePath(id)
      if let index = base.snapshot.compartments[file.compartment] {
        if index.notes[id] != nil { continue }
        findings.append(VerifySubject.note.finding(.unlisted, path, nil, onDisk: file.state))
      } else if base.snapshot.handOvers.closed[file.compartment] != nil {
        if completions[id] == .deleted { continue }
        findings.append(VerifySubject.note.finding(.unlisted, path, nil, onDisk: file.state))
      } else if !compartmentsWithoutIndex.contains(file.compartment) {
        findings.append(
          Finding(
            .foreignVault, path, "the note belongs to no compartment of this vault",
            found: "compartment \(file.compartment.hex)"))
      }
    }
  }

  private mutating func compare(
    _ id: NoteID, _ register: Register, in compartment: CompartmentID
  ) {
    checkPlace(id, register)
    if outcome.notes.explained.contains(id) { return }
    let file = outcome.notes.files[id]
    if let file, file.compartment != compartment {
      let isNew = foreign.insert(id).inserted
      if isNew {
        findings.append(
          Finding(
            .foreignVault, Layout.notePath(id), "the note belongs to another compartment",
            expected: "compartment \(compartment.hex)",
            found: "compartment \(file.compartment.hex)"))
      }
      return
    }
    for verdict in VerifyVerdict.verdicts(register, onDisk: file?.state)
    where !isExplained(verdict, id) {
      findings.append(finding(verdict, id, register, file?.state))
    }
  }

  private func isExplained(_ verdict: VerifyVerdict, _ id: NoteID) -> Bool {
    switch (verdict, completions[id]) {
    case (.missing, .placed), (.superseded, .placed): true
    case (.superseded, .deleted), (.deleted, .deleted): true
    case (.missing, _): !notesAreListed || outcome.unlisted.contains(id.firstByte)
    default: false
    }
  }

  /// A changed note whose byte count is not the listed one is called cut or extended: that is what it is for a person,
  /// whatever did it.
  private func finding(
    _ verdict: VerifyVerdict, _ id: NoteID, _ register: Register, _ onDisk: State?
  ) -> Finding {
    let path = Layout.notePath(id)
    let finding = VerifySubject.note.finding(verdict, path, register, onDisk: onDisk)
    guard verdict == .changed, case .file(_, let listed)? = register.onlyCurrent,
      case .file(_, let found)? = onDisk, listed != found
    else { return finding }
    return Finding(
      found < listed ? .cutFile : .extraBytes, path,
      "the note has \(found < listed ? "fewer" : "more") bytes than the index lists",
      expected: finding.expected, found: finding.found)
  }

  private mutating func checkPlace(_ id: NoteID, _ register: Register) {
    if register.isAlive, register.placeVersion == 0 {
      findings.append(
        Finding(.malformed, Layout.notePath(id), "the index lists no place for this note"))
    }
    if register.placeVersion - register.placeVersionBelow > Limits.placeVersionStep {
      findings.append(
        Finding(
          .placeJump, Layout.notePath(id), "the note's place version is far above the others",
          expected: "at most \(register.placeVersionBelow + Limits.placeVersionStep)",
          found: "\(register.placeVersion)"))
    }
  }
}
