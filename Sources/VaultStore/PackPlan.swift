internal import VaultFormat

/// What a `pack` would do, before the contents that must be read have been read.
///
/// Items of the source and notes are named by their positions in the lists that were compared.
package struct PackPlan: Sendable {
  /// An item and a note that may be one.
  package struct Pair: Equatable, Sendable {
    package let item: Int
    package let note: Int
  }

  /// A pair whose contents must be read to know whether they differ.
  package struct Comparison: Equatable, Sendable {
    /// What follows from a difference.
    package enum Outcome: Sendable {
      /// Only the source changed since the base: a new state of the note.
      case change
      /// Nobody knows which is newer: a new state of the note, after a yes.
      case replace
      /// Both changed: the source's becomes a note of its own, under the conflict rule.
      case keepBoth
    }

    package let pair: Pair
    package let ifDifferent: Outcome
  }

  /// A note that stays although the source does not have it as it is.
  package struct Kept: Equatable, Sendable {
    package enum Reason: Sendable { case changedInVault, newInVault, outOfSight, asAsked }

    package let note: Int
    package let reason: Reason
  }

  package internal(set) var unchanged: [Pair] = []
  /// Another executable bit, whatever comes of the content.
  package internal(set) var modes: [Pair] = []
  package internal(set) var comparisons: [Comparison] = []
  package internal(set) var additions: [Int] = []
  package internal(set) var removals: [Int] = []
  package internal(set) var renames: [Pair] = []
  /// A new path and a vanished note of one size: a rename if their contents are equal.
  package internal(set) var possibleRenames: [Pair] = []
  package internal(set) var kept: [Kept] = []
  /// Unchanged in the source since the base, deleted in the vault: not packed again.
  package internal(set) var deletedInVault: [Int] = []
}

/// Takes additions and removals that are one file under a new name together.
struct PackRenames {
  let items: [PackPlanner.Item]
  let notes: [NoteInfo]
  let base: PackBase?

  func find(in plan: inout PackPlan) {
    let movable = plan.removals.filter { notes[$0].record.type != .folder }
    guard !movable.isEmpty, !plan.additions.isEmpty else { return }
    var linesByInode: [UInt64: PackBase.Line] = [:]
    for line in base?.lines ?? [] { linesByInode[line.inode] = line }
    var positions: [NoteID: Int] = [:]
    var bySize: [UInt64: [Int]] = [:]
    for position in movable {
      positions[notes[position].id] = position
      bySize[notes[position].record.contentByteCount, default: []].append(position)
    }
    var taken = Set<Int>()
    var left: [Int] = []
    for position in plan.additions {
      let item = items[position]
      if item.type == .folder || item.status.byteCount == 0 {
        left.append(position)
      } else if let note = proved(item, linesByInode, positions), taken.insert(note).inserted {
        plan.renames.append(.init(item: position, note: note))
      } else if let note = bySize[item.status.byteCount]?.first(where: {
        !taken.contains($0) && notes[$0].record.type == item.type
      }) {
        taken.insert(note)
        plan.possibleRenames.append(.init(item: position, note: note))
      } else {
        left.append(position)
      }
    }
    plan.additions = left
    plan.removals.removeAll(where: taken.contains)
  }

  /// Renaming leaves inode, size and modification time alone and touches only the change time.
  private func proved(
    _ item: PackPlanner.Item, _ linesByInode: [UInt64: PackBase.Line], _ positions: [NoteID: Int]
  ) -> Int? {
    guard let base, let line = linesByInode[item.status.identity.inode],
      let position = positions[line.note], line.state == notes[position].digest.prefix,
      notes[position].record.type == item.type, base.provesMoved(line, item.status)
    else { return nil }
    return position
  }
}
