import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A compaction says the same as the segments it replaces, and one that ends at any step changes nothing that a reader
/// sees (spec §7.4, §9).
@Suite struct CommitMergeTests {
  /// A vault with just so many small segments that some are due, and its notes.
  private func vaultWithSegmentsDue() throws -> (vault: TestVault, texts: [String: String]) {
    let vault = try TestVault()
    for number in 0..<Compaction.fan - 2 { try vault.commit([.put("\(number)", "text \(number)")]) }
    try vault.commit([.put("0", "changed"), .move("1", to: "moved")])
    try vault.commit([.delete("2")])
    return (vault, try vault.texts())
  }

  /// What `compact` does.
  private func compact(_ vault: TestVault, faults: FaultPlan? = nil) throws -> Int {
    let folder = try vault.open(faults: faults)
    var session = try TestVault.session(folder)
    try session.removeLeftovers()
    let unlocked = try TestVault.unlock(folder, session.snapshot)
    return try Compaction.run(&session, secret: #require(unlocked.compartments.first).secret)
  }

  private func index(_ vault: TestVault) throws -> CompartmentIndex {
    try #require(try vault.snapshot().compartments.values.first)
  }

  private func expectOneSegment(_ vault: TestVault, _ texts: [String: String]) throws {
    let index = try index(vault)
    #expect(index.live.count == 1)
    #expect(index.graph.superfluous.isEmpty)
    try expectSettled(vault)
    #expect(try vault.texts() == texts)
  }

  @Test func whatIsDueBecomesOneSegmentThatReplacesAllAndSaysTheSame() throws {
    let (vault, texts) = try vaultWithSegmentsDue()
    let before = try index(vault)
    #expect(before.live.count == Compaction.fan + 1)
    #expect(try compact(vault) == before.live.count)
    let after = try index(vault)
    #expect(after.live.first?.lists.replaces == before.live.map(\.id))
    #expect(after.notes.mapValues(\.current) == before.notes.mapValues(\.current))
    #expect(after.notes.mapValues(\.superseded) == before.notes.mapValues(\.superseded))
    #expect(after.slots.mapValues(\.current) == before.slots.mapValues(\.current))
    #expect(after.companions.mapValues(\.current) == before.companions.mapValues(\.current))
    try expectOneSegment(vault, texts)
    #expect(try compact(vault) == 0, "nothing is due any more")
  }

  @Test func nothingIsMergedBeforeItIsDue() throws {
    let vault = try TestVault()
    for number in 0..<Compaction.fan - 1 { try vault.commit([.put("\(number)", "")]) }
    #expect(try compact(vault) == 0)
    #expect(try index(vault).live.count == Compaction.fan)
  }

  @Test(arguments: [FaultPlan.Effect.stop, .fail(.noSpace)])
  func aMergeThatEndsAtAnyStepIsSeenByNobodyAndMadeByTheNext(effect: FaultPlan.Effect) throws {
    let (base, texts) = try vaultWithSegmentsDue()
    var wasCutShort = false
    var step = 1
    while true {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: base)
      let isDone = (try? compact(vault, faults: plan)) != nil
      #expect(try vault.texts() == texts, "step \(step)")
      #expect(try vault.snapshot().findings == [], "step \(step)")
      #expect(try index(vault).graph.missing.isEmpty, "step \(step)")
      if try !index(vault).graph.superfluous.isEmpty { wasCutShort = true }
      _ = try compact(vault)
      try expectOneSegment(vault, texts)
      if !plan.wasReached {
        #expect(isDone)
        break
      }
      step += 1
    }
    #expect(wasCutShort)
  }

  @Test func aPackAfterACompactionThatWasCutShortLosesNothing() throws {
    let (vault, texts) = try vaultWithSegmentsDue()
    let old = try TestVault(copying: vault)
    #expect(try compact(vault) == Compaction.fan + 1)
    // Two of the replaced segments come back, as a merge of an old branch may bring them.
    let names = try #require(try old.names("index")).filter { $0.hasSuffix(".seg") }
    for name in names.prefix(2) { try vault.put("index/\(name)", old.content("index/\(name)")) }
    try vault.commit([.put("new", "more")])
    #expect(try vault.texts() == texts.merging(["new": "more"]) { $1 })
    #expect(try compact(vault) == 0)
    #expect(try index(vault).graph.superfluous.isEmpty, "and they go with the next compaction")
    #expect(try vault.texts() == texts.merging(["new": "more"]) { $1 })
    try expectSettled(vault)
  }
}
