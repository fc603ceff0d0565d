import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What `verify --repair --unlock` lists again, and what it never lists (spec §12.1).
@Suite struct RepairListingTests {
  private func kinds(_ actions: [String]) -> [String] {
    actions.map { String($0.prefix { $0 != " " }) }
  }

  private func expectClean(
    _ vault: TestVault, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let findings = try vault.verifyUnlocked().findings.filter { $0.severity != .note }
    #expect(findings.map(Reported.init) == [], sourceLocation: sourceLocation)
    #expect(try vault.repairPlan(unlocked: true) == [], sourceLocation: sourceLocation)
    try expectSettled(vault, sourceLocation: sourceLocation)
  }

  @Test func aLostIndexIsRebuiltFromTheNotes() throws {
    let vault = try TestVault.withNotes()
    try vault.shell("rm -r index")
    #expect(try vault.repairPlan() == [])
    let done = try vault.repair(unlocked: true)
    let expected = [
      "list-companion": 3, "list-note": 3, "list-slot": 2, "restore-slot": 2,
    ]
    #expect(Dictionary(grouping: kinds(done)) { $0 }.mapValues(\.count) == expected)
    #expect(try vault.texts() == TestVault.noteTexts)
    try expectClean(vault)
    try vault.commit([.put("d", "four"), .delete("a")])
    try expectClean(vault)
  }

  @Test func aLostVAULTAndIndexAreRebuiltTogether() throws {
    for damage in ["rm VAULT", "printf x > VAULT"] {
      let vault = try TestVault.withNotes()
      let header = try vault.content("VAULT")
      try vault.shell("\(damage) && rm -r index")
      #expect(try vault.repairPlan() == [])
      #expect(try vault.repair(unlocked: true).first == "rebuild-header VAULT")
      #expect(try vault.content("VAULT") == header)
      #expect(try vault.texts() == TestVault.noteTexts)
      try expectClean(vault)
    }
  }

  @Test func lostSegmentsAreMadeGoodTogetherWithTheIndexFolderInPlace() throws {
    let vault = try TestVault.withNotes()
    try vault.shell("rm index/*.seg")
    try vault.repair(unlocked: true)
    #expect(try vault.texts() == TestVault.noteTexts)
    #expect(try vault.segmentNames().count == 1)
    try expectClean(vault)
  }

  @Test func aMissingSegmentIsExcusedAndItsNotesAreListed() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let before = try vault.segmentNames()
    try vault.commit([.put("b", "two")])
    let lost = try #require(try vault.segmentNames().first { !before.contains($0) })
    try vault.commit([.put("c", "three")])
    let content = try vault.content("index/\(lost)")
    let note = try vault.notePath("b")
    try vault.remove("index/\(lost)")
    #expect(
      try vault.repair(unlocked: true) == ["excuse-segment index/\(lost)", "list-note \(note)"])
    #expect(try vault.texts() == TestVault.noteTexts)
    try expectClean(vault)
    // What comes back is welcome.
    try vault.put("index/\(lost)", content)
    #expect(try vault.texts() == TestVault.noteTexts)
    try expectClean(vault)
  }

  @Test func theNotesOfALostNewestSegmentAreListedByTheirHeaders() throws {
    let vault = try TestVault.withNotes()
    let before = try vault.segmentNames()
    try vault.commit([.put("new", "newest")])
    let newest = try #require(try vault.segmentNames().first { !before.contains($0) })
    let note = try vault.notePath("new")
    try vault.remove("index/\(newest)")
    #expect(try vault.findings() == [Reported(.noteUnlisted, note)])
    #expect(try vault.repair() == [])
    #expect(try vault.repair(unlocked: true) == ["list-note \(note)"])
    #expect(try vault.texts()["new"] == "newest")
    try expectClean(vault)
  }

  @Test func aNoteWithAnotherStateThanListedIsNotTouched() throws {
    let vault = try TestVault.withNotes()
    let before = try vault.segmentNames()
    try vault.commit([.put("a", "changed"), .put("d", "four")])
    let newest = try #require(try vault.segmentNames().first { !before.contains($0) })
    let (a, d) = (try vault.notePath("a"), try vault.notePath("d"))
    try vault.remove("index/\(newest)")
    let content = try vault.content(a)
    #expect(try vault.repair(unlocked: true) == ["list-note \(d)"])
    #expect(try vault.content(a) == content)
    #expect(try vault.findings().map(\.path) == [a])
  }

  @Test func aDeletedNoteIsNotListedAgain() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let content = try vault.content(note)
    try vault.commit([.delete("a")])
    try vault.put(note, content)
    #expect(try vault.repair(unlocked: true) == [])
    #expect(try vault.findings() == [Reported(.noteDeleted, note)])
  }

  @Test func whatIsNotAuthenticIsLeftAndNamed() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    var content = try vault.content(note)
    content[content.count - 5] ^= 1
    try vault.put(note, content)
    try vault.shell("rm index/*.seg")
    let repair = try vault.beginRepair(for: .showing)
    let plan = try repair.plan(with: try vault.openedSlots(repair))
    #expect(plan.left.map(Reported.init) == [Reported(.sealBroken, note)])
    #expect(plan.needsJudgement)
    #expect(plan.actions.count { $0.kind == .listNote } == 2)
    #expect(plan.actions.compactMap(\.note).sorted { $0[0] < $1[0] } == [bytes("b"), bytes("c")])
  }

  @Test func fr099ANoteWithAPathThatLeadsOutIsNotListed() throws {
    let vault = try TestVault.withNotes()
    let compartment = try #require(try vault.unlock().compartments.first)
    let id = try Fresh().id
    let note = try FaultyNote(.headerPath, id: id, keys: compartment.secret.keys)
    let path = String(decoding: Layout.notePath(id), as: UTF8.self)
    try vault.shell("mkdir -p \(path.prefix(8))")
    try vault.put(path, note.bytes)
    #expect(try vault.repair(unlocked: true) == [])
    #expect(try vault.findings() == [Reported(.noteUnlisted, path)])
  }

  @Test func aLostIndexIsNotTakenForAnEmptyVault() throws {
    let vault = try TestVault.withNotes()
    try vault.shell("rm -r index notes")
    let before = try vault.state()
    #expect(try vault.repair(unlocked: true) == [])
    #expect(try vault.state() == before)
    #expect(try vault.findings().contains(Reported(.noIndex, "index")))
  }

  @Test func twoNotesWithOnePathAreBothListed() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    try vault.commit([.move("a", to: "b")])
    try vault.commit([.put("a", "two")])
    try vault.shell("rm index/*.seg")
    try vault.repair(unlocked: true)
    let texts = try vault.texts()
    #expect(texts.count == 2)
    #expect(Set(texts.values) == ["one", "two"])
    #expect(texts["a"] != nil)
  }

  @Test func aStrayNoteThatNoSegmentListsIsMovedAndListed() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    try vault.shell("mv \(note) lost.sealed && rm index/*.seg")
    let done = try vault.repair(unlocked: true)
    #expect(done.contains("move \(note)") && done.contains("list-note \(note)"))
    #expect(try vault.texts() == TestVault.noteTexts)
    try expectClean(vault)
  }

  @Test func nothingIsListedAnewWhileASegmentIsOnItsWay() throws {
    let vault = try TestVault.withNotes()
    for name in try vault.segmentNames() {
      try vault.remove("index/\(name)")
      try vault.put("index/.\(name).icloud", bytes("bplist00"))
    }
    let repair = try vault.beginRepair(for: .showing)
    let plan = try repair.plan(with: try vault.openedSlots(repair))
    #expect(plan.isEmpty)
    #expect(plan.left.map(\.code) == Array(repeating: .notDownloaded, count: 3))
  }

  @Test func anIndexThatCannotBeListedIsNotLost() throws {
    let vault = try TestVault.withNotes()
    try vault.shell("mv index elsewhere && touch index")
    let before = try vault.state()
    #expect(try vault.repair() == [])
    #expect(throws: StoreError.secretRefused(notTried: 0)) { try vault.repair(unlocked: true) }
    #expect(try vault.state() == before)
  }
}
