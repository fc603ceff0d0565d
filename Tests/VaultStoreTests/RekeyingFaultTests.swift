import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A re-keying that ends at any of its steps leaves the old compartment or the new one, whole, and the next run completes
/// it (spec §7.5, §9.1).
@Suite struct RekeyingFaultTests {
  private static let notes = ["a": "one", "b/c": "two"]

  private func vaultBefore() throws -> TestVault {
    let vault = try TestVault()
    try vault.commit(Self.notes.sorted { $0.key < $1.key }.map { .put($0.key, $0.value) })
    return vault
  }

  /// What an unfinished run may show to a verifier.
  private static let allowed: Set<Finding.Code> = [.leftover, .unfinishedCommit]

  @Test func aStopAtAnyStepLeavesTheOldOrTheNew() throws {
    try endAtEachStep(.stop)
  }

  @Test(arguments: [ErrorCode.noSpace, .inputOutput, .quota])
  func aFailureOfAnyStepLeavesTheOldOrTheNew(code: ErrorCode) throws {
    try endAtEachStep(.fail(code))
  }

  private func endAtEachStep(_ effect: FaultPlan.Effect) throws {
    let base = try vaultBefore()
    var opened = Set<String>()
    for step in 1... {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: base)
      let outcome = try? vault.rekey(to: "new", faults: plan)
      let isNew = (try? vault.opens("new")) == ["a", "b/c"]
      let isOld = (try? vault.opens(TestVault.passphrase)) == ["a", "b/c"]
      #expect(isNew || isOld, "step \(step)")
      if outcome != nil { #expect(isNew, "step \(step)") }
      opened.insert(isOld ? "old" : "new")
      let codes = try vault.codes()
      #expect(codes.isSubset(of: Self.allowed), "step \(step): \(codes)")
      if case .fail = effect, outcome == nil {
        #expect(codes.isEmpty || !isOld, "step \(step): \(codes)")
      }
      // Running the same again completes.
      if isOld {
        try vault.rekey(to: "new")
      } else {
        var session = try TestVault.session(vault.open())
        try session.removeLeftovers()
      }
      #expect(try vault.opens("new") == ["a", "b/c"], "step \(step)")
      let left = try vault.findings(unlockedBy: "new")
      #expect(left.isEmpty, "step \(step): \(left)")
      try expectSettled(vault)
      if !plan.wasReached {
        #expect(outcome?.unfinished == nil)
        break
      }
    }
    #expect(opened == ["old", "new"])
  }

  @Test(arguments: [FaultPlan.Effect.stop, .fail(.inputOutput)])
  func aCompletionThatEndsAtAnyStepIsCompletedByTheNextWriter(effect: FaultPlan.Effect) throws {
    let torn = try tornVault()
    #expect(try torn.codes() == [.unfinishedCommit])
    for step in 1... {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: torn)
      do {
        let folder = try vault.open(faults: plan)
        _ = try? TestVault.session(folder)
      }
      let codes = try vault.codes(unlockedBy: "new")
      #expect(codes.isSubset(of: Self.allowed), "step \(step): \(codes)")
      #expect(try vault.opens("new") == ["a", "b/c"], "step \(step)")
      do {
        var session = try TestVault.session(vault.open())
        try session.removeLeftovers()
      }
      #expect(try vault.findings(unlockedBy: "new").isEmpty, "step \(step)")
      try expectSettled(vault)
      if !plan.wasReached { break }
    }
  }

  /// A vault whose re-keying stopped right after its commit.
  private func tornVault() throws -> TestVault {
    let base = try vaultBefore()
    var step = 1
    while true {
      let vault = try TestVault(copying: base)
      let plan = FaultPlan(atStep: step, .stop)
      _ = try? vault.rekey(to: "new", faults: plan)
      if try vault.codes() == [.unfinishedCommit] { return vault }
      try #require(plan.wasReached, "a re-keying has no step that commits")
      step += 1
    }
  }
}

/// Two copies of a vault, one of them re-keyed, brought together as git does (spec §7.5).
@Suite struct RekeyingMergeTests {
  private func add(_ from: TestVault, to other: TestVault) throws {
    for folder in ["index", "spare", "notes"] {
      let source = String(decoding: from.path, as: UTF8.self)
      try other.shell("cp -Rn '\(source)/\(folder)/.' \(folder)/ || true")
    }
  }

  @Test func whatAnotherBranchPackedIsFoundAndCanBeRead() throws {
    let base = try TestVault()
    try base.commit([.put("a", "one")])
    let other = try TestVault(copying: base)
    let known = Set(try base.names("index") ?? [])
    let notes = Set(try base.sealedFiles().keys)
    try base.rekey(to: "new")
    try other.commit([.put("theirs", "from the other branch")])
    // Git brings the new files of the other branch; what was removed here stays removed.
    for name in try other.names("index") ?? [] where !known.contains(name) {
      try base.put("index/\(name)", try other.content("index/\(name)"))
    }
    for id in try other.sealedFiles().keys where !notes.contains(id) {
      let path = String(decoding: Layout.notePath(id), as: UTF8.self)
      try base.shell(
        "mkdir -p notes/\(String(decoding: FileNameHex.folder(of: id), as: UTF8.self))")
      try base.put(path, try other.content(path))
    }
    #expect(try base.codes() == [.closedCompartment])
    // The new secret has the former key, so nothing is lost.
    #expect(try base.opens("new") == ["a", "theirs"])
  }

  @Test func twoBranchesThatWereReKeyedAreAConflict() throws {
    let base = try TestVault()
    try base.commit([.put("a", "one")])
    let other = try TestVault(copying: base)
    try base.rekey(to: "here")
    try other.rekey(to: "there", phrase: TestVault.phrase)
    try add(other, to: base)
    #expect(try base.codes() == [.handOverConflict])
    #expect(try base.opens("here") == ["a"])
    #expect(try base.opens("there") == ["a"])
  }

  @Test func anOldSegmentThatIsPutBackChangesNothing() throws {
    let base = try TestVault()
    try base.commit([.put("a", "one")])
    let old = try TestVault(copying: base)
    try base.rekey(to: "new")
    for name in try old.names("index") ?? [] where name.hasSuffix(".seg") {
      try base.put("index/\(name)", try old.content("index/\(name)"))
    }
    #expect(try base.codes() == [])
    #expect(try base.opens("new") == ["a"])
    // An old slot and an old note are planted files.
    for name in try old.names("index") ?? [] where name.hasSuffix(".slot") {
      try base.put("index/\(name)", try old.content("index/\(name)"))
    }
    #expect(try base.codes() == [.slotUnlisted, .spareMissing])
  }
}
