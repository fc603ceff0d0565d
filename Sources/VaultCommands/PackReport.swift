import VaultFormat
package import VaultStore

/// What `pack` did or would do, for people and for programs (schema `vaulttool-pack/1`).
package struct PackReport: Encodable {
  struct Change: Encodable {
    let change: PackChange

    private enum Key: String, CodingKey { case action, from }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(change.kind.rawValue, forKey: .action)
      if let from = change.from.flatMap({ String(validating: $0, as: UTF8.self) }) {
        try container.encode(from, forKey: .from)
      }
      try JSONPath(change.path).encode(to: encoder)
    }
  }

  struct Problem: Encodable {
    let problem: SourceScanProblem

    private enum Key: String, CodingKey { case reason }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode("\(problem.reason)", forKey: .reason)
      try JSONPath(problem.path).encode(to: encoder)
    }
  }

  let schema = "vaulttool-pack/1"
  let added: Int
  let changed: Int
  let renamed: Int
  let removed: Int
  let unchanged: Int
  let excluded: Int
  let skipped: Int
  let kept: Int
  let changes: [Change]
  let problems: [Problem]
  let bytesSealed: UInt64
  let dryRun: Bool
  let segment: String?

  package init(_ outcome: PackOutcome, isDryRun: Bool) {
    added = outcome.count(of: .added)
    changed = outcome.count(of: .changed) + outcome.count(of: .mode)
    renamed = outcome.count(of: .renamed)
    removed = outcome.count(of: .removed)
    unchanged = outcome.unchangedCount
    excluded = outcome.excludedCount
    skipped = outcome.problems.count
    kept = outcome.kept.count
    changes = outcome.changes.map(Change.init)
    problems = outcome.problems.map(Problem.init)
    bytesSealed = outcome.sealedByteCount
    dryRun = isDryRun
    segment = outcome.segments.last?.hex
  }
}

extension PackReport {
  /// The line that says it all, without a full stop.
  package var summary: String {
    var parts = [
      "\(added) added", "\(changed) changed", "\(renamed) renamed", "\(removed) removed",
      "\(unchanged) unchanged",
    ]
    if kept > 0 { parts.append("\(kept) kept") }
    if excluded > 0 { parts.append("\(excluded) excluded") }
    if skipped > 0 { parts.append("\(skipped) skipped") }
    if bytesSealed > 0 { parts.append("\(byteCountText(Int(clamping: bytesSealed))) written") }
    return (dryRun ? "would be packed: " : "packed: ") + parts.joined(separator: ", ")
  }
}

extension PackChange {
  /// The change in words, the names made safe to show.
  var text: String {
    let path = DisplayName(self.path)
    return switch kind {
    case .added: "added \(path)"
    case .changed: "changed \(path)"
    case .renamed: "renamed \(DisplayName(from ?? [])) to \(path)"
    case .mode: "executable bit of \(path)"
    case .removed: "removed \(path)"
    }
  }
}

extension PackPlan.Kept.Reason {
  /// Why a note stays, in words.
  var text: String {
    switch self {
    case .changedInVault: "kept, changed in the vault since: "
    case .newInVault: "kept, not from this source: "
    case .outOfSight: "kept, its source could not be seen: "
    case .asAsked: "kept, as asked: "
    }
  }
}
