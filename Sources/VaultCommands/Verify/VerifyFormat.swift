/// In which form `verify` prints its report (spec/command-line.md "verify").
enum VerifyFormat: String, CaseIterable {
  case text
  case json

  /// Whether the report is one document that a program reads, which nothing may be left out of.
  var isDocument: Bool {
    switch self {
    case .text: false
    case .json: true
    }
  }
}
