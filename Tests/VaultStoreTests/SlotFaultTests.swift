import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A change of slots that ends at any of its steps: the old secret or the new one opens, nothing is unexplained, and doing it
/// again completes (spec §9.1).
@Suite struct SlotFaultTests {
  private static let notes = ["a", "b/c"]
  private static let allowed: Set<Finding.Code> = [.leftover, .unfinishedCommit]

  /// What a command does, and how the vault can be told to be as before it and as after it.
  enum Job: CaseIterable {
    case rewrap, recover, recoverWithoutTheOldSlot, add, remove, newPhrase, reset

    /// What has happened to the vault before the command.
    func prepare(_ vault: TestVault) throws {
      switch self {
      case .recoverWithoutTheOldSlot: try vault.losePassphraseSlot()
      case .remove: try Self.add.run(vault)
      default: break
      }
    }

    func run(_ vault: TestVault, faults: FaultPlan? = nil) throws {
      switch self {
      case .rewrap:
        try vault.rewrap(to: "new", faults: faults)
      case .recover, .recoverWithoutTheOldSlot:
        let old = try vault.passphraseSlot()
        _ = try vault.changeSlots(with: TestVault.secret(phrase: TestVault.phrase), faults: faults)
        {
          change, _, folder in
          change.add(try Self.request(.init("new"), folder))
          change.end(old)
        }
      case .add:
        _ = try vault.changeSlots(with: TestVault.secret(TestVault.passphrase), faults: faults) {
          change, _, folder in change.add(try Self.request(.init("new"), folder))
        }
      case .remove:
        _ = try vault.changeSlots(with: TestVault.secret("new"), faults: faults) {
          change, _, _ in change.end(try vault.passphraseSlot())
        }
      case .newPhrase:
        let old = try vault.phraseSlot()
        _ = try vault.changeSlots(with: TestVault.secret(TestVault.passphrase), faults: faults) {
          change, _, folder in
          let key = try TestVault.key(
            of: TestVault.secret(phrase: TestVault.otherPhrase), in: folder)
          change.add(SlotRequest(key, label: nil, hint: nil))
          change.end(old)
        }
      case .reset:
        try vault.reset(to: "new", phrase: TestVault.otherPhrase, faults: faults)
      }
    }

    private static func request(_ passphrase: String, _ folder: VaultFolder) throws -> SlotRequest {
      SlotRequest(
        try TestVault.key(of: TestVault.secret(passphrase), in: folder), label: "new", hint: nil)
    }

    func isBefore(_ vault: TestVault) -> Bool {
      switch self {
      case .rewrap, .recover, .add, .newPhrase, .reset, .remove:
        (try? vault.opens(TestVault.passphrase)) == notes
          && (try? vault.opensByPhrase()) == notes
      case .recoverWithoutTheOldSlot: (try? vault.opensByPhrase()) == notes
      }
    }

    func isAfter(_ vault: TestVault) -> Bool {
      switch self {
      case .rewrap, .recover, .recoverWithoutTheOldSlot, .add, .remove:
        (try? vault.opens("new")) == notes && (try? vault.opensByPhrase()) == notes
      case .newPhrase:
        (try? vault.opens(TestVault.passphrase)) == notes
          && (try? vault.opensByPhrase(TestVault.otherPhrase)) == notes
      case .reset:
        (try? vault.opens("new")) == [] && (try? vault.opens(TestVault.passphrase)) == notes
          && (try? vault.opensByPhrase(TestVault.otherPhrase)) == []
      }
    }

    /// Whether the secret that the command ends opens no more.
    func isOldGone(_ vault: TestVault) -> Bool {
      switch self {
      case .rewrap, .recover, .recoverWithoutTheOldSlot, .remove:
        (try? vault.opens(TestVault.passphrase)) == nil
      case .newPhrase: (try? vault.opensByPhrase()) == nil
      case .add, .reset: true
      }
    }
  }

  private static func base(_ job: Job) throws -> TestVault {
    let vault = try TestVault()
    try vault.commit(notes.map { .put($0, "text of \($0)") })
    try job.prepare(vault)
    return vault
  }

  @Test(arguments: Job.allCases) func aStopAtAnyStep(job: Job) throws {
    try endAtEachStep(job, .stop)
  }

  @Test(arguments: Job.allCases, [ErrorCode.noSpace, .inputOutput, .quota])
  func aFailureOfAnyStep(job: Job, code: ErrorCode) throws {
    try endAtEachStep(job, .fail(code))
  }

  private func endAtEachStep(_ job: Job, _ effect: FaultPlan.Effect) throws {
    let base = try Self.base(job)
    let before = try base.codes()
    for step in 1... {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: base)
      let isDone = (try? job.run(vault, faults: plan)) != nil
      #expect(job.isBefore(vault) || job.isAfter(vault), "step \(step)")
      if isDone { #expect(job.isAfter(vault), "step \(step)") }
      let codes = try vault.codes().subtracting(before)
      #expect(codes.isSubset(of: Self.allowed), "step \(step): \(codes)")
      if case .fail = effect, !isDone {
        // Whoever can still tidy up has done so.
        #expect(codes.isSubset(of: [.unfinishedCommit]), "step \(step): \(codes)")
      }
      try complete(job, vault, step)
      if !plan.wasReached {
        #expect(isDone)
        break
      }
    }
  }

  /// The next writer tidies up, and the command can be run again where it had not happened.
  private func complete(_ job: Job, _ vault: TestVault, _ step: Int) throws {
    do {
      var session = try TestVault.session(vault.open())
      try session.removeLeftovers()
    }
    if !(job.isAfter(vault) && job.isOldGone(vault)) { try job.run(vault) }
    #expect(job.isAfter(vault) && job.isOldGone(vault), "step \(step)")
    let left = try vault.findings()
    #expect(left.isEmpty, "step \(step): \(left)")
  }
}

/// Copies of one vault whose slots changed on two branches (FR-076).
@Suite struct SlotMergeTests {
  private func vault() throws -> TestVault {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    return vault
  }

  /// What git does with two branches that share `base`: new files of both come in, files that one removed go.
  private func merge(_ theirs: TestVault, into ours: TestVault, base: TestVault) throws {
    for folder in ["index", "spare"] {
      let known = Set(try base.names(folder) ?? [])
      let there = Set(try theirs.names(folder) ?? [])
      for name in there.subtracting(known) {
        try ours.put("\(folder)/\(name)", try theirs.content("\(folder)/\(name)"))
      }
      for name in known.subtracting(there) where try ours.names(folder)?.contains(name) ?? false {
        try ours.remove("\(folder)/\(name)")
      }
    }
    let here = Set(try ours.sealedFiles().keys)
    for (id, bytes) in try theirs.sealedFiles() where !here.contains(id) {
      let folder = String(decoding: FileNameHex.folder(of: id), as: UTF8.self)
      try ours.shell("mkdir -p notes/\(folder)")
      try ours.put(String(decoding: Layout.notePath(id), as: UTF8.self), bytes)
    }
  }

  @Test func fr076OneBranchReWrapsTheOtherPacks() throws {
    let base = try vault()
    let (ours, theirs) = (try TestVault(copying: base), try TestVault(copying: base))
    try ours.rewrap(to: "new")
    try theirs.commit([.put("b", "two"), .put("c", "three")])
    try merge(theirs, into: ours, base: base)
    #expect(try ours.findings().isEmpty)
    #expect(try ours.opens("new") == ["a", "b", "c"])
    #expect(try ours.opensByPhrase() == ["a", "b", "c"])
  }

  @Test func twoBranchesThatEndAllSlotsTogetherAreFound() throws {
    let base = try vault()
    let (ours, theirs) = (try TestVault(copying: base), try TestVault(copying: base))
    let (passphrase, phrase) = (try base.passphraseSlot(), try base.phraseSlot())
    _ = try ours.changeSlots(with: TestVault.secret(phrase: TestVault.phrase)) { change, _, _ in
      change.end(passphrase)
    }
    _ = try theirs.changeSlots(with: TestVault.secret(TestVault.passphrase)) { change, _, _ in
      change.end(phrase)
    }
    try merge(theirs, into: ours, base: base)
    #expect(
      try ours.findings().map { "\($0.code) \(String(decoding: $0.path, as: UTF8.self))" }
        == ["slotMissing index"])
  }

  @Test func bothBranchesReWrap() throws {
    let base = try vault()
    let (ours, theirs) = (try TestVault(copying: base), try TestVault(copying: base))
    try ours.rewrap(to: "ours")
    try theirs.rewrap(to: "theirs")
    try merge(theirs, into: ours, base: base)
    #expect(try ours.findings().isEmpty)
    #expect(try ours.opens("ours") == ["a"])
    #expect(try ours.opens("theirs") == ["a"])
    #expect(throws: StoreError.secretRefused(notTried: 0)) { try ours.opens(TestVault.passphrase) }
  }
}

extension TestVault {
  /// The slot of that purpose that the vault was born with, which has no label.
  private func slot(_ purpose: SlotPurpose) throws -> Locator {
    let snapshot = try snapshot()
    if let file = snapshot.slots.first(where: {
      $0.slot?.head.purpose == purpose && $0.slot?.head.label == nil
    }) {
      return file.locator
    }
    // Lost: the index still lists it.
    let present = Set(snapshot.slots.map(\.locator))
    let listed = snapshot.compartments.values.flatMap { $0.slots.filter { $0.value.isAlive }.keys }
    return try #require(listed.first { !present.contains($0) })
  }

  func passphraseSlot() throws -> Locator { try slot(.passphrase) }
  func phraseSlot() throws -> Locator { try slot(.phrase) }

  func losePassphraseSlot() throws {
    let name = String(decoding: Layout.slot(try passphraseSlot()), as: UTF8.self)
    try remove("index/\(name)")
    try remove("spare/\(name)")
  }
}
