import VaultFormat
import VaultStore

/// A note in two states of a vault; at least in one of them it is there.
struct NoteChange {
  enum Action: String, CaseIterable {
    case added
    case changed
    case renamed
    case mode
    case deleted

    /// As `diff` writes it.
    var letter: String {
      switch self {
      case .added: "A"
      case .changed: "M"
      case .renamed: "R"
      case .mode: "X"
      case .deleted: "D"
      }
    }
  }

  let old: NoteInfo?
  let new: NoteInfo?
  /// What happened, in the order of `Action`; empty where nothing did.
  let actions: [Action]

  init(old: NoteInfo?, new: NoteInfo?) {
    self.old = old
    self.new = new
    guard let old, let new else {
      actions = old == nil ? [.added] : [.deleted]
      return
    }
    var actions: [Action] = []
    // A re-keying seals every note again, and keeps what it records of it.
    let isSame =
      old.id == new.id ? old.digest == new.digest : old.record.agrees(with: new.record)
    if !isSame { actions.append(.changed) }
    if old.shownPath != new.shownPath { actions.append(.renamed) }
    if old.isExecutable != new.isExecutable { actions.append(.mode) }
    self.actions = actions
  }

  /// Where the note is, or was when it was deleted.
  var path: [UInt8] { new?.shownPath ?? old?.shownPath ?? [] }

  /// Where a renamed note was.
  var oldPath: [UInt8]? { actions.contains(.renamed) ? old?.shownPath : nil }

  /// What changed between two states, by path. Notes of a compartment that was re-keyed between them have new ids: those
  /// are told by their paths.
  static func all(from old: UnlockedVault, to new: UnlockedVault) -> [NoteChange] {
    let before = Dictionary(old.notes.map { ($0.id, $0) }) { first, _ in first }
    let after = Set(new.notes.map(\.id))
    var gone: [[UInt8]: [NoteInfo]] = [:]
    for note in old.notes where !after.contains(note.id) {
      gone[note.shownPath, default: []].append(note)
    }
    var changes: [NoteChange] = []
    for note in new.notes {
      var partner = before[note.id]
      if partner == nil,
        let position = gone[note.shownPath]?.firstIndex(where: { other in
          other.compartment != note.compartment && other.record.type == note.record.type
        })
      {
        partner = gone[note.shownPath]?.remove(at: position)
      }
      changes.append(NoteChange(old: partner, new: note))
    }
    changes += gone.values.joined().map { NoteChange(old: $0, new: nil) }
    return changes.filter { !$0.actions.isEmpty }.sorted { one, other in
      if one.path != other.path { return one.path.lexicographicallyPrecedes(other.path) }
      return (one.actions.first?.rawValue ?? "") < (other.actions.first?.rawValue ?? "")
    }
  }
}
