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

  let items: [Item]
  let notes: [NoteInfo]
  let base: PackBase?
  let keepsMissing: Bool
  /// Whether a vault path that is not in the source is out of this run's sight: excluded, or below something unreadable.
  let isOutOfSight: ([UInt8]) -> Bool

  /// - Parameter items: everything found in the source that can be packed.
  package init(
    items: [Item], notes: [NoteInfo], base: PackBase?, keepsMissing: Bool,
    isOutOfSight: @escaping ([UInt8]) -> Bool
  ) {
    self.items = items
    self.notes = notes
    self.base = base
    self.keepsMissing = keepsMissing
    self.isOutOfSight = isOutOfSight
  }

  package func plan() -> PackPlan {
    var plan = PackPlan()
    var lines: [[UInt8]: PackBase.Line] = [:]
    lines.reserveCapacity(base?.lines.count ?? 0)
    for line in base?.lines ?? [] { lines[line.path] = line }
    var vault = Lookup(notes)
    for item in items where vault.hasConflicts { vault.claim(item, lines[item.path]) }

    var isMatched = [Bool](repeating: false, count: notes.count)
    for (position, item) in items.enumerated() {
      let line = base == nil ? nil : lines[item.path]
      guard let note = vault.note(for: item) else {
        addNew(position, line, to: &plan)
        continue
      }
      isMatched[note] = true
      if item.type == .folder {
        for other in vault.folders(at: item.path) { isMatched[other] = true }
        plan.unchanged.append(.init(item: position, note: note))
      } else {
        compare(.init(item: position, note: note), line, in: &plan)
      }
    }
    for (position, note) in notes.enumerated() where !isMatched[position] {
      addMissing(position, lines[note.shownPath] ?? lines[note.path], to: &plan)
    }
    PackRenames(items: items, notes: notes, base: base).find(in: &plan)
    return plan
  }

  /// A path that both sides have.
  private func compare(
    _ pair: PackPlan.Pair, _ line: PackBase.Line?, in plan: inout PackPlan
  ) {
    let item = items[pair.item]
    let note = notes[pair.note]
    let line = line.flatMap { $0.note == note.id ? $0 : nil }
    if item.type == .file, note.record.type == .file, item.status.isExecutable != note.isExecutable,
      line.map({ $0.isExecutable != item.status.isExecutable }) ?? true
    {
      plan.modes.append(pair)
    }
    let isAsInBase = line.map { base?.proves($0, item.status) ?? false } ?? false
    let vaultChanged = line.map { $0.state != note.digest.prefix } ?? false
    if isAsInBase {
      if vaultChanged {
        plan.kept.append(.init(note: pair.note, reason: .changedInVault))
      } else {
        plan.unchanged.append(pair)
      }
      return
    }
    let ifDifferent: PackPlan.Comparison.Outcome =
      if line != nil { vaultChanged ? .keepBoth : .change } else {
        base == nil ? .replace : .keepBoth
      }
    plan.comparisons.append(.init(pair: pair, ifDifferent: ifDifferent))
  }

  /// A path that only the source has.
  private func addNew(_ position: Int, _ line: PackBase.Line?, to plan: inout PackPlan) {
    let item = items[position]
    if let line, let base,
      item.type == .folder ? line.isOfFolder : base.proves(line, item.status)
    {
      // Packed once, unchanged since, and gone from the vault: that was decided there.
      plan.deletedInVault.append(position)
    } else {
      plan.additions.append(position)
    }
  }

  /// A note that the source does not have.
  private func addMissing(_ position: Int, _ line: PackBase.Line?, to plan: inout PackPlan) {
    let note = notes[position]
    if isOutOfSight(note.shownPath) {
      plan.kept.append(.init(note: position, reason: .outOfSight))
    } else if keepsMissing {
      plan.kept.append(.init(note: position, reason: .asAsked))
    } else if base == nil {
      plan.removals.append(position)
    } else if let line, line.note == note.id {
      if line.state == note.digest.prefix || note.record.type == .folder {
        plan.removals.append(position)
      } else {
        plan.kept.append(.init(note: position, reason: .changedInVault))
      }
    } else {
      plan.kept.append(.init(note: position, reason: .newInVault))
    }
  }
}

/// The notes of a vault by where the source would have them.
private struct Lookup {
  private let notes: [NoteInfo]
  private let byShownPath: [[UInt8]: Int]
  private let foldersByPath: [[UInt8]: [Int]]
  /// Those in a name conflict, which share their path with another note.
  private let renamed: [NoteID: Int]
  /// Of these, those whose source is at their path, not at the name they are shown under.
  private var claimed: [[UInt8]: Int] = [:]

  init(_ notes: [NoteInfo]) {
    var byShownPath: [[UInt8]: Int] = [:]
    var folders: [[UInt8]: [Int]] = [:]
    var renamed: [NoteID: Int] = [:]
    byShownPath.reserveCapacity(notes.count)
    for (position, note) in notes.enumerated() {
      if note.record.type == .folder {
        folders[note.shownPath, default: []].append(position)
      } else {
        byShownPath[note.shownPath] = position
        if note.shownPath != note.path { renamed[note.id] = position }
      }
    }
    self.notes = notes
    self.byShownPath = byShownPath
    foldersByPath = folders
    self.renamed = renamed
  }

  var hasConflicts: Bool { !renamed.isEmpty }

  mutating func claim(_ item: PackPlanner.Item, _ line: PackBase.Line?) {
    guard let line, let note = renamed[line.note], notes[note].path == item.path else { return }
    claimed[item.path] = note
  }

  func folders(at path: [UInt8]) -> [Int] { foldersByPath[path] ?? [] }

  /// The note that a source item is, or would be: the one that was made from it, then the one that is shown there.
  func note(for item: PackPlanner.Item) -> Int? {
    if item.type == .folder { return folders(at: item.path).first }
    if let note = claimed[item.path] { return note }
    guard let note = byShownPath[item.path] else { return nil }
    return claimed[notes[note].path] == note ? nil : note
  }
}
