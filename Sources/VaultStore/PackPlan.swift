internal import VaultFormat

/// What a `pack` would do, before the contents that must be read have been read.
package struct PackPlan: Sendable {
  /// A path that the source and the vault have.
  package struct Pair: Sendable {
    package let item: PackPlanner.Item
    package let note: NoteInfo
  }

  /// A pair whose contents must be read to know whether they differ.
  package struct Comparison: Sendable {
    /// What follows from a difference.
    package enum Outcome: Sendable {
      /// Only the source changed since the base: a new state of the note.
      case change
      /// Nobody knows which is newer: a new state of the note, after a yes.
      case replace
      /// Both changed: the source's becomes a note of its own, under the conflict rule.
      case keepBoth
    }

    package let item: PackPlanner.Item
    package let note: NoteInfo
    package let ifDifferent: Outcome
  }

  /// A note that stays although the source does not have it as it is.
  package struct Kept: Sendable {
    package enum Reason: Sendable { case changedInVault, newInVault, outOfSight, asAsked }

    package let note: NoteInfo
    package let reason: Reason
  }

  package internal(set) var unchanged: [Pair] = []
  package internal(set) var modes: [Pair] = []
  package internal(set) var comparisons: [Comparison] = []
  package internal(set) var additions: [PackPlanner.Item] = []
  package internal(set) var removals: [NoteInfo] = []
  package internal(set) var renames: [Pair] = []
  /// A new path and a vanished note of one size: a rename if their contents are equal.
  package internal(set) var possibleRenames: [Pair] = []
  package internal(set) var kept: [Kept] = []
  /// Unchanged in the source since the base, deleted in the vault: not packed again.
  package internal(set) var deletedInVault: [PackPlanner.Item] = []

  /// Takes additions and removals that are one file under a new name together.
  mutating func findRenames(base: PackBase?) {
    let movable = removals.filter { $0.record.type != .folder }
    guard !movable.isEmpty, !additions.isEmpty else { return }
    var linesByInode: [UInt64: PackBase.Line] = [:]
    for line in base?.lines ?? [] { linesByInode[line.inode] = line }
    var vanished: [NoteID: NoteInfo] = [:]
    var bySize: [UInt64: [NoteID]] = [:]
    for note in movable {
      vanished[note.id] = note
      bySize[note.record.contentByteCount, default: []].append(note.id)
    }

    var left: [PackPlanner.Item] = []
    for item in additions {
      guard let note = Self.vanishedNote(for: item, linesByInode, bySize, vanished) else {
        left.append(item)
        continue
      }
      vanished[note.note.id] = nil
      if note.isProved {
        renames.append(Pair(item: item, note: note.note))
      } else {
        possibleRenames.append(Pair(item: item, note: note.note))
      }
    }
    additions = left
    removals.removeAll { $0.record.type != .folder && vanished[$0.id] == nil }
  }

  private static func vanishedNote(
    for item: PackPlanner.Item, _ linesByInode: [UInt64: PackBase.Line],
    _ bySize: [UInt64: [NoteID]], _ vanished: [NoteID: NoteInfo]
  ) -> (note: NoteInfo, isProved: Bool)? {
    guard item.type != .folder, item.status.byteCount > 0 else { return nil }
    // Renaming leaves inode, size and modification time alone and touches only the change time.
    if let line = linesByInode[item.status.identity.inode], let note = vanished[line.note],
      line.digest == note.digest, line.byteCount == item.status.byteCount,
      line.modified == item.status.modified, note.record.type == item.type
    {
      return (note, true)
    }
    let sameSize = bySize[item.status.byteCount]?.lazy.compactMap { vanished[$0] }
      .first { $0.record.type == item.type }
    return sameSize.map { ($0, false) }
  }
}
