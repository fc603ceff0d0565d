import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A repair that ends at any of its steps has lost nothing, and the next one completes it.
@Suite struct RepairFaultTests {
  enum Damage: CaseIterable {
    case header, files, index

    /// Whether the secret is needed to mend it.
    var needsSecret: Bool { self == .index }

    func apply(to vault: TestVault) throws {
      let slot = try vault.slotName()
      let note = try vault.notePath("a")
      switch self {
      case .header: try vault.shell("rm VAULT index/\(slot)")
      case .files:
        let segments = try vault.segmentNames()
        let contents = try segments.map { try vault.content("index/\($0)") }
        try vault.mergeAllSegments()
        try vault.put("index/\(segments[0])", contents[0])
        try vault.put("index/\(segments[1])", Array(contents[1].prefix(9)))
        try vault.put("\(note).bak", vault.content(note))
        try vault.put(note, [])
        try vault.put("spare/\(slot)", [])
        try vault.put("README (1).md", vault.content("README.md"))
        try vault.put("README.md", bytes("other"))
        let run = "staging/" + String(repeating: "a", count: 32) + ".part"
        try vault.shell("mkdir -p \(run) && touch \(run)/plan")
      case .index: try vault.shell("rm -r index && mv \(note) a.sealed")
      }
    }
  }

  @Test(arguments: Damage.allCases, [FaultPlan.Effect.stop, .fail(.noSpace)])
  func nothingIsLostAtAnyStepAndTheNextRepairCompletes(
    damage: Damage, effect: FaultPlan.Effect
  ) throws {
    let base = try TestVault.withNotes()
    let notes = try base.sealedFiles()
    try damage.apply(to: base)
    for step in 1... {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: base)
      let isDone =
        (try? vault.repair(unlocked: damage.needsSecret, faults: plan)) != nil
      try vault.repair(unlocked: damage.needsSecret)
      #expect(try vault.findings() == [], "step \(step)")
      #expect(try vault.texts() == TestVault.noteTexts, "step \(step)")
      #expect(try vault.sealedFiles() == notes, "step \(step)")
      #expect(try vault.repairPlan(unlocked: damage.needsSecret) == [], "step \(step)")
      try vault.commit([.put("next", "more")])
      if !plan.wasReached {
        #expect(isDone)
        break
      }
    }
  }

  @Test func aRewrappingThatStoppedAtAnyStepIsSettled() throws {
    let base = try TestVault.withNotes()
    for step in 1... {
      let plan = FaultPlan(atStep: step, .stop)
      let vault = try TestVault(copying: base)
      _ = try? vault.rewrap(to: "another horse", faults: plan)
      try vault.repair()
      #expect(try vault.findings() == [], "step \(step)")
      let opensOld = (try? vault.opens(TestVault.passphrase)) == ["a", "b", "c"]
      let opensNew = (try? vault.opens("another horse")) == ["a", "b", "c"]
      #expect(opensOld != opensNew, "step \(step)")
      if !plan.wasReached { break }
    }
  }

  @Test func aReKeyingThatStoppedAtAnyStepIsSettled() throws {
    let base = try TestVault.withNotes()
    for step in 1... {
      let plan = FaultPlan(atStep: step, .stop)
      let vault = try TestVault(copying: base)
      _ = try? vault.rekey(to: "another horse", faults: plan)
      try vault.repair()
      #expect(try vault.findings() == [], "step \(step)")
      let opensOld = (try? vault.opens(TestVault.passphrase)) == ["a", "b", "c"]
      let opensNew = (try? vault.opens("another horse")) == ["a", "b", "c"]
      #expect(opensOld != opensNew, "step \(step)")
      if !plan.wasReached { break }
    }
  }

  @Test func segmentsThatWereHandedOverGoAndTheirNotesDoNotComeBack() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let segments = try vault.segmentNames()
    let files = try (segments.map { "index/\($0)" } + [note]).map { ($0, try vault.content($0)) }
    try vault.rekey(to: "another horse")
    for (name, content) in files { try vault.put(name, content) }
    try vault.shell("mv \(note) old.sealed")
    #expect(try vault.repair() == segments.map { "remove-segment index/\($0)" })
    #expect(try vault.opens("another horse") == ["a", "b", "c"])
    #expect(try vault.repair() == [])
  }

  @Test func aSlotOfOneOfTwoCompartmentsComesBack() throws {
    let vault = try TestVault.withNotes()
    try vault.reset(to: "fresh start", phrase: TestVault.otherPhrase)
    let slot = try vault.slotName()
    try vault.remove("spare/\(slot)")
    #expect(try vault.repair() == ["restore-slot spare/\(slot)"])
    #expect(try vault.findings() == [])
    #expect(try vault.opens("fresh start") == [])
  }

  @Test func fr121ARepairKeepsOtherWritersOut() throws {
    let vault = try TestVault.withNotes()
    let repair = try vault.beginRepair()
    #expect(throws: StoreError.busy) {
      _ = try WriterSession(vault.open(), bounds: TestVault.bounds, waitingSeconds: 0)
    }
    #expect(try repair.plan(with: nil).isEmpty)
  }

  @Test func aWriterKeepsARepairOutAndNotItsShowing() throws {
    let vault = try TestVault.withNotes()
    let session = try TestVault.session(vault.open())
    #expect(throws: StoreError.busy) {
      _ = try vault.beginRepair(for: .writing(waitingSeconds: 0))
    }
    #expect(try vault.repairPlan() == [])
    #expect(session.snapshot.findings.isEmpty)
  }

  @Test func whatChangedSinceItWasPlannedIsNotTouched() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    try vault.put("\(note).bak", vault.content(note))
    var repair = try vault.beginRepair()
    let plan = try repair.plan(with: nil)
    #expect(plan.actions.map(\.kind) == [.removeCopy])
    try vault.put("\(note).bak", bytes("mine"))
    #expect(throws: StoreError.changedMeanwhile) { _ = try repair.carryOut(plan, with: nil) }
    #expect(try vault.content("\(note).bak") == bytes("mine"))
  }
}
