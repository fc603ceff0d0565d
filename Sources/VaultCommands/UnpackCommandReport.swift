import VaultStore

extension UnpackFault {
  /// What kept a note from being written, without a full stop.
  var text: String {
    switch self {
    case .exists(let kind): "a \(kind) of that name is there"
    case .blocked(let kind): "a \(kind) is where a folder belongs"
    case .sameName(let other):
      "the target takes the name for that of \(DisplayName(other).quoted), which is kept"
    case .inVault: "the folder is the vault"
    case .target(let error): "\(error)"
    case .vault(let error): error.text
    }
  }

  /// How the run ends for this reason alone.
  fileprivate var exitCode: ExitCode {
    if case .vault(let error) = self { error.exitCodeOfReading } else { .failed }
  }
}

extension UnpackProblem {
  fileprivate var isExplainedByChange: Bool {
    switch code {
    case .noteChanged, .noteMissing, .noteSuperseded, .recordDiffers: true
    default: false
    }
  }

  fileprivate var text: String {
    noteCount == 1 ? fault.text : "\(fault.text); it holds \(noteCount) of the notes"
  }
}

extension UnpackReport {
  /// Names what was not written, and sums up.
  func tell(_ console: Console) {
    for problem in problems { console.error("\(DisplayName(problem.path)): \(problem.text)") }
    switch stop {
    case .target(let error)?:
      console.error("the target takes nothing any more: \(error)")
      if let hint = error.hint { console.hint(hint) }
    case .interrupted?:
      console.note("interrupted; '--skip-existing' continues")
    case nil:
      if vaultChanged {
        console.hint("the vault was changed meanwhile; run the command again")
      } else if let hint {
        console.hint(hint)
      }
    }
    var parts = ["\(written) written"]
    if skipped > 0 { parts.append("\(skipped) were there") }
    if failed > 0 { parts.append("\(failed) not written") }
    if untried > 0 { parts.append("\(untried) not tried") }
    console.note("notes: \(parts.joined(separator: ", "))")
  }

  /// The next step for the first kind of problem that has one.
  private var hint: String? {
    for problem in problems {
      switch problem.fault {
      case .exists(.folder):
        return "move the folder away: one that holds something is never replaced"
      case .exists, .blocked:
        return "'--overwrite' replaces files and links, '--skip-existing' leaves them"
      case .sameName, .inVault: return "unpack into another folder"
      case .target(let error):
        if let hint = error.hint { return hint }
      case .vault(let error):
        if let hint = error.hint { return hint }
      }
    }
    return nil
  }

  /// How the run ends.
  var exitCode: ExitCode {
    var code = ExitCode.done
    for problem in problems {
      let isChange = vaultChanged && problem.isExplainedByChange
      code = code.combined(with: isChange ? .failed : problem.fault.exitCode)
    }
    switch stop {
    case .interrupted?: return .interrupted(signal: Interruption.signal ?? 2)
    case .target?: return code.combined(with: .failed)
    case nil: return code
    }
  }
}

/// What `unpack --json` reports: the object `vaulttool-unpack/1` (spec/command-line.md).
struct UnpackJSON: Encodable {
  struct Problem: Encodable {
    private enum Key: String, CodingKey { case reason, code }

    let problem: UnpackProblem

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(problem.text, forKey: .reason)
      try container.encodeIfPresent(problem.code?.rawValue, forKey: .code)
      try JSONPath(problem.path).encode(to: encoder)
    }
  }

  let schema = "vaulttool-unpack/1"
  let written: Int
  let skipped: Int
  let failed: Int
  let notTried: Int
  let problems: [Problem]

  init(_ report: UnpackReport) {
    notTried = report.untried
    written = report.written
    skipped = report.skipped
    failed = report.failed
    problems = report.problems.map(Problem.init)
  }
}
