import VaultStore

/// What `verify --format github` prints besides the text: an annotation for each finding, in the form that a job on GitHub
/// takes from its output (spec/command-line.md).
struct VerifyReportGitHub {
  /// Of each severity a step shows no more; the rest would be dropped without a word.
  static let mostOfASeverity = 10

  let report: VerifyReport
  let place: RepositoryPath

  /// One line for each annotation, and one for each severity that there are more of.
  var lines: [String] {
    [Finding.Severity.error, .warning, .note].flatMap { severity in
      let findings = report.findings.filter { $0.severity == severity }
      let more = findings.count - Self.mostOfASeverity
      let shown = findings.prefix(Self.mostOfASeverity).map(annotation)
      guard more > 0 else { return shown }
      return shown + ["and \(more) more of severity \(severity.rawValue), in the report above"]
    }
  }

  private func annotation(_ finding: Finding) -> String {
    let command =
      switch finding.severity {
      case .error: "error"
      case .warning: "warning"
      case .note: "notice"
      }
    let file = Self.property(Self.shown(place.file(finding.path)))
    let title = Self.property("vaulttool: \(finding.code.rawValue)")
    let text = VerifyReportText.lines(finding, path: place.file(finding.path)).dropFirst()
      .map { $0.drop { $0 == " " } }.joined(separator: "\n")
    return "::\(command) file=\(file),title=\(title)::\(Self.data(text))"
  }

  /// A path as it is, so that the host finds the file; escaped where it could be taken for something else.
  private static func shown(_ path: [UInt8]) -> String {
    if let text = String(validating: path, as: UTF8.self), DisplayName(path).text == text {
      return text
    }
    return DisplayName(path).text
  }

  // MARK: - Escapes

  /// Text behind the command.
  static func data(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "%": "%25"
      case "\r": "%0D"
      case "\n": "%0A"
      default: String(scalar)
      }
    }
    return defused(escaped.joined())
  }

  /// A value of the command.
  static func property(_ text: String) -> String {
    let escaped = data(text).unicodeScalars.map { scalar in
      switch scalar {
      case ":": "%3A"
      case ",": "%2C"
      default: String(scalar)
      }
    }
    return escaped.joined()
  }

  /// The older form of commands begins anywhere in a line: a file's name must not be one.
  static func defused(_ line: String) -> String {
    line.split(separator: "##[", omittingEmptySubsequences: false).joined(separator: "##\\x5b")
  }
}
