/// Checks a whole vault and stops at no finding (spec §12). Reads only, holds no lock.
package struct Verification: Sendable {
  /// How often a vault that changes meanwhile is read.
  private static let attempts = 8
  /// How long each time a writer may take to put its files in place.
  private static let secondsForAWriter = 10.0

  private let path: [UInt8]
  private let options: VerifyOptions
  private let base: VerifyBase

  /// Reads `VAULT`, slots and segments; what is wrong with them goes into the report.
  /// - Throws: `notAVault`, `changedMeanwhile`, `crypto`, `system` for the vault's folder itself.
  package init(path: [UInt8], options: VerifyOptions) throws(StoreError) {
    self.path = path
    self.options = options
    base = try VerifyBase.load(path: path, bounds: options.bounds)
  }

  /// What a secret is tried on; nil where nothing says which vault this is, or where a newer version made it: then
  /// nobody has to be asked for a secret.
  package var lockedVault: (vault: VaultFolder, snapshot: Snapshot)? {
    if base.findings.contains(where: { $0.code == .newerVersion && $0.path == Layout.header }) {
      return nil
    }
    return base.vault.map { ($0, base.snapshot) }
  }

  /// Reads every file and compares it with the index; starts again when somebody changes the vault meanwhile.
  /// - Parameter keys: gives the keys when the files have been read, where contents shall be checked too. What it throws
  ///   becomes the report's `unlockFailure`.
  /// - Throws: `changedMeanwhile` when the vault changes each time; `interrupted`, `system`, `crypto`.
  package func run(
    progress: VerifyProgress, keys: (() throws(StoreError) -> OpenedSlots)?
  ) throws(StoreError) -> VerifyReport {
    var base = base
    var opened: OpenedSlots?
    var unlockFailure: StoreError?
    for attempt in 1...Self.attempts {
      if attempt > 1 { base = try VerifyBase.load(path: path, bounds: options.bounds) }
      let pass = try VerifyPass(base, options, progress)
      if opened == nil, unlockFailure == nil, let keys {
        do { opened = try keys() } catch { unlockFailure = error }
      }
      if pass.isDisturbed { continue }
      var contents: VerifyContents.Outcome?
      var since = options.since.map {
        VerifySince($0, base.snapshot, headerDigest: base.vault?.headerDigest)
      }
      if let opened, let vault = base.vault {
        let unlocked = try opened.read(base.snapshot, of: vault)
        if let earlier = options.since {
          since?.name(from: try opened.read(earlier.snapshot, of: earlier.vault), to: unlocked)
        }
        contents = try VerifyContents(unlocked, pass, options, progress).run()
      }
      if contents?.hasVanished == true { continue }
      if try !pass.isStillCurrent() { continue }
      if pass.seesCommittedRun, try isBeingWritten(base) { continue }
      return report(pass, contents, unlockFailure, since)
    }
    throw .changedMeanwhile
  }

  /// Whether the writer of a run that is not in place yet is still at work, and not long dead.
  private func isBeingWritten(_ base: VerifyBase) throws(StoreError) -> Bool {
    guard base.vault != nil else { return false }
    do {
      return try Lock.waitWhileHeld(
        Layout.header, in: base.root.folder, seconds: Self.secondsForAWriter)
    } catch {
      throw .system(error, path: Layout.header)
    }
  }

  private func report(
    _ pass: VerifyPass, _ contents: VerifyContents.Outcome?, _ unlockFailure: StoreError?,
    _ since: VerifySince?
  ) -> VerifyReport {
    var unchecked = pass.unchecked
    if let contents {
      unchecked += contents.locked.map { .compartment($0) }
    } else {
      unchecked.append(.contents)
    }
    if let shard = options.shard, shard.count > 1 { unchecked.append(.otherShards(shard)) }
    if options.pins.isEmpty, options.policy.signers.isEmpty { unchecked.append(.signer) }
    unchecked.append(.freshness)
    unchecked += options.since?.unchecked ?? []
    unchecked += (since?.handedOver ?? []).map { .handOver($0) }
    let signers = VerifySigners(pass.base.snapshot, options)
    let findings =
      pass.findings + signers.findings + (contents?.findings ?? [])
      + (since?.findings ?? [])
    return VerifyReport(
      level: contents == nil ? .keyless : .unlocked, counts: pass.counts, signers: signers.list,
      signature: signers.signature(findings), shard: options.shard, state: pass.state,
      findings: Self.sorted(findings), unchecked: unchecked,
      unlockFailure: unlockFailure, since: since, isStaged: options.isStaged)
  }

  /// By path, then by code, each finding once.
  private static func sorted(_ findings: [Finding]) -> [Finding] {
    let sorted = findings.sorted { first, second in
      first.path == second.path
        ? (first.code.rawValue, first.message, first.expected ?? "", first.found ?? "")
          < (second.code.rawValue, second.message, second.expected ?? "", second.found ?? "")
        : first.path.lexicographicallyPrecedes(second.path)
    }
    return sorted.indices.filter { $0 == 0 || sorted[$0] != sorted[$0 - 1] }.map { sorted[$0] }
  }
}
