import VaultFormat
import VaultStore

/// What `verify --format junit` prints: JUnit XML with a passed case for each kind of check, a failed one for each error,
/// and a skipped one for what was not checked (spec/command-line.md).
struct VerifyReportJUnit {
  let report: VerifyReport
  let policy: VerifyPolicy
  let place: RepositoryPath

  /// The whole document.
  var text: String {
    let kinds = VerifyCheckKind.kinds(of: report, policy: policy)
    let cases = kinds.flatMap(cases) + refusal + report.unchecked.map(skipped)
    let failures = report.findings.count { $0.severity == .error }
    let counts =
      "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(refusal.count)\""
    let others = report.findings.filter { $0.severity != .error }
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<testsuites name=\"vaulttool verify\" \(counts)>",
      "<testsuite name=\(Self.attribute(suiteName)) \(counts) skipped=\"\(report.unchecked.count)\">",
      "<properties>",
    ]
    lines += properties.map { name, value in
      "<property name=\(Self.attribute(name)) value=\(Self.attribute(value))/>"
    }
    lines.append("</properties>")
    lines += cases
    if !others.isEmpty {
      let text = others.map { self.text(of: $0) }.joined(separator: "\n")
      lines.append("<system-out>\(Self.content(text))</system-out>")
    }
    return (lines + ["</testsuite>", "</testsuites>"]).joined(separator: "\n") + "\n"
  }

  private var suiteName: String {
    let vault = DisplayName(place.prefix.isEmpty ? Array(".".utf8) : place.prefix).text
    guard let shard = report.shard else { return "vaulttool verify \(vault)" }
    return "vaulttool verify \(vault) (shard \(shard.number) of \(shard.count))"
  }

  private var properties: [(String, String)] {
    var properties = [
      ("verdict", report.hasErrors ? "findings" : "clean"), ("level", report.level.rawValue),
      ("signature", report.signature.text), ("state", report.state.hex),
    ]
    if let shard = report.shard {
      properties.append(("shard", "\(shard.number)/\(shard.count)"))
    }
    if let since = report.since { properties.append(("since", since.base.commit)) }
    return properties
  }

  // MARK: - Cases

  private func cases(_ kind: VerifyCheckKind) -> [String] {
    let errors = report.findings.filter { $0.severity == .error && $0.checkKind == kind }
    let className = Self.attribute("vaulttool.verify.\(kind.rawValue)")
    if errors.isEmpty {
      return ["<testcase classname=\(className) name=\(Self.attribute(kind.title))/>"]
    }
    return errors.map { finding in
      let name = Self.attribute("\(finding.code.rawValue) \(path(of: finding))")
      let type = Self.attribute(finding.code.rawValue)
      let message = Self.attribute(finding.message)
      return "<testcase classname=\(className) name=\(name)>"
        + "<failure type=\(type) message=\(message)>\(Self.content(text(of: finding)))</failure>"
        + "</testcase>"
    }
  }

  /// Contents were to be checked, and could not.
  private var refusal: [String] {
    guard let failure = report.unlockFailure else { return [] }
    let kind = VerifyCheckKind.contents
    let name = "classname=\"vaulttool.verify.\(kind.rawValue)\" name=\(Self.attribute(kind.title))"
    let message = Self.attribute("the contents were not checked: \(failure.text)")
    return ["<testcase \(name)><error type=\"not-unlocked\" message=\(message)/></testcase>"]
  }

  private func skipped(_ item: VerifyReport.Unchecked) -> String {
    "<testcase classname=\"vaulttool.verify.not-checked\" name=\(Self.attribute(item.text))>"
      + "<skipped message=\"not checked\"/></testcase>"
  }

  private func path(of finding: Finding) -> String { DisplayName(place.file(finding.path)).text }

  private func text(of finding: Finding) -> String {
    VerifyReportText.lines(finding, path: place.file(finding.path)).joined(separator: "\n")
  }

  // MARK: - XML

  /// A value in quotes. White space other than a space is written as a reference, or a reader would make spaces of it.
  static func attribute(_ text: String) -> String {
    "\"" + escaped(text) { $0 == "\t" || $0 == "\n" || $0 == "\r" || $0 == "\"" } + "\""
  }

  /// Text between tags.
  static func content(_ text: String) -> String { escaped(text) { $0 == "\r" } }

  /// What XML cannot hold at all is shown as its number: no reference may name it.
  private static func escaped(
    _ text: String, _ isReference: (Unicode.Scalar) -> Bool
  ) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case _ where isReference(scalar):
        result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
      case "\t", "\n", "\r", "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}",
        "\u{10000}"..."\u{10FFFF}":
        result.append(scalar)
      default:
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      }
    }
    return String(result)
  }
}
