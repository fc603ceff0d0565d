import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A commit that ends at any of its steps leaves the old state or the new one, whole, and the next writer tidies up
/// (spec §9).
@Suite struct CommitFaultTests {
  static let before = ["a": "one", "b": "two", "c/d": "three", "z": "kept"]

  enum Kind: CaseIterable {
    case new, changed, deleted, renamed, all

    var changes: [TestChange] {
      switch self {
      case .new: [.put("n/m", "new")]
      case .changed: [.put("a", "changed")]
      case .deleted: [.delete("b")]
      case .renamed: [.move("c/d", to: "e")]
      case .all: Self.allCases.dropLast().flatMap(\.changes)
      }
    }

    var after: [String: String] {
      var texts = CommitFaultTests.before
      for change in changes {
        switch change {
        case .put(let path, let text): texts[path] = text
        case .delete(let path): texts[path] = nil
        case .move(let path, let newPath): (texts[newPath], texts[path]) = (texts[path], nil)
        }
      }
      return texts
    }
  }

  private func vaultBefore() throws -> TestVault {
    let vault = try TestVault()
    try vault.commit(Self.before.sorted { $0.key < $1.key }.map { .put($0.key, $0.value) })
    return vault
  }

  @Test(arguments: Kind.allCases) func aStopAtAnyStepLeavesTheOldOrTheNewState(kind: Kind) throws {
    try endAtEachStep(kind, .stop)
  }

  @Test(arguments: Kind.allCases)
  func aFailureOfAnyStepLeavesTheOldOrTheNewState(kind: Kind) throws {
    try endAtEachStep(kind, .fail(.noSpace))
  }

  private func endAtEachStep(_ kind: Kind, _ effect: FaultPlan.Effect) throws {
    let base = try vaultBefore()
    var seen = Set<[String: String]>()
    for step in 1... {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: base)
      let isDone = (try? vault.commit(kind.changes, faults: plan)) != nil
      let texts = try vault.texts()
      seen.insert(texts)
      #expect(texts == Self.before || texts == kind.after, "step \(step)")
      if isDone { #expect(texts == kind.after, "step \(step)") }
      try expectTidiedUp(vault, texts, step: step)
      if !plan.wasReached {
        #expect(isDone)
        break
      }
    }
    #expect(seen == [Self.before, kind.after])
  }

  /// The next writer completes or removes, shows the same notes, and can go on.
  private func expectTidiedUp(_ vault: TestVault, _ texts: [String: String], step: Int) throws {
    do {
      var session = try TestVault.session(vault.open())
      try session.removeLeftovers()
    }
    try expectSettled(vault)
    #expect(try vault.texts() == texts, "step \(step)")
    try vault.commit([.put("next", "more")])
    #expect(try vault.texts() == texts.merging(["next": "more"]) { $1 }, "step \(step)")
    try expectSettled(vault)
  }

  @Test(arguments: [FaultPlan.Effect.stop, .fail(.inputOutput)])
  func aCompletionThatEndsAtAnyStepIsCompletedByTheNextWriter(effect: FaultPlan.Effect) throws {
    let torn = try tornVault()
    for step in 1... {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: torn)
      do {
        let folder = try vault.open(faults: plan)
        _ = try? TestVault.session(folder)
      }
      #expect(try vault.texts() == Kind.all.after, "step \(step)")
      try expectTidiedUp(vault, Kind.all.after, step: step)
      if !plan.wasReached { break }
    }
  }

  /// A vault whose writer stopped right after its commit.
  private func tornVault() throws -> TestVault {
    let base = try vaultBefore()
    let count = try base.names("index")?.count ?? 0
    var step = 1
    while true {
      let vault = try TestVault(copying: base)
      let plan = FaultPlan(atStep: step, .stop)
      _ = try? vault.commit(Kind.all.changes, faults: plan)
      if try vault.names("index")?.count ?? 0 > count { return vault }
      try #require(plan.wasReached, "a commit has no step that makes a segment")
      step += 1
    }
  }
}
