package import VaultFormat

/// What became of a vault since an earlier state of it: what must not have happened as findings, the rest as changes
/// (spec §12.3).
package struct VerifySince: Equatable, Sendable {
  /// What happened to a note. A note that was edited and renamed changed twice.
  package struct Change: Equatable, Sendable {
    package enum Action: String, Sendable, CaseIterable {
      case added
      case changed
      /// It has another place: another path, or keyless also another executable bit.
      case renamed
      /// Its executable bit alone changed; told only with the secret.
      case mode
      case deleted
    }

    package let action: Action
    package let note: NoteID
    /// Where it is now, or was when it was deleted; known only with the secret.
    package internal(set) var path: [UInt8]?
    /// Where a renamed note was.
    package internal(set) var oldPath: [UInt8]?
  }

  package let base: VerifySinceBase.Name
  package private(set) var findings: [Finding] = []
  /// Ascending by path, where paths are known, then by note.
  package private(set) var changes: [Change] = []
  /// Segments that are not here any more, and whose absence the owner stated.
  package private(set) var excused: [SegmentID] = []
  /// Compartments that were handed over whole: their notes have new ids.
  package private(set) var handedOver: [CompartmentID] = []
  package private(set) var addedCompartments: [CompartmentID] = []
  package private(set) var addedSlotCount = 0
  package private(set) var endedSlotCount = 0

  init(_ base: VerifySinceBase, _ present: Snapshot, headerDigest: Digest?) {
    self.base = base.name
    findings = base.findings
    if let headerDigest, headerDigest != base.vault.headerDigest {
      findings.append(
        Finding(
          .headerChanged, Layout.header, "VAULT is not that of the earlier state",
          expected: base.vault.headerDigest.hex, found: headerDigest.hex))
    }
    for (_, index) in base.snapshot.compartments.sorted(by: { $0.key < $1.key }) {
      compare(index, present)
    }
    let known = Set(base.snapshot.compartments.keys)
    addedCompartments = present.compartments.keys.filter { !known.contains($0) }.sorted()
    for id in addedCompartments {
      for (note, register) in present.compartments[id]?.notes ?? [:] where register.isAlive {
        changes.append(Change(action: .added, note: note))
      }
      addedSlotCount += present.compartments[id]?.slots.values.count { $0.isAlive } ?? 0
    }
    excused.sort()
    sort()
  }

  /// Fills in the paths that the owner sees.
  /// - Parameters:
  ///   - old: the earlier state.
  ///   - new: the present one.
  mutating func name(from old: UnlockedVault, to new: UnlockedVault) {
    let (old, new) = (Self.byID(old), Self.byID(new))
    changes = changes.map { change in
      var named = change
      let (before, after) = (old[change.note], new[change.note])
      named.path = change.action == .deleted ? before?.shownPath : after?.shownPath
      guard change.action == .renamed, let before, let after else { return named }
      if before.path == after.path {
        return Change(action: .mode, note: change.note, path: named.path)
      }
      named.oldPath = before.shownPath
      return named
    }
    sort()
  }

  private static func byID(_ vault: UnlockedVault) -> [NoteID: NoteInfo] {
    Dictionary(vault.notes.map { ($0.id, $0) }) { first, _ in first }
  }

  private mutating func sort() {
    changes.sort { one, other in
      let (onePath, otherPath) = (one.path ?? [], other.path ?? [])
      if onePath != otherPath { return onePath.lexicographicallyPrecedes(otherPath) }
      return (one.note, one.action.rawValue) < (other.note, other.action.rawValue)
    }
  }
}

// MARK: - One compartment

extension VerifySince {
  private mutating func compare(_ old: CompartmentIndex, _ present: Snapshot) {
    let id = old.compartment
    let new = present.compartments[id]
    let isClosed = present.handOvers.closed[id] != nil
    guard new != nil || isClosed else {
      return findings.append(
        Finding(
          .compartmentDropped, Layout.index, "a compartment of the earlier state is not here",
          expected: "compartment \(id.hex)", found: "none of its segments"))
    }
    let excuses = excuses(in: new)
    for segment in old.graph.nodes.keys.sorted() {
      let isKnown =
        new?.graph.knows(segment) ?? present.handOvers.replaced(in: id).contains(segment)
      if isKnown { continue }
      drop(segment, isExcused: excuses.contains(segment))
    }
    // What a hand-over keeps has new ids in another compartment.
    if isClosed { return handedOver.append(id) }
    guard let new else { return }
    compare(old, new, excuses)
  }

  private func excuses(in index: CompartmentIndex?) -> Set<SegmentID> {
    var excuses = Set<SegmentID>()
    for segment in index?.live ?? [] { excuses.formUnion(segment.lists.excuses) }
    return excuses
  }

  private mutating func drop(_ segment: SegmentID, isExcused: Bool) {
    let path = Layout.path(Layout.index, Layout.segment(segment))
    if isExcused {
      excused.append(segment)
      return findings.append(
        Finding(
          .segmentExcused, path,
          "a segment of the earlier state is not here; the owner stated that it is gone"))
    }
    findings.append(
      Finding(
        .segmentDropped, path, "a segment of the earlier state is not here, and none replaces it",
        expected: "the segment, or one that replaces it", found: "neither"))
  }

  private mutating func compare(
    _ old: CompartmentIndex, _ new: CompartmentIndex, _ excuses: Set<SegmentID>
  ) {
    let notes = new.notes
    for (id, before) in old.notes {
      let after = notes[id] ?? Register()
      require(before, in: after, .note(id), Layout.notePath(id), old, excuses)
      note(id, before, after)
    }
    let oldNotes = old.notes
    for (id, after) in notes where oldNotes[id] == nil && after.isAlive {
      changes.append(Change(action: .added, note: id))
    }
    for (locator, before) in old.slots {
      let after = new.slots[locator] ?? Register()
      let path = Layout.path(Layout.index, Layout.slot(locator))
      require(before, in: after, .slot(locator), path, old, excuses)
      if before.isAlive, !after.isAlive { endedSlotCount += 1 }
    }
    addedSlotCount += new.slots.count { $0.value.isAlive && old.slots[$0.key]?.isAlive != true }
    for (path, before) in old.companions {
      let after = new.companions[path] ?? Register()
      require(before, in: after, .companion(path), path, old, excuses)
    }
  }

  private mutating func note(_ id: NoteID, _ before: Register, _ after: Register) {
    switch (before.isAlive, after.isAlive) {
    case (false, false): return
    case (false, true): changes.append(Change(action: .added, note: id))
    case (true, false): changes.append(Change(action: .deleted, note: id))
    case (true, true):
      if before.current != after.current { changes.append(Change(action: .changed, note: id)) }
      if before.placeVersion != after.placeVersion {
        changes.append(Change(action: .renamed, note: id))
      }
    }
  }

  /// Each state that was current is still known: current, or superseded by a later one.
  private mutating func require(
    _ before: Register, in after: Register, _ id: EntryID, _ path: [UInt8],
    _ old: CompartmentIndex, _ excuses: Set<SegmentID>
  ) {
    for state in before.current
    where !after.stated.contains(state) && !after.isSuperseded(state.prefix) {
      // What only excused segments said is gone with them, and they are printed.
      let saidBy = old.live.filter { segment in
        segment.lists.entries.contains { $0.id == id && $0.states.contains(state) }
      }
      if saidBy.allSatisfy({ excuses.contains($0.id) }) { continue }
      findings.append(
        Finding(
          .stateForgotten, path, "what was current in the earlier state is unknown here",
          expected: "\(state.text), or what supersedes it",
          found: after.stated.isEmpty
            ? "nothing" : after.current.map(\.text).joined(separator: ", ")))
    }
  }
}
