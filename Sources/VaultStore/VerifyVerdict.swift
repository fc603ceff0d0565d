internal import VaultFormat

/// How what is on disk stands to a register (spec §7.2).
enum VerifyVerdict: Equatable, Sendable {
  case missing
  case changed
  case superseded
  case deleted
  case unlisted
  case conflict

  /// What is wrong, if anything; in a conflict more than one thing may be.
  static func verdicts(_ register: Register, onDisk: State?) -> [VerifyVerdict] {
    let current = register.current
    let conflict: [VerifyVerdict] = register.isConflicted ? [.conflict] : []
    guard let onDisk else {
      return current.contains { !$0.isFile } ? conflict : conflict + [.missing]
    }
    if current.contains(onDisk) { return conflict }
    if case .grave? = register.onlyCurrent { return [.deleted] }
    return conflict + [register.isSuperseded(onDisk.prefix) ? .superseded : .changed]
  }
}

/// What a register is about.
enum VerifySubject: Sendable {
  case note
  case slot
  case companion

  private var noun: String {
    switch self {
    case .note: "note"
    case .slot: "slot"
    case .companion: "companion"
    }
  }

  /// The finding for a verdict.
  func finding(
    _ verdict: VerifyVerdict, _ path: [UInt8], _ register: Register?, onDisk: State?
  ) -> Finding {
    let expected = register.map { register in
      let states = register.current.map(\.text)
      return states.isEmpty
        ? "a state that no segment here names" : states.joined(separator: " or ")
    }
    return Finding(
      code(verdict), path, message(verdict), expected: expected, found: onDisk?.text ?? "no file")
  }

  private func message(_ verdict: VerifyVerdict) -> String {
    switch verdict {
    case .missing: "the \(noun) is listed, but not there"
    case .changed: "the \(noun) has bytes that were never listed"
    case .superseded: "an older version of the \(noun) is there"
    case .deleted: "the \(noun) was deleted, but is there again"
    case .unlisted: "the \(noun) is there, but not listed"
    case .conflict: "two branches changed the \(noun); both versions are listed"
    }
  }

  func code(_ verdict: VerifyVerdict) -> Finding.Code {
    switch (self, verdict) {
    case (.note, .missing): .noteMissing
    case (.note, .changed): .noteChanged
    case (.note, .superseded): .noteSuperseded
    case (.note, .deleted): .noteDeleted
    case (.note, .unlisted): .noteUnlisted
    case (.note, .conflict): .noteConflict
    case (.slot, .missing): .slotMissing
    case (.slot, .changed): .slotChanged
    case (.slot, .superseded): .slotSuperseded
    case (.slot, .deleted): .slotDeleted
    case (.slot, .unlisted): .slotUnlisted
    case (.slot, .conflict): .slotConflict
    case (.companion, .missing): .companionMissing
    case (.companion, .changed): .companionChanged
    case (.companion, .superseded): .companionSuperseded
    case (.companion, .deleted): .companionDeleted
    case (.companion, .unlisted): .companionUnlisted
    case (.companion, .conflict): .companionConflict
    }
  }
}
