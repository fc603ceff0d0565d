import VaultFormat
import VaultStore

/// What `verify --repair --json` prints: the object `vaulttool-repair/1` (spec/command-line.md).
struct VerifyRepairJSON: Encodable {
  private struct Action: Encodable {
    let action: RepairAction
    let isDone: Bool

    private enum Key: String, CodingKey { case action, from, note, reason, done }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(action.kind.rawValue, forKey: .action)
      try object.encode(action.reason, forKey: .reason)
      try object.encode(isDone, forKey: .done)
      try JSONPath(action.path).encode(to: encoder)
      if let from = action.from { try object.encode(JSONPath(from), forKey: .from) }
      if let note = action.note { try object.encode(JSONPath(note), forKey: .note) }
    }
  }

  private struct Left: Encodable {
    let finding: Finding

    private enum Key: String, CodingKey { case code, message }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      try object.encode(finding.code.rawValue, forKey: .code)
      try object.encode(finding.message, forKey: .message)
      try JSONPath(finding.path).encode(to: encoder)
    }
  }

  private let schema = "vaulttool-repair/1"
  private let dryRun: Bool
  private let actions: [Action]
  private let left: [Left]
  private let verify: VerifyReportJSON

  init(_ result: VerifyRepair.Result, _ report: VerifyReportJSON) {
    dryRun = result.isDryRun
    actions = result.outcome.steps.map { Action(action: $0.action, isDone: $0.isDone) }
    left = result.plan.left.map { Left(finding: $0) }
    verify = report
  }
}
