import VaultFormat
import VaultStore

/// What `git reconcile` did, what it left, and how the vault is now.
struct ReconcileReport {
  let plan: ReconcilePlan
  /// What was settled, or would be.
  let accepted: Set<ReconcileItem>
  let isDryRun: Bool
  let segments: [SegmentID]
  /// What `verify` finds now.
  let findings: [Finding]

  /// Prints it, and says how the run ends.
  func print(asJSON: Bool, _ console: Console) throws(CommandError) -> ExitCode {
    do throws(OutputError) {
      if asJSON {
        try console.write(JSONText.encode(ReconcileReportJSON(self)))
      } else {
        for line in lines { try console.writeLine(line) }
      }
    } catch {
      throw .output(error)
    }
    sayWhatIsNext(console)
    return status
  }

  /// Errors that neither were settled nor would be.
  private var errors: [Finding] {
    let settled = Set(accepted.map(\.path))
    return findings.filter {
      $0.severity == .error && !(isDryRun && settled.contains($0.path))
    }
  }

  var status: ExitCode {
    if errors.isEmpty { return .done }
    return errors.allSatisfy { $0.code == .newerVersion } ? .newerVersion : .damaged
  }

  private var lines: [String] {
    var lines: [String] = []
    for item in plan.items {
      let isSettled = accepted.contains(item)
      let word = isSettled ? (isDryRun ? "would settle" : "settled") : "left"
      lines.append("\(word) \(item.code.rawValue) \(DisplayName(item.name ?? item.path))")
      if isSettled {
        lines.append("  \(item.text)")
      } else {
        lines.append("  \(item.reason)")
        if item.name != nil { lines.append("  file: \(DisplayName(item.path))") }
      }
    }
    if plan.items.isEmpty { lines.append("nothing is undecided") }
    let others = errors.filter { finding in !plan.items.contains { $0.path == finding.path } }
    for finding in others {
      lines.append("left \(finding.code.rawValue) \(DisplayName(finding.path))")
      lines.append("  \(finding.message)")
    }
    return lines
  }

  private func sayWhatIsNext(_ console: Console) {
    if !segments.isEmpty {
      console.note("commit the vault now, so that others get the decision")
    }
    let able = plan.items.filter { !accepted.contains($0) && $0.step != .none }
    if let first = able.first {
      console.hint(
        "what is left may be an attack as well as a revert; if it is meant, give --all, or --accept "
          + DisplayName(first.name ?? first.id).quoted)
    } else if !errors.isEmpty {
      console.hint("'vaulttool verify' says what to do about what is left")
    }
  }
}

extension ReconcileItem {
  /// What settling it does, and why.
  fileprivate var text: String {
    switch step {
    case .reseal: "the version that lies there is the note now: \(reason)"
    case .delete: "it is deleted: \(reason)"
    case .list: "the bytes that lie there are listed now: \(reason)"
    case .excuse: "the segment is stated to be missing: \(reason)"
    case .removeFile: "its file is removed: \(reason)"
    case .none: reason
    }
  }
}

/// The object `vaulttool-reconcile/1` (spec/command-line.md).
private struct ReconcileReportJSON: Encodable {
  private struct Item: Encodable {
    let item: ReconcileItem
    let isSettled: Bool

    private enum Key: String, CodingKey { case code, file, kind, reason, settled, step }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(item.code.rawValue, forKey: .code)
      try object.encode(String(decoding: item.path, as: UTF8.self), forKey: .file)
      try object.encode(item.kind, forKey: .kind)
      try object.encode(item.reason, forKey: .reason)
      try object.encode(isSettled, forKey: .settled)
      try object.encode(item.step.rawValue, forKey: .step)
      if let name = item.name { try JSONPath(name).encode(to: encoder) }
    }
  }

  private let schema = "vaulttool-reconcile/1"
  private let dryRun: Bool
  private let findings: Int
  private let items: [Item]
  private let segments: [String]
  private let status: Int

  init(_ report: ReconcileReport) {
    dryRun = report.isDryRun
    findings = report.findings.count { $0.severity == .error }
    items = report.plan.items.map { Item(item: $0, isSettled: report.accepted.contains($0)) }
    segments = report.segments.map(\.hex)
    status = Int(report.status.status)
  }
}

extension ReconcileItem {
  fileprivate var kind: String {
    switch subject {
    case .note: "note"
    case .slot: "slot"
    case .companion: "companion"
    case .segment: "segment"
    }
  }
}
