import VaultFormat
import VaultStore

/// What `verify` prints for people.
struct VerifyReportText {
  let report: VerifyReport

  /// One block for each finding.
  var findings: [String] { report.findings.flatMap { Self.lines($0, path: $0.path) } }

  /// How much was checked, the verdict, and what was not checked.
  var summary: [String] {
    var lines = report.signers.map { signer in
      "signer \(signer.key.hex)\(signer.isPinned ? ", pinned" : "")"
    }
    if let shard = report.shard {
      lines.append("shard \(shard.number) of \(shard.count)")
      lines.append("state \(report.state.hex)")
    }
    let what = report.isStaged ? "what git would commit: " : ""
    lines.append("checked \(what)\(Self.checked(report.counts))")
    lines += report.since.map { VerifySinceReport(since: $0).lines } ?? []
    lines.append(verdict)
    // The last line says what there is to say about the signer.
    for item in report.unchecked where item != .signer { lines.append("not checked: \(item.text)") }
    lines.append("signature: \(report.signature.text)")
    return lines
  }

  private static func checked(_ counts: VerifyReport.Counts) -> String {
    [
      plural(counts.files, "file"), byteCountText(Int(clamping: counts.bytes)),
      plural(counts.notes, "note"), plural(counts.segments, "segment"),
      plural(counts.slots, "slot"),
    ].joined(separator: ", ")
  }

  private var verdict: String {
    let counts = [Finding.Severity.error, .warning, .note].map { severity in
      (severity, report.findings.count { $0.severity == severity })
    }
    let found = counts.filter { $0.1 > 0 }.map { Self.plural($0.1, $0.0.rawValue) }
    let level = report.level == .keyless ? "without a secret" : "with the secret"
    guard report.hasErrors else {
      let others = found.isEmpty ? "" : "; \(found.joined(separator: ", "))"
      return "clean, as far as can be checked \(level)\(others)"
    }
    return "not clean: \(found.joined(separator: ", "))"
  }

  /// What there is to say about a finding.
  /// - Parameter path: as the report names the file; empty where none is named.
  static func lines(_ finding: Finding, path: [UInt8]) -> [String] {
    let path = path.isEmpty ? "" : " \(DisplayName(path))"
    var lines = ["\(finding.severity.rawValue) \(finding.code.rawValue)\(path)"]
    lines.append("  \(finding.message)")
    if let expected = finding.expected { lines.append("  expected: \(expected)") }
    if let found = finding.found { lines.append("  found:    \(found)") }
    if let hint = finding.code.hint { lines.append("  next:     \(hint)") }
    return lines
  }

  private static func plural(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
