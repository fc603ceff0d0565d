/// In which form `verify` prints its report (spec/command-line.md "verify").
enum VerifyFormat: String, CaseIterable {
  case text
  case json
  /// JUnit XML, for what shows test results.
  case junit
  /// SARIF 2.1.0, for what shows the results of code scanners.
  case sarif
  /// The text, and an annotation for each finding as a job on GitHub writes them.
  case github

  /// Whether the report is one document that a program reads, which nothing may be left out of.
  var isDocument: Bool {
    switch self {
    case .text, .github: false
    case .json, .junit, .sarif: true
    }
  }

  /// Whether it can also say what was repaired.
  var showsRepairs: Bool {
    switch self {
    case .text, .json: true
    case .junit, .sarif, .github: false
    }
  }
}
