internal import VaultFormat

/// Compares slots, signers, companions and the sizes of all files but sealed ones with a policy; sealed files are compared
/// where they are read.
struct VerifyPolicyCheck {
  let policy: VerifyPolicy
  let base: VerifyBase
  private(set) var findings: [Finding] = []

  /// - Throws: `system` when `index/` or `spare/` changes meanwhile.
  init(_ policy: VerifyPolicy, _ base: VerifyBase, _ topLevel: VerifyTopLevel) throws(StoreError) {
    self.policy = policy
    self.base = base
    if let least = policy.minimumIterations { checkIterations(least) }
    if !policy.signers.isEmpty { checkSigners() }
    if policy.requiresCompanionsUnchanged { checkCompanions() }
    guard policy.maximumFileByteCount != nil else { return }
    for (path, file) in topLevel.companions { checkByteCount(UInt64(file.bytes.count), path) }
    for folder in [Layout.index, Layout.spare] { try checkByteCounts(in: folder) }
  }

  /// A slot of a version that is not known has a cost that is not known.
  private mutating func checkIterations(_ least: UInt32) {
    for file in base.snapshot.slots {
      let folder = file.isSpare ? Layout.spare : Layout.index
      let path = Layout.path(folder, Layout.slot(file.locator))
      if let head = file.slot?.head {
        if head.iterations >= least { continue }
        findings.append(
          Finding(
            .policyIterations, path, "the slot costs an attacker less than the policy asks for",
            expected: "at least \(least) iterations", found: "\(head.iterations) iterations"))
      } else if !base.findings.contains(where: { $0.path == path && $0.severity == .error }) {
        findings.append(
          Finding(
            .policyIterations, path, "what the slot costs an attacker cannot be read",
            expected: "at least \(least) iterations"))
      }
    }
  }

  private mutating func checkSigners() {
    let indexes = base.snapshot.compartments.values.sorted { $0.compartment < $1.compartment }
    for index in indexes where !policy.signers.contains(index.signer) {
      findings.append(
        Finding(
          .policySigner, [], "the policy does not name a compartment's signer",
          expected: "a signer of the policy", found: index.signer.hex))
    }
  }

  private mutating func checkCompanions() {
    guard let header = base.vault?.header else { return }
    let home = base.snapshot.companionCompartment(of: header)
    for (path, register) in base.snapshot.compartments[home]?.companions ?? [:]
    where register.stated.count > 1 || !register.superseded.isEmpty {
      findings.append(
        Finding(
          .policyCompanion, path,
          "the policy allows no change of the vault's own files, and the index lists one"))
    }
  }

  private mutating func checkByteCount(_ byteCount: UInt64, _ path: [UInt8]) {
    if let finding = policy.finding(ofByteCount: byteCount, at: path) { findings.append(finding) }
  }

  private mutating func checkByteCounts(in folder: [UInt8]) throws(StoreError) {
    do throws(SystemError) {
      guard try base.root.folder.status(of: folder)?.kind == .folder else { return }
      let listed = try ListedFolder(try Directory(opening: folder, in: base.root.folder))
      for entry in listed.entries {
        guard let status = try listed.folder.status(of: entry.name), status.kind == .regular
        else { continue }
        checkByteCount(UInt64(clamping: status.byteCount), Layout.path(folder, entry.name))
      }
    } catch {
      // That it cannot be listed is a finding of whoever reads its files.
      if error.code == .notFound || error.code == .accessDenied { return }
      throw .system(error, path: folder)
    }
  }
}
