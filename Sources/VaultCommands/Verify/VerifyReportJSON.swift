import VaultFormat
import VaultStore

/// What `verify --json` prints: the object `vaulttool-verify/1` (spec/command-line.md).
struct VerifyReportJSON: Encodable {
  private struct Checked: Encodable {
    let files: Int
    let bytes: UInt64
    let notes: Int
    let segments: Int
    let slots: Int
  }

  private struct Shard: Encodable {
    let index: Int
    let count: Int
    let noteFolders: [String]
  }

  private struct Signer: Encodable {
    let compartment: String
    let fingerprint: String
    let pinned: Bool
  }

  private struct FindingObject: Encodable {
    let finding: Finding

    private enum Key: String, CodingKey {
      case code, severity, expected, found, message, next
    }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(finding.code.rawValue, forKey: .code)
      try object.encode(finding.severity.rawValue, forKey: .severity)
      if !finding.path.isEmpty { try JSONPath(finding.path).encode(to: encoder) }
      try object.encodeIfPresent(finding.expected, forKey: .expected)
      try object.encodeIfPresent(finding.found, forKey: .found)
      try object.encode(finding.message, forKey: .message)
      try object.encodeIfPresent(finding.code.hint, forKey: .next)
    }
  }

  private let schema = "vaulttool-verify/1"
  private let level: String
  private let verdict: String
  private let status: Int
  private let checked: Checked
  private let signers: [Signer]
  private let signature: String
  private let state: String
  private let shard: Shard?
  private let findings: [FindingObject]
  private let notChecked: [String]
  private let since: VerifySinceJSON?
  private let staged: Bool?

  init(_ report: VerifyReport, status: ExitCode) {
    since = report.since.map(VerifySinceJSON.init)
    staged = report.isStaged ? true : nil
    level = report.level.rawValue
    verdict = report.hasErrors ? "findings" : "clean"
    self.status = Int(status.status)
    checked = Checked(
      files: report.counts.files, bytes: report.counts.bytes, notes: report.counts.notes,
      segments: report.counts.segments, slots: report.counts.slots)
    signers = report.signers.map {
      Signer(compartment: $0.compartment.hex, fingerprint: $0.key.hex, pinned: $0.isPinned)
    }
    signature = report.signature.rawValue
    state = report.state.hex
    shard = report.shard.map {
      Shard(
        index: $0.number, count: $0.count, noteFolders: $0.folders.map { JSONText.hex([$0]) })
    }
    findings = report.findings.map { FindingObject(finding: $0) }
    notChecked = report.unchecked.map(\.text)
  }
}
