import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What `verify --repair` mends without a secret, and what it leaves alone (spec §12.1).
@Suite struct RepairTests {
  /// Repairs, and checks that nothing is left to find or to do and that all notes are there.
  private func expectMended(
    _ vault: TestVault, by actions: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try vault.repairPlan() == actions, sourceLocation: sourceLocation)
    #expect(try vault.repair() == actions, sourceLocation: sourceLocation)
    #expect(try vault.findings() == [], sourceLocation: sourceLocation)
    #expect(try vault.repairPlan() == [], sourceLocation: sourceLocation)
    #expect(try vault.texts() == TestVault.noteTexts, sourceLocation: sourceLocation)
    #expect(try vault.sealedFiles().count == 3, sourceLocation: sourceLocation)
    #expect(try vault.names("staging") == nil, sourceLocation: sourceLocation)
  }

  /// Repairs a vault in which nothing can be mended, and checks that no byte changes.
  private func expectLeftAlone(
    _ vault: TestVault, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try vault.state()
    let findings = try vault.findings()
    #expect(findings != [], sourceLocation: sourceLocation)
    #expect(try vault.repair() == [], sourceLocation: sourceLocation)
    #expect(try vault.state() == before, sourceLocation: sourceLocation)
    #expect(try vault.findings() == findings, sourceLocation: sourceLocation)
  }

  @Test func aCleanVaultIsLeftAlone() throws {
    let vault = try TestVault.withNotes()
    let before = try vault.state()
    #expect(try vault.repair() == [])
    #expect(try vault.state() == before)
  }

  // MARK: - Slots

  @Test(arguments: ["index", "spare"]) func aLostCopyOfASlotIsWrittenAgain(folder: String) throws {
    let vault = try TestVault.withNotes()
    let slot = try vault.slotName()
    try vault.remove("\(folder)/\(slot)")
    try expectMended(vault, by: ["restore-slot \(folder)/\(slot)"])
  }

  @Test(arguments: ["index", "spare"]) func aDamagedCopyOfASlotIsReplaced(folder: String) throws {
    for position in [0, 9, 20, 60, 120, 200] {
      let vault = try TestVault.withNotes()
      let slot = try vault.slotName()
      var content = try vault.content("\(folder)/\(slot)")
      content[position] ^= 1
      try vault.put("\(folder)/\(slot)", content)
      try expectMended(vault, by: ["restore-slot \(folder)/\(slot)"])
    }
  }

  @Test func aLostFolderOfSparesIsMadeAgain() throws {
    let vault = try TestVault.withNotes()
    let slots = try #require(try vault.names("spare"))
    try vault.shell("rm -r spare")
    try expectMended(vault, by: slots.map { "restore-slot spare/\($0)" })
  }

  @Test func twoDamagedCopiesOfASlotAreLeftAlone() throws {
    let vault = try TestVault.withNotes()
    let slot = try vault.slotName()
    for folder in ["index", "spare"] {
      var content = try vault.content("\(folder)/\(slot)")
      content[100] ^= 1
      try vault.put("\(folder)/\(slot)", content)
    }
    try expectLeftAlone(vault)
  }

  @Test func fr093AStraySlotIsRemovedOnlyAsACopy() throws {
    let vault = try TestVault.withNotes()
    let slot = try vault.slotName()
    let foreign = try TestVault()
    let other = try foreign.slotName()
    try vault.put("index/\(slot.dropLast(5)) (1).slot", vault.content("index/\(slot)"))
    try vault.put("index/\(other)", foreign.content("index/\(other)"))
    try vault.put("index/empty.slot", [])
    #expect(try vault.repair() == ["remove-copy index/\(slot.dropLast(5)) (1).slot"])
    try expectLeftAlone(vault)
    #expect(try vault.content("index/\(other)") == foreign.content("index/\(other)"))
  }

  @Test func aSlotUnderTheNameOfAnotherIsNotLost() throws {
    let vault = try TestVault.withNotes()
    let slots = try #require(try vault.names("spare"))
    // The one lies where the other belongs, and nowhere else.
    try vault.put("index/\(slots[1])", vault.content("index/\(slots[0])"))
    try vault.remove("index/\(slots[0])")
    try vault.remove("spare/\(slots[0])")
    try expectMended(
      vault,
      by: [
        "move index/\(slots[0])", "restore-slot spare/\(slots[0])",
        "restore-slot index/\(slots[1])",
      ])
  }

  // MARK: - Strays

  @Test func fr097NothingTakesThePlaceOfAPlaceholder() throws {
    let vault = try TestVault.withNotes()
    let slot = try vault.slotName()
    try vault.remove("index/\(slot)")
    try vault.put("index/.\(slot).icloud", bytes("bplist00"))
    let note = try vault.notePath("a")
    let name = note.dropFirst(9)
    let content = try vault.content(note)
    try vault.remove(note)
    try vault.put("\(note.prefix(9)).\(name).icloud", bytes("bplist00"))
    try vault.put("\(note.prefix(9))copy of \(name)", content)
    try expectLeftAlone(vault)
  }

  @Test func copiesOfProperFilesGo() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let segment = try #require(try vault.segmentNames().first)
    let copies = [
      "index/\(segment).bak": "index/\(segment)", "VAULT (1)": "VAULT",
      "README (1).md": "README.md", "\(note) (conflicted copy)": note, "notes.sealed": note,
    ]
    for (copy, proper) in copies { try vault.put(copy, vault.content(proper)) }
    try expectMended(
      vault,
      by: ["remove-copy index/\(segment).bak"]
        + copies.keys.filter { !$0.hasPrefix("index") }.sorted().map { "remove-copy \($0)" })
  }

  @Test func aSecondNameOfOneFileIsNoCopy() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    try vault.shell("ln \(note) \(note).bak")
    try expectLeftAlone(vault)
  }

  @Test func whatHasNoPlaceInAVaultIsLeftAlone() throws {
    let vault = try TestVault.withNotes()
    try vault.put("shopping.md", bytes("milk"))
    try vault.put("index/notes.txt", bytes("plain"))
    try vault.put("notes/x.sealed", [])
    try vault.shell("ln -s README.md link && mkdir drafts notes/empty")
    try expectLeftAlone(vault)
  }

  @Test func misnamedFilesGetTheirNames() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let second = try vault.notePath("b")
    let segment = try #require(try vault.segmentNames().first)
    let slot = try vault.slotName()
    let folder = note.dropFirst(6).prefix(2)
    try vault.shell("mv \(note) notes/\(note.dropFirst(9).uppercased())")
    try vault.shell("mkdir 'notes/x (1)' && mv \(second) 'notes/x (1)/'")
    try vault.shell("mv index/\(segment) spare/ && mv index/\(slot) .")
    try vault.shell("rmdir notes/\(folder) 2> /dev/null; true")
    let done = try vault.repair()
    #expect(done.first == "move index/\(segment)")
    #expect(
      Set(done) == [
        "move index/\(segment)", "move index/\(slot)", "move \(note)", "move \(second)",
        "remove-folder notes/x (1)",
      ])
    #expect(try vault.findings() == [])
    #expect(try vault.texts() == TestVault.noteTexts)
  }

  @Test func twoNotesUnderEachOthersNamesAreLeftAlone() throws {
    let vault = try TestVault.withNotes()
    let (a, b) = (try vault.notePath("a"), try vault.notePath("b"))
    try vault.shell("mv \(a) x && mv \(b) \(a) && mv x \(b)")
    try expectLeftAlone(vault)
  }

  @Test func aGoodCopyReplacesADamagedNote() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let content = try vault.content(note)
    for damage in [
      Array(content.dropLast(100)), [], [UInt8](repeating: 0, count: content.count),
      content.dropLast() + [content[content.count - 1] ^ 1],
    ] {
      try vault.put(note, damage)
      try vault.put("\(note.dropLast(7)) 2.sealed", content)
      try expectMended(vault, by: ["move \(note)"])
    }
  }

  @Test func aNewerNoteIsNotReplacedByACopyOfAnOlderOne() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let old = try vault.content(note)
    let segments = try vault.segmentNames()
    try vault.commit([.put("a", "newer")])
    let newest = try #require(try vault.segmentNames().first { !segments.contains($0) })
    // The index knows the older one only, and the newer one lies in place.
    try vault.remove("index/\(newest)")
    try vault.put("\(note).bak", old)
    try expectLeftAlone(vault)
  }

  @Test func aNoteOfALaterVersionIsNotTakenForDamage() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    var content = try vault.content(note)
    try vault.put("\(note).bak", content)
    content[9] = 2
    try vault.put(note, content)
    try expectLeftAlone(vault)
  }

  @Test func theOlderFormOfANoteGivesWayToTheListedOne() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let old = try vault.content(note)
    try vault.commit([.put("a", "newer")])
    try vault.put("\(note) (1)", vault.content(note))
    try vault.put(note, old)
    #expect(try vault.findings().contains(Reported(.noteSuperseded, note)))
    #expect(try vault.repair() == ["move \(note)"])
    #expect(try vault.findings() == [])
    #expect(try vault.texts()["a"] == "newer")
  }

  @Test func aDeletedNoteDoesNotComeBack() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let old = try vault.content(note)
    try vault.commit([.delete("a")])
    try vault.put("\(note.dropFirst(9)).bak", old)
    try expectLeftAlone(vault)
    #expect(try vault.repair(unlocked: true) == [])
  }

  @Test func fr096AMissingNoteIsNeverDroppedFromTheIndex() throws {
    let vault = try TestVault.withNotes()
    try vault.remove(vault.notePath("a"))
    try expectLeftAlone(vault)
    #expect(try vault.repair(unlocked: true) == [])
  }

  // MARK: - VAULT and companions

  @Test func aLostOrDamagedVAULTIsRebuilt() throws {
    for damage in ["rm VAULT", ": > VAULT", "printf x > VAULT", "head -c 40 VAULT > V; mv V VAULT"]
    {
      let vault = try TestVault.withNotes()
      let header = try vault.content("VAULT")
      try vault.shell(damage)
      try expectMended(vault, by: ["rebuild-header VAULT"])
      #expect(try vault.content("VAULT") == header)
    }
  }

  @Test func aVAULTOfAnotherVaultIsReplaced() throws {
    let vault = try TestVault.withNotes()
    try vault.put("VAULT", TestVault().content("VAULT"))
    try expectMended(vault, by: ["rebuild-header VAULT"])
  }

  @Test func aVAULTThatNoSegmentNamesIsNotRebuilt() throws {
    let vault = try TestVault.withNotes()
    try vault.shell("rm VAULT index/*.seg")
    try expectLeftAlone(vault)
  }

  @Test func anythingElseIsMendedTogetherWithVAULT() throws {
    let vault = try TestVault.withNotes()
    let slot = try vault.slotName()
    try vault.put("copy of VAULT", vault.content("VAULT"))
    try vault.shell("rm VAULT index/\(slot)")
    try expectMended(
      vault,
      by: ["rebuild-header VAULT", "remove-copy copy of VAULT", "restore-slot index/\(slot)"])
  }

  @Test func lostAndChangedCompanionsAreWrittenAgain() throws {
    let vault = try TestVault.withNotes()
    try vault.put("README.md", bytes("Type your phrase here"))
    try vault.remove(".gitignore")
    try expectMended(vault, by: ["restore-companion .gitignore", "restore-companion README.md"])
  }

  @Test func aCompanionThatThisVersionDoesNotWriteIsLeftAlone() throws {
    let vault = try TestVault.withNotes()
    try vault.remove(".gitignore")
    try vault.shell("ln -s README.md .gitignore")
    try expectLeftAlone(vault)
  }

  // MARK: - Segments and runs

  @Test func replacedSegmentsGoDamagedOrNot() throws {
    let vault = try TestVault.withNotes()
    let old = try vault.segmentNames()
    let contents = try old.map { try vault.content("index/\($0)") }
    try vault.mergeAllSegments()
    for (name, content) in zip(old, contents) { try vault.put("index/\(name)", content) }
    try vault.put("index/\(old[1])", contents[1].dropLast(70))
    try vault.put("index/\(old[2])", Array(contents[2].prefix(5)))
    try expectMended(vault, by: old.map { "remove-segment index/\($0)" })
    #expect(try vault.segmentNames().count == 1)
  }

  @Test func aDamagedSegmentThatNothingReplacesIsLeftAlone() throws {
    let vault = try TestVault.withNotes()
    let segment = try #require(try vault.segmentNames().first)
    try vault.put("index/\(segment)", vault.content("index/\(segment)").dropLast())
    try expectLeftAlone(vault)
  }

  @Test func fr105LeftoversGoAndNothingElseInThem() throws {
    let vault = try TestVault.withNotes()
    let run = "staging/" + String(repeating: "a", count: 32) + ".part"
    try vault.shell("mkdir -p \(run)")
    try vault.put("\(run)/plan", bytes("cut of"))
    try expectMended(vault, by: ["remove-leftover \(run)"])
    try vault.shell("mkdir -p \(run)")
    try vault.put("\(run)/mine.md", bytes("plain"))
    try vault.put("\(run)/new", bytes("cut of"))
    try vault.repair()
    #expect(try vault.names(run) == ["mine.md"])
  }

  @Test func aRunThatCannotBeCompletedIsLeftAndTheRestIsMended() throws {
    let vault = try TestVault.withNotes()
    let slot = try vault.slotName()
    let segment = try #require(try vault.segmentNames().first)
    let run = "staging/\(segment.dropLast(4))"
    try vault.shell("mkdir -p \(run) && ln -s ../../README.md \(run)/plan && rm index/\(slot)")
    #expect(try vault.repair() == ["restore-slot index/\(slot)"])
    #expect(try vault.findings().contains(Reported(.unfinishedCommit, run)))
    try vault.shell("rm -r staging && touch staging")
    #expect(try vault.repair() == [])
  }

  @Test func aRunThatStoppedAfterItsCommitIsCompleted() throws {
    let vault = try TestVault.withNotes()
    let count = try vault.segmentNames().count
    for step in 1... {
      let torn = try TestVault(copying: vault)
      let plan = FaultPlan(atStep: step, .stop)
      _ = try? torn.commit([.put("d", "four")], faults: plan)
      try #require(plan.wasReached)
      guard try torn.segmentNames().count > count else { continue }
      let run = try #require(try torn.names("staging")?.first)
      #expect(try torn.repair() == ["complete-run staging/\(run)"])
      #expect(try torn.findings() == [])
      #expect(try torn.texts()["d"] == "four")
      break
    }
  }

  @Test func aRunWhoseSegmentWasLostIsNoLeftover() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let run = "staging/" + String(repeating: "a", count: 32)
    try vault.shell("mkdir -p \(run) && mv \(note) \(run)/ && rm index/*.seg")
    try expectLeftAlone(vault)
  }
}
