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
      try printText(report)
    case .json:
      let json = VerifyReportJSON(report, status: status)
      guard let repaired else { return try console.write(JSONText.encode(json)) }
      try console.write(JSONText.encode(VerifyRepairJSON(repaired, json)))
    }
  }

  private func printText(_ report: VerifyReport) throws(OutputError) {
    let text = VerifyReportText(report: report)
    for line in text.findings { try console.writeLine(line) }
    if request.isQuiet { return }
    if !text.findings.isEmpty { try console.writeLine("") }
    for line in text.summary { try console.writeLine(line) }
  }
}
