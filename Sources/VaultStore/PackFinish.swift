internal import VaultFormat

/// What comes after the commits of a `pack`: the base, and the originals where they shall go.
extension Packing {
  func finish(
    _ decision: PackDecision, _ results: Results, _ outcome: inout PackOutcome
  ) throws(StoreError) {
    let moved = Set(results.packed.map(\.item))
    var packed = results.packed
    if options.removesSource || needsNewBase(decision) {
      for pair in decision.equal where !moved.contains(pair.item) {
        packed.append((pair.item, scan.items[pair.item].status, vault.notes[pair.note]))
      }
    }
    if options.removesSource {
      // First the base forgets them: else a run that dies here would make the next one take them for deleted.
      try saveBase(decision, [], forgetting: packed.map { scan.items[$0.item].path }, results)
      try PackOriginals(packing: self).remove(packed, &outcome)
    } else if needsNewBase(decision) {
      try saveBase(decision, packed, forgetting: [], results)
    }
  }

  private func needsNewBase(_ decision: PackDecision) -> Bool {
    base == nil || decision.hasCompared || !decision.actions.isEmpty
  }

  /// What was seen replaces what was known; what was out of sight or went wrong stays known.
  private func saveBase(
    _ decision: PackDecision, _ packed: [(item: Int, status: FileStatus, note: NoteInfo)],
    forgetting forgotten: [[UInt8]], _ results: Results
  ) throws(StoreError) {
    var lines: [[UInt8]: PackBase.Line] = [:]
    let alive = Set(vault.notes.map(\.id))
    let deleted = Set(decision.deletedInVault.map { scan.items[$0].path })
    for line in base?.lines ?? []
    where !results.gone.contains(line.note)
      && (alive.contains(line.note) || deleted.contains(line.path))
    {
      lines[line.path] = line
    }
    for (item, status, note) in packed {
      let path = scan.items[item].path
      lines[path] = PackBase.Line(
        path: path, status: status, note: note.id, state: note.digest.prefix)
    }
    for path in forgotten { lines[path] = nil }
    let new = PackBase(written: scan.startedAt, lines: Array(lines.values))
    try baseFile.save(new)
  }
}
