import VaultStore

/// Prints the report of a verification in the form that was asked for.
struct VerifyOutput {
  let request: VerifyRequest
  let console: Console

  /// - Parameter repaired: what was mended before, where that was asked for.
  func print(
    _ report: VerifyReport, _ repaired: VerifyRepair.Result?, _ status: ExitCode
  ) throws(OutputError) {
    switch request.format {
    case .text:
      for line in lines(of: report) { try console.writeLine(line) }
    case .json:
      let json = VerifyReportJSON(report, status: status)
      guard let repaired else { return try console.write(JSONText.encode(json)) }
      try console.write(JSONText.encode(VerifyRepairJSON(repaired, json)))
    case .junit:
      let junit = VerifyReportJUnit(
        report: report, policy: request.options.policy, place: place)
      try console.write(Array(junit.text.utf8))
    case .sarif:
      let sarif = try VerifyReportSARIF(report, status: status, place: place)
      try console.write(JSONText.encodeAsNamed(sarif))
    case .github:
      if !request.isQuiet {
        for line in lines(of: report) { try console.writeLine(VerifyReportGitHub.defused(line)) }
      }
      for line in VerifyReportGitHub(report: report, place: place).lines {
        try console.writeLine(line)
      }
    }
  }

  private var place: RepositoryPath { RepositoryPath(ofVault: request.path) }

  private func lines(of report: VerifyReport) -> [String] {
    let text = VerifyReportText(report: report)
    if request.isQuiet { return text.findings }
    return text.findings + (text.findings.isEmpty ? [] : [""]) + text.summary
  }
}
