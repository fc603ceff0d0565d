import VaultFormat
import VaultStore

/// What `verify --since` says besides findings.
struct VerifySinceReport {
  let since: VerifySince

  /// For people: how much changed, then each note.
  var lines: [String] {
    var counted = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    for (count, what) in [(since.addedSlotCount, "added"), (since.endedSlotCount, "ended")]
    where count > 0 {
      counted.append("\(count) \(count == 1 ? "slot" : "slots") \(what)")
    }
    let what = counted.isEmpty ? "nothing changed" : counted.joined(separator: ", ")
    let name = DisplayName(since.base.revision)
    var lines = ["since \(name) (\(since.base.commit)): \(what)"]
    lines += since.addedCompartments.map { "  new compartment \($0.hex)" }
    lines += since.handedOver.map { "  re-keyed compartment \($0.hex)" }
    return lines + since.changes.map { "  \($0.action.rawValue) \(Self.text($0))" }
  }

  private var counts: [(String, Int)] {
    VerifySince.Change.Action.allCases.map { action in
      (action.rawValue, since.changes.count { $0.action == action })
    }
  }

  private static func text(_ change: VerifySince.Change) -> String {
    guard let path = change.path else { return change.note.hex }
    let old = change.oldPath.map { "\(DisplayName($0)) -> " } ?? ""
    return "\(old)\(DisplayName(path))"
  }
}

/// The same as the object `since` of `vaulttool-verify/1` (spec/command-line.md).
struct VerifySinceJSON: Encodable {
  private struct Change: Encodable {
    let change: VerifySince.Change

    private enum Key: String, CodingKey { case action, note, from }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(change.action.rawValue, forKey: .action)
      try object.encode(change.note.hex, forKey: .note)
      try object.encodeIfPresent(change.oldPath.map { JSONPath($0) }, forKey: .from)
      if let path = change.path { try JSONPath(path).encode(to: encoder) }
    }
  }

  private let commit: String
  private let added: Int
  private let changed: Int
  private let renamed: Int
  private let mode: Int
  private let deleted: Int
  private let changes: [Change]
  private let excusedSegments: [String]
  private let addedCompartments: [String]
  private let rekeyedCompartments: [String]
  private let addedSlots: Int
  private let endedSlots: Int

  init(_ since: VerifySince) {
    func count(_ action: VerifySince.Change.Action) -> Int {
      since.changes.count { $0.action == action }
    }
    commit = since.base.commit
    (added, changed, renamed) = (count(.added), count(.changed), count(.renamed))
    (mode, deleted) = (count(.mode), count(.deleted))
    changes = since.changes.map(Change.init)
    excusedSegments = since.excused.map(\.hex)
    addedCompartments = since.addedCompartments.map(\.hex)
    rekeyedCompartments = since.handedOver.map(\.hex)
    (addedSlots, endedSlots) = (since.addedSlotCount, since.endedSlotCount)
  }
}
