internal import VaultFormat

/// Compares a source folder with the notes of a vault, three ways where there is a base (design: `pack` has a base).
///
/// Works on statuses alone; `PackPlan.comparisons` names the pairs whose contents must be read to know more.
package struct PackPlanner {
  /// A file, folder or link found in the source.
  package struct Item: Sendable {
    package let path: [UInt8]
    package let status: FileStatus

    package init(path: [UInt8], status: FileStatus) {
      self.path = path
      self.status = status
    }

    var type: ContentType {
      switch status.kind {
      case .folder: .folder
      case .symlink: .link
      default: .file
      }
    }
  }

  let notes: [NoteInfo]
  let base: PackBase?
  let keepsMissing: Bool
  /// Whether a vault path that is not in the source is out of this run's sight: excluded, or below something unreadable.
  let isOutOfSight: ([UInt8]) -> Bool

  package init(
    notes: [NoteInfo], base: PackBase?, keepsMissing: Bool,
    isOutOfSight: @escaping ([UInt8]) -> Bool
  ) {
    self.notes = notes
    self.base = base
    self.keepsMissing = keepsMissing
    self.isOutOfSight = isOutOfSight
  }

  /// - Parameter items: everything found in the source that can be packed.
  package func plan(_ items: [Item]) -> PackPlan {
    var plan = PackPlan()
    var notesByPath: [[UInt8]: [NoteInfo]] = [:]
    for note in notes { notesByPath[note.shownPath, default: []].append(note) }
    var lines: [[UInt8]: PackBase.Line] = [:]
    for line in base?.lines ?? [] { lines[line.path] = line }

    var matched = Set<NoteID>()
    for item in items {
      let here = (notesByPath[item.path] ?? []).filter {
        ($0.record.type == .folder) == (item.type == .folder)
      }
      guard let note = here.first else {
        addNew(item, lines[item.path], to: &plan)
        continue
      }
      matched.formUnion(here.map(\.id))
      if item.type == .folder {
        plan.unchanged.append(.init(item: item, note: note))
      } else {
        compare(item, note, lines[item.path], in: &plan)
      }
    }
    for note in notes where !matched.contains(note.id) {
      addMissing(note, lines[note.shownPath], to: &plan)
    }
    plan.findRenames(base: base)
    return plan
  }

  /// A path that both sides have.
  private func compare(
    _ item: Item, _ note: NoteInfo, _ line: PackBase.Line?, in plan: inout PackPlan
  ) {
    if item.type == .file, item.status.isExecutable != note.isExecutable {
      plan.modes.append(.init(item: item, note: note))
    }
    let line = line.flatMap { $0.note == note.id ? $0 : nil }
    let isAsInBase = line.map { base?.proves($0, item.status) ?? false } ?? false
    let vaultChanged = line.map { $0.digest != note.digest } ?? false
    if isAsInBase {
      if vaultChanged {
        plan.kept.append(.init(note: note, reason: .changedInVault))
      } else {
        plan.unchanged.append(.init(item: item, note: note))
      }
      return
    }
    let ifDifferent: PackPlan.Comparison.Outcome =
      if line != nil { vaultChanged ? .keepBoth : .change } else {
        base == nil ? .replace : .keepBoth
      }
    plan.comparisons.append(.init(item: item, note: note, ifDifferent: ifDifferent))
  }

  /// A path that only the source has.
  private func addNew(_ item: Item, _ line: PackBase.Line?, to plan: inout PackPlan) {
    if let line, let base, base.proves(line, item.status), item.type != .folder {
      // Packed once, unchanged since, and gone from the vault: that was decided there.
      plan.deletedInVault.append(item)
    } else {
      plan.additions.append(item)
    }
  }

  /// A note that the source does not have.
  private func addMissing(_ note: NoteInfo, _ line: PackBase.Line?, to plan: inout PackPlan) {
    if isOutOfSight(note.shownPath) {
      plan.kept.append(.init(note: note, reason: .outOfSight))
    } else if keepsMissing {
      plan.kept.append(.init(note: note, reason: .asAsked))
    } else if base == nil {
      plan.removals.append(note)
    } else if let line, line.note == note.id {
      if line.digest == note.digest || note.record.type == .folder {
        plan.removals.append(note)
      } else {
        plan.kept.append(.init(note: note, reason: .changedInVault))
      }
    } else {
      plan.kept.append(.init(note: note, reason: .newInVault))
    }
  }
}
