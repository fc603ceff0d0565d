import VaultCrypto
import VaultFormat
import VaultSealing
import VaultStore

/// What `verify --format sarif` prints: one run of SARIF 2.1.0 with a rule for each finding code (spec/command-line.md).
struct VerifyReportSARIF: Encodable {
  struct Text: Encodable { let text: String }

  private struct Run: Encodable {
    let tool: Tool
    let automationDetails: Automation
    let invocations: [Invocation]
    let originalUriBaseIds: [String: Base]
    let results: [Result]
    let properties: [String: String]
  }

  private struct Tool: Encodable {
    struct Driver: Encodable {
      let name = "vaulttool"
      let semanticVersion = Program.version
      let rules: [Rule]
    }
    let driver: Driver
  }

  private struct Rule: Encodable {
    struct Configuration: Encodable { let level: String }
    let id: String
    let shortDescription: Text
    let help: Text?
    let defaultConfiguration: Configuration
  }

  private struct Automation: Encodable { let id: String }
  private struct Base: Encodable { let description: Text }

  private struct Invocation: Encodable {
    struct Notification: Encodable {
      let level: String
      let message: Text
    }
    let executionSuccessful: Bool
    let exitCode: Int
    let toolExecutionNotifications: [Notification]
  }

  private struct Result: Encodable {
    struct Location: Encodable {
      struct Physical: Encodable {
        struct Artifact: Encodable {
          let uri: String
          let uriBaseId = "SRCROOT"
        }
        struct Region: Encodable { let startLine = 1 }
        let artifactLocation: Artifact
        /// Hosts that show results beside lines ask for one.
        let region = Region()
      }
      let physicalLocation: Physical
    }
    let ruleId: String
    let ruleIndex: Int
    let level: String
    let message: Text
    let locations: [Location]
    let partialFingerprints: [String: String]
  }

  private enum Key: String, CodingKey {
    case schema = "$schema"
    case version
    case runs
  }

  private let run: Run

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode("https://json.schemastore.org/sarif-2.1.0.json", forKey: .schema)
    try object.encode("2.1.0", forKey: .version)
    try object.encode([run], forKey: .runs)
  }

  init(
    _ report: VerifyReport, status: ExitCode, place: RepositoryPath
  ) throws(OutputError) {
    let codes = Finding.Code.allCases
    let rules = codes.map { code in
      Rule(
        id: code.rawValue, shortDescription: Text(text: code.meaning),
        help: code.hint.map { Text(text: $0) },
        defaultConfiguration: .init(level: Finding(code, [], "").severity.rawValue))
    }
    var results: [Result] = []
    for finding in report.findings {
      results.append(
        try Self.result(finding, ruleIndex: codes.firstIndex(of: finding.code) ?? -1, place))
    }
    var properties = ["state": report.state.hex, "signature": report.signature.rawValue]
    var automation = "vaulttool/verify/"
    if let shard = report.shard {
      properties["shard"] = "\(shard.number)/\(shard.count)"
      automation = "vaulttool/verify-\(shard.number)-of-\(shard.count)/"
    }
    run = Run(
      tool: Tool(driver: .init(rules: rules)), automationDetails: Automation(id: automation),
      invocations: [
        Invocation(
          executionSuccessful: report.unlockFailure == nil, exitCode: Int(status.status),
          toolExecutionNotifications: Self.notifications(report))
      ],
      originalUriBaseIds: [
        "SRCROOT": Base(description: Text(text: "the top of the repository that holds the vault"))
      ],
      results: results, properties: properties)
  }

  private static func notifications(_ report: VerifyReport) -> [Invocation.Notification] {
    let failures = [report.unlockFailure].compactMap(\.self).map { failure in
      Invocation.Notification(
        level: "error", message: Text(text: "the contents were not checked: \(failure.text)"))
    }
    return failures
      + report.unchecked.map { item in
        Invocation.Notification(level: "note", message: Text(text: "not checked: \(item.text)"))
      }
  }

  private static func result(
    _ finding: Finding, ruleIndex: Int, _ place: RepositoryPath
  ) throws(OutputError) -> Result {
    let uri = uri(place.file(finding.path))
    let lines = VerifyReportText.lines(finding, path: place.file(finding.path)).dropFirst()
      .map { $0.drop { $0 == " " } }
    return Result(
      ruleId: finding.code.rawValue, ruleIndex: ruleIndex, level: finding.severity.rawValue,
      message: Text(text: lines.joined(separator: "\n")),
      locations: [.init(physicalLocation: .init(artifactLocation: .init(uri: uri)))],
      partialFingerprints: ["vaulttoolFinding/v1": try fingerprint(finding)])
  }

  /// The same finding in the next run has the same: it depends on the code, the file within the vault, and what is the
  /// matter with it.
  private static func fingerprint(_ finding: Finding) throws(OutputError) -> String {
    let parts = [Array(finding.code.rawValue.utf8), finding.path, Array(finding.message.utf8)]
    do { return Digest(try SHA256.digest(Array(parts.joined(separator: [0])).span)).hex } catch {
      throw .notEncodable("\(error)")
    }
  }

  /// A relative reference (RFC 3986 §4.2): all bytes but unreserved ones and slashes are written as their numbers, so
  /// that no name is taken for a scheme, a query or a parent's path.
  static func uri(_ path: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for byte in path {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.append(byte)
      default:
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
