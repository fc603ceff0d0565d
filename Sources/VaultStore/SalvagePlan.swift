internal import VaultFormat

/// A file that is to be written.
struct SalvageItem: Sendable {
  enum Kind: Equatable, Sendable {
    case own
    case version(SalvagedVersion.Reason)
    case damaged
  }

  let candidate: SalvageCandidate
  let kind: Kind
  /// Of the index, else of the header, else made from the note id; always safe.
  let basePath: [UInt8]
  /// Below the target.
  var path: [UInt8]
  let isExecutable: Bool

  var isFolder: Bool { candidate.record?.type == .folder }
  var isLink: Bool { candidate.record?.type == .link && kind != .damaged }
}

/// Which of the files found are written, as what, and which notes are lost (spec §12.2).
struct SalvagePlan: Sendable {
  private struct Note: Hashable {
    let compartment: Int
    let id: NoteID
  }

  private(set) var items: [SalvageItem] = []
  private(set) var problems: [SalvageProblem] = []
  private(set) var copies = 0
  private(set) var names = SalvageNames()
  private let compartments: [SalvageCompartment]

  init(_ scan: SalvageScan.Outcome, _ compartments: [SalvageCompartment]) {
    self.compartments = compartments
    var notes: [Note: [SalvageCandidate]] = [:]
    for candidate in scan.candidates {
      notes[Note(compartment: candidate.compartment, id: candidate.noteID), default: []]
        .append(candidate)
    }
    let ordered = notes.sorted { one, other in
      (one.key.compartment, one.key.id) < (other.key.compartment, other.key.id)
    }
    for (_, candidates) in ordered { take(distinct(candidates)) }
    addLost(notes, scan.strangers)
    names = SalvageNames(settling: &items)
  }

  /// Without files that are equal, and without damaged copies of what is there whole.
  private mutating func distinct(_ candidates: [SalvageCandidate]) -> [SalvageCandidate] {
    let own = Layout.notePath(candidates[0].noteID)
    let ordered = candidates.filter { $0.path == own } + candidates.filter { $0.path != own }
    let wholeSealings = Set(ordered.filter(\.isWhole).map(\.salt))
    var seen = Set<State>()
    var kept: [SalvageCandidate] = []
    for candidate in ordered {
      let isNeeded = candidate.isWhole || !wholeSealings.contains(candidate.salt)
      if isNeeded, seen.insert(candidate.state).inserted {
        kept.append(candidate)
      } else {
        copies += 1
      }
    }
    return kept
  }

  /// - Parameter candidates: distinct files of one note, the one in its proper place first.
  private mutating func take(_ candidates: [SalvageCandidate]) {
    let compartment = compartments[candidates[0].compartment]
    var hasOwn = false
    let byTime = candidates.indices.sorted { one, other in
      let left = candidates[one].record?.modified
      let right = candidates[other].record?.modified
      if let left, let right, left != right {
        return (left.seconds, left.nanoseconds) > (right.seconds, right.nanoseconds)
      }
      return one < other
    }
    // Of several that may have the name the latest has it.
    for index in byTime where candidates[index].isWhole {
      let candidate = candidates[index]
      let kind: SalvageItem.Kind
      switch compartment.standing(of: candidate.noteID, candidate.state) {
      case .current, .unknown:
        kind = hasOwn ? .version(.second) : .own
        hasOwn = true
      case .superseded: kind = .version(.superseded)
      case .unlisted: kind = .version(.unlisted)
      case .deleted: kind = .version(.deleted)
      }
      add(candidate, kind, compartment)
    }
    for candidate in candidates where !candidate.isWhole && candidate.hasContent {
      add(candidate, .damaged, compartment)
    }
  }

  private mutating func add(
    _ candidate: SalvageCandidate, _ kind: SalvageItem.Kind, _ compartment: SalvageCompartment
  ) {
    let place = compartment.places[candidate.noteID]
    let path =
      [place?.path, candidate.headerPath].compactMap { $0 }
      .first { SafePath.fault(in: $0) == nil } ?? Array(candidate.noteID.hex.utf8)
    items.append(
      SalvageItem(
        candidate: candidate, kind: kind, basePath: path, path: path,
        isExecutable: place?.executable ?? candidate.isExecutable))
  }

  // MARK: - What is lost

  private mutating func addLost(
    _ found: [Note: [SalvageCandidate]], _ strangers: [SalvageScan.Stranger]
  ) {
    var strangersByNote: [NoteID: SalvageScan.Stranger] = [:]
    for stranger in strangers { if let id = stranger.named { strangersByNote[id] = stranger } }
    var explained = Set<NoteID>()
    for (number, compartment) in compartments.enumerated() {
      for (id, register) in compartment.index.notes where register.isAlive {
        let files = found[Note(compartment: number, id: id)] ?? []
        let isBack = files.contains { file in
          file.isWhole
            ? compartment.standing(of: id, file.state) == .current : file.hasContent
        }
        if isBack { continue }
        var reason = strangersByNote[id]?.reason ?? .missing
        if files.contains(where: { !$0.isWhole }) { reason = .nothingAuthentic }
        if files.contains(where: \.isWhole) { reason = .onlyOtherVersions }
        explained.insert(id)
        problems.append(lost(id, compartment, files, reason))
      }
    }
    for (note, files) in found where !explained.contains(note.id) {
      let isBack = files.contains { $0.isWhole || $0.hasContent }
      if !isBack {
        problems.append(lost(note.id, compartments[note.compartment], files, .nothingAuthentic))
      }
    }
    for stranger in strangers {
      if let id = stranger.named, explained.contains(id) { continue }
      let isFound = stranger.named.map { id in found.keys.contains { $0.id == id } } ?? false
      if isFound, case .unrecognised = stranger.reason { continue }
      problems.append(
        SalvageProblem(path: stranger.path, noteID: stranger.named, reason: stranger.reason))
    }
  }

  private func lost(
    _ id: NoteID, _ compartment: SalvageCompartment, _ files: [SalvageCandidate],
    _ reason: SalvageProblem.Reason
  ) -> SalvageProblem {
    let path =
      ([compartment.places[id]?.path] + files.map(\.headerPath)).compactMap { $0 }
      .first { SafePath.fault(in: $0) == nil } ?? Layout.notePath(id)
    let byteCount = files.compactMap(\.record?.contentByteCount).first ?? 0
    let isAllLost = reason == .nothingAuthentic && byteCount > 0
    return SalvageProblem(
      path: path, noteID: id, reason: reason, lost: isAllLost ? [0..<byteCount] : [])
  }
}
