import VaultFormat
import VaultStore

extension SalvageProblem {
  /// What is the matter, without a full stop.
  var text: String {
    switch reason {
    case .damaged: "damaged: \(lossText)"
    case .damagedWithoutRecord:
      "damaged: its header is lost, so its name, type and end are not known and padding is kept; "
        + lossText
    case .missing: "lost: it is listed, and no file of it is there"
    case .onlyOtherVersions: "lost: only other versions of it are there"
    case .nothingAuthentic: "lost: not one part of its file is authentic"
    case .unrecognised(let error): "lost: \(error)"
    case .otherCompartment(let id):
      "lost: it belongs to compartment \(id.hex), for which there is no slot"
    case .unreadable(let error): "lost: \(error)"
    case .notWritten(let fault): "not written: \(fault.text)"
    }
  }

  private var lossText: String {
    guard !lost.isEmpty else { return "its content is all there" }
    let ranges = lost.prefix(4).map { "\($0.lowerBound)-\($0.upperBound - 1)" }
    let rest = lost.count > 4 ? " and \(lost.count - 4) ranges more" : ""
    let of = unit == .payload ? "compressed bytes" : "bytes"
    return "\(lostByteCount) \(of) lost: \(ranges.joined(separator: ", "))\(rest)"
  }

  /// The stable word for the reason (spec/command-line.md).
  fileprivate var code: String {
    switch reason {
    case .damaged: "damaged"
    case .damagedWithoutRecord: "damaged-header"
    case .missing: "missing"
    case .onlyOtherVersions: "only-other-versions"
    case .nothingAuthentic: "nothing-authentic"
    case .unrecognised: "unrecognised"
    case .otherCompartment: "no-slot"
    case .unreadable: "unreadable"
    case .notWritten: "not-written"
    }
  }

  fileprivate var exitCode: ExitCode {
    if case .notWritten(let fault) = reason {
      if case .vault = fault { .damaged } else { .failed }
    } else {
      .damaged
    }
  }
}

extension SalvageReport {
  /// Names what did not come back whole, and sums up.
  func tell(_ console: Console) {
    for problem in problems { console.error("\(DisplayName(problem.path)): \(problem.text)") }
    for version in versions {
      console.note("\(DisplayName(version.path)): another version (\(version.reason.rawValue))")
    }
    switch stop {
    case .target(let error)?:
      console.error("the target takes nothing any more: \(error)")
      console.hint("make room, and salvage into another folder, or empty this one first")
    case .interrupted?: console.note("interrupted; run it again into another folder")
    case nil:
      if !problems.isEmpty {
        console.hint("the vault was not changed: another copy or git may hold what is lost here")
      }
    }
    if !lockedCompartments.isEmpty {
      let (files, count) = (lockedFiles, lockedCompartments.count)
      console.note(
        "\(count) other \(count == 1 ? "compartment opens" : "compartments open") with another secret"
          + (files == 0 ? "" : ", and \(files) \(files == 1 ? "file is" : "files are") of there"))
    }
    var parts = ["\(whole) whole"]
    if damaged > 0 { parts.append("\(damaged) damaged") }
    if !versions.isEmpty { parts.append("\(versions.count) other versions") }
    let unwritten = problems.count { if case .notWritten = $0.reason { true } else { false } }
    if lost > unwritten { parts.append("\(lost - unwritten) lost") }
    if unwritten > 0 { parts.append("\(unwritten) not written") }
    if untried > 0 { parts.append("\(untried) not tried") }
    console.note("notes: \(parts.joined(separator: ", "))")
  }

  /// How the run ends.
  var exitCode: ExitCode {
    let code = problems.reduce(ExitCode.done) { $0.combined(with: $1.exitCode) }
    switch stop {
    case .interrupted?: return .interrupted(signal: Interruption.signal ?? 2)
    case .target?: return code.combined(with: .failed)
    case nil: return code
    }
  }
}

/// What `salvage --json` reports: the object `vaulttool-salvage/1` (spec/command-line.md).
struct SalvageJSON: Encodable {
  struct LostRange: Encodable {
    let offset: UInt64
    let bytes: UInt64
  }

  struct Problem: Encodable {
    private enum Key: String, CodingKey { case note, reason, message, lost, unit, payload }

    let problem: SalvageProblem

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeIfPresent(problem.noteID?.hex, forKey: .note)
      try container.encode(problem.code, forKey: .reason)
      try container.encode(problem.text, forKey: .message)
      try container.encode(
        problem.lost.map { LostRange(offset: $0.lowerBound, bytes: UInt64($0.count)) },
        forKey: .lost)
      try container.encode(problem.unit.rawValue, forKey: .unit)
      try container.encodeIfPresent(problem.payloadPath.map(JSONPath.init), forKey: .payload)
      try JSONPath(problem.path).encode(to: encoder)
    }
  }

  struct Version: Encodable {
    private enum Key: String, CodingKey { case note, reason }

    let version: SalvagedVersion

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(version.noteID.hex, forKey: .note)
      try container.encode(version.reason.rawValue, forKey: .reason)
      try JSONPath(version.path).encode(to: encoder)
    }
  }

  let schema = "vaulttool-salvage/1"
  let whole: Int
  let damaged: Int
  let versions: Int
  let lost: Int
  let notTried: Int
  let copies: Int
  let lockedCompartments: [String]
  let lockedFiles: Int
  let otherVersions: [Version]
  let problems: [Problem]

  init(_ report: SalvageReport) {
    whole = report.whole
    damaged = report.damaged
    versions = report.versions.count
    lost = report.lost
    notTried = report.untried
    copies = report.copies
    lockedCompartments = report.lockedCompartments.map(\.hex)
    lockedFiles = report.lockedFiles
    otherVersions = report.versions.map(Version.init)
    problems = report.problems.map(Problem.init)
  }
}
