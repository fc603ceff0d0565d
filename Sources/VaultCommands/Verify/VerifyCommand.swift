import VaultStore

/// `verify`: checks a whole vault, with its secret or without.
package enum VerifyCommand: Command {
  package static let spec = CommandSpec(
    name: "verify",
    summary: "Check every file of a vault; needs no secret unless --unlock is given.",
    operands: [VerifyRequest.vault],
    options: VerifyRequest.options,
    notes: [
      "Without --repair nothing is written, and nothing that is wrong stops the check. Each finding has a stable "
        + "code; the last lines say what was not checked.",
      "With --repair the structure of the vault is mended first: copies of slots, strays of sync "
        + "tools, leftovers, VAULT, and with --unlock the index. No note is changed, and the only copy "
        + "of nothing is removed.",
      "With --since what that commit had is read from git's objects; it must be there still, or "
        + "superseded, and the commit must belong to the history. --staged reads what git would "
        + "commit, also from a hook.",
      "Without --signer the check proves that the vault agrees with itself, not who made it.",
    ],
    statuses: [.secretRefused, .damaged, .busy, .newerVersion],
    examples: [
      .init("vaulttool verify ~/notes.vault", "check all bytes without a secret, as in CI"),
      .init("vaulttool verify --signer 0f4e51…de ~/notes.vault", "also check who signed it"),
      .init(
        "vaulttool verify --policy vault-policy.toml ~/notes.vault", "and what a policy asks for"),
      .init("vaulttool verify --unlock ~/notes.vault", "decrypt everything as well"),
      .init("vaulttool verify --since origin/main ~/notes.vault", "also: nothing may be lost"),
      .init("vaulttool verify --repair --dry-run ~/notes.vault", "show what could be mended"),
    ])

  package static func run(
    _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> ExitCode {
    var request: VerifyRequest
    do { request = try VerifyRequest(parsing: arguments) } catch { throw .usage(error) }
    request.options.policy = try request.policyOptions.read()
    var repaired: VerifyRepair.Result?
    let report: VerifyReport
    if let wish = request.repair {
      let result = try VerifyRepair(wish, request, console).run()
      repaired = result
      report = result.report
    } else {
      report = try verify(request, console)
    }
    let status = status(of: report)
    do {
      try VerifyOutput(request: request, console: console).print(report, repaired, status)
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
    _ request: VerifyRequest, _ console: Console
  ) throws(CommandError) -> VerifyReport {
    let states = try VerifyGitStates(request.git, path: request.path, console)
    let report = try verify(states, request, console)
    states.end()
    return report
  }

  private static func verify(
    _ states: borrowing VerifyGitStates, _ request: VerifyRequest, _ console: Console
  ) throws(CommandError) -> VerifyReport {
    var options = request.options
    options.since = states.since
    options.isStaged = request.git.isStaged
    let verification: Verification
    do {
      verification = try Verification(path: states.path, options: options)
    } catch {
      throw .store(error)
    }
    var pending: VaultAccess.Pending?
    if request.unlocks, let locked = verification.lockedVault {
      pending = try VaultAccess.begin(locked.vault, locked.snapshot, request.sources, console)
    }
    let progress = Progress(on: console, label: "verifying", unit: .bytes)
    defer { progress.finish() }
    do {
      guard pending != nil else {
        return try verification.run(progress: .shown(by: progress), keys: nil)
      }
      return try verification.run(progress: .shown(by: progress)) { () throws(StoreError) in
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
}

extension VerifyProgress {
  /// Shows a verification on a progress line, and stops it when a signal asks for the end.
  static func shown(by progress: Progress) -> VerifyProgress {
    VerifyProgress(
      begin: { progress.update(done: 0, total: Int(clamping: $0)) },
      advance: { progress.advance(by: $0) }, isCancelled: { Interruption.isRequested })
  }
}
