import VaultFormat
import VaultStore

/// `verify`: checks a whole vault, with its secret or without.
package enum VerifyCommand: Command {
  private static let vault = OperandSpec("VAULT")
  private static let signer = OptionSpec.value(
    "signer", "FINGERPRINT", repeatable: true,
    help: "The vault must be signed by this key, 64 hex digits as 'vaulttool info' shows them. "
      + "With several compartments, name each signer.")
  private static let unlock = OptionSpec.flag(
    "unlock", help: "Also decrypt every note and compare it with the index; needs the secret.")
  private static let json = OptionSpec.flag("json", help: "Print the report as one JSON object.")
  private static let quiet = OptionSpec.flag("quiet", short: "q", help: "Print only findings.")

  package static let spec = CommandSpec(
    name: "verify",
    summary: "Check every file of a vault; needs no secret unless --unlock is given.",
    operands: [vault],
    options: [signer, unlock] + VerifyRepair.options + [json, quiet] + SecretSources.severalOptions,
    notes: [
      "Without --repair nothing is written, and nothing that is wrong stops the check. Each finding has a stable "
        + "code; the last lines say what was not checked.",
      "With --repair the structure of the vault is mended first: copies of slots, strays of sync "
        + "tools, leftovers, VAULT, and with --unlock the index. No note is changed, and the only copy "
        + "of nothing is removed.",
      "Without --signer the check proves that the vault agrees with itself, not who made it.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool verify ~/notes.vault", "check all bytes without a secret, as in CI"),
      .init("vaulttool verify --signer 0f4e51…de ~/notes.vault", "also check who signed it"),
      .init("vaulttool verify --unlock ~/notes.vault", "decrypt everything as well"),
      .init("vaulttool verify --repair --dry-run ~/notes.vault", "show what could be mended"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    let sources: SecretSources
    let pins: [SignerKey]
    do {
      sources = try SecretSources(parsing: arguments)
      pins = try Self.pins(arguments)
      try checkOptions(arguments, sources)
    } catch {
      throw .usage(error)
    }
    var repaired: VerifyRepair.Result?
    let report: VerifyReport
    if let repair = VerifyRepair(arguments, sources, pins, console) {
      let result = try repair.run(on: arguments.operand(vault), unlocking: arguments.has(unlock))
      repaired = result
      report = result.report
    } else {
      report = try verify(arguments, sources, pins, console)
    }
    let status = status(of: report)
    do {
      try print(report, repaired, status, arguments, console)
    } catch {
      throw .output(error)
    }
    if let failure = report.unlockFailure {
      console.error("the contents were not checked: \(failure.text)")
      if let hint = failure.hint { console.hint(hint) }
    }
    return status
  }

  private static func verify(
    _ arguments: ArgumentReader, _ sources: SecretSources, _ pins: [SignerKey], _ console: Console
  ) throws(CommandError) -> VerifyReport {
    let options = VerifyOptions(pins: pins, bounds: .standard, workerCount: Processors.count)
    let verification: Verification
    do {
      verification = try Verification(path: arguments.operand(vault), options: options)
    } catch {
      throw .store(error)
    }
    var pending: VaultAccess.Pending?
    if arguments.has(unlock), let locked = verification.lockedVault {
      pending = try VaultAccess.begin(locked.vault, locked.snapshot, sources, console)
    }
    let progress = Progress(on: console, label: "verifying", unit: .bytes)
    defer { progress.finish() }
    let watcher = VerifyProgress(
      begin: { progress.update(done: 0, total: Int(clamping: $0)) },
      advance: { progress.advance(by: $0) }, isCancelled: { Interruption.isRequested })
    do {
      guard pending != nil else { return try verification.run(progress: watcher, keys: nil) }
      return try verification.run(progress: watcher) { () throws(StoreError) in
        guard let started = pending.take() else { throw .secretRefused(notTried: 0) }
        return try started.finish()
      }
    } catch {
      throw .store(error)
    }
  }

  /// What the findings mean for the status, and that a secret was refused where it was.
  private static func status(of report: VerifyReport) -> ExitCode {
    var status = ExitCode.done
    if report.hasErrors { status = report.isOnlyNewer ? .newerVersion : .damaged }
    if let failure = report.unlockFailure { status = status.combined(with: failure.exitCode) }
    return status
  }

  private static func print(
    _ report: VerifyReport, _ repaired: VerifyRepair.Result?, _ status: ExitCode,
    _ arguments: ArgumentReader, _ console: Console
  ) throws(OutputError) {
    if arguments.has(json) {
      let json = VerifyReportJSON(report, status: status)
      guard let repaired else { return try console.write(JSONText.encode(json)) }
      return try console.write(JSONText.encode(VerifyRepairJSON(repaired, json)))
    }
    let text = VerifyReportText(report: report)
    for line in text.findings { try console.writeLine(line) }
    if arguments.has(quiet) { return }
    if !text.findings.isEmpty { try console.writeLine("") }
    for line in text.summary { try console.writeLine(line) }
  }

  // MARK: - Arguments

  private static func pins(_ arguments: ArgumentReader) throws(UsageError) -> [SignerKey] {
    var pins: [SignerKey] = []
    for value in arguments.values(of: signer) {
      guard let pin = SignerKey(hex: value.span) else {
        throw .invalidValue(
          option: signer.name, expected: "a fingerprint of 64 lower-case hex digits")
      }
      pins.append(pin)
    }
    return pins
  }

  private static func checkOptions(
    _ arguments: ArgumentReader, _ sources: SecretSources
  ) throws(UsageError) {
    if arguments.has(json), arguments.has(quiet) {
      throw .conflictingOptions(json.name, quiet.name)
    }
    if !arguments.has(unlock), sources != SecretSources() {
      throw .refused("a secret is of use only with '--unlock'")
    }
    try VerifyRepair.checkOptions(arguments)
  }
}
