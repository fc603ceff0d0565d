import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What merges, reverts and cherry-picks leave undecided is settled in one segment, and nothing else is (spec §7.6).
@Suite struct ReconcilingTests {
  /// A vault with two notes, and its files as the common base.
  private func vault() throws -> (TestVault, VaultFiles) {
    let vault = try TestVault()
    try vault.commit([.put("a.md", "first"), .put("b.md", "other")])
    return (vault, try vault.files())
  }

  /// A file that both sides of a merge changed.
  private struct Both {
    let vault: TestVault
    let name: String
    let ours: [UInt8]?
    let theirs: [UInt8]?
  }

  /// Two branches that changed one note, merged with the side that `choose` takes.
  private func conflict(
    ours: [TestChange] = [.put("a.md", "ours")], theirs: [TestChange] = [.put("a.md", "theirs")],
    choosing choose: (Both) throws -> [UInt8]?
  ) throws -> TestVault {
    let (vault, base) = try vault()
    let other = try vault.branch()
    try vault.commit(ours)
    try other.commit(theirs)
    try vault.merge(other, base: base) { name, ours, theirs in
      try choose(Both(vault: vault, name: name, ours: ours, theirs: theirs))
    }
    return vault
  }

  @Test(arguments: [true, false])
  func theSideThatLiesOnTheDiskBecomesTheNote(takesOurs: Bool) throws {
    let vault = try conflict { takesOurs ? $0.ours : $0.theirs }
    #expect(try vault.errorCodes() == ["note-conflict"])
    let before = try vault.sealedFiles()
    let items = try vault.reconcile()
    #expect(items.map(\.code) == [.noteConflict])
    #expect(items.map(\.isAutomatic) == [true])
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["a.md": takesOurs ? "ours" : "theirs", "b.md": "other"])
    let changed = try vault.sealedFiles().filter { before[$0.key] != $0.value }
    #expect(changed.count == 1, "sealed again, and nothing else touched")
    #expect(try vault.reconcile().isEmpty, "nothing is left")
  }

  @Test func aDeletionAgainstAnEditIsDecidedByWhatLiesThere() throws {
    let kept = try conflict(theirs: [.delete("a.md")]) { $0.ours ?? $0.theirs }
    #expect(try kept.errorCodes() == ["note-conflict"])
    try kept.reconcile()
    #expect(try kept.errorCodes() == [])
    #expect(try kept.texts()["a.md"] == "ours")

    let gone = try conflict(theirs: [.delete("a.md")]) { _ in nil }
    #expect(try gone.reconcile().map(\.step) == [.delete])
    #expect(try gone.errorCodes() == [])
    #expect(try gone.texts() == ["b.md": "other"])
  }

  @Test func aNoteThatBothBranchesLostIsNotDeletedWithoutAWord() throws {
    let vault = try conflict { _ in nil }
    let items = try vault.reconcile()
    #expect(items.map(\.isAutomatic) == [false])
    #expect(try vault.errorCodes() == ["note-conflict", "note-missing"])
    try vault.reconcile { _ in true }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["b.md": "other"])
  }

  @Test func whatTheMergeDriverSealedFromBothSettlesTheConflict() throws {
    let vault = try conflict { try Self.drive($0, "ours and theirs") }
    #expect(try vault.errorCodes().first == "note-changed")
    #expect(try vault.reconcile().map(\.isAutomatic) == [true])
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts()["a.md"] == "ours and theirs")
    for (id, file) in try vault.sealedFiles() {
      var reader = ByteReader(file.span)
      let head = try SealedFileHead(parsing: &reader)
      #expect(MergedFrom(in: head.laterKeys) == nil, "\(id.hex) is an ordinary file again")
    }
  }

  @Test func aMergedFileOfOtherVersionsIsNotTaken() throws {
    // What was merged once lies there again when the note has moved on.
    var merged: [UInt8] = []
    let vault = try conflict {
      merged = try Self.drive($0, "ours and theirs")
      return merged
    }
    try vault.reconcile()
    let base = try vault.files()
    let other = try vault.branch()
    try vault.commit([.put("a.md", "ours later")])
    try other.commit([.put("a.md", "theirs later")])
    try vault.merge(other, base: base) { _, _, _ in merged }
    #expect(try vault.reconcile().map(\.isAutomatic) == [false])
    #expect(try vault.errorCodes() == ["note-changed", "note-conflict"])
  }

  @Test func anOlderVersionIsTakenOnlyWhenAccepted() throws {
    let (vault, old) = try vault()
    try vault.commit([.put("a.md", "second")])
    let now = try vault.files()
    let name = try #require(now.keys.first { old[$0] != nil && now[$0] != old[$0] })
    try vault.put(name, try #require(old[name]))
    #expect(try vault.errorCodes() == ["note-superseded"])
    let items = try vault.reconcile()
    #expect(items.map(\.isAutomatic) == [false])
    #expect(items.map(\.name) == [bytes("a.md")])
    #expect(try vault.errorCodes() == ["note-superseded"], "nothing is done without a word")
    try vault.reconcile { $0.code == .noteSuperseded }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts()["a.md"] == "first")
  }

  @Test func aRevertOfACommitInTheMiddleIsSettledWhenAccepted() throws {
    let (vault, before) = try vault()
    try vault.commit([.put("a.md", "second")])
    let after = try vault.files()
    try vault.commit([.put("b.md", "other second")])
    try vault.apply(from: after, to: before)
    #expect(try vault.errorCodes() == ["segment-missing"])
    try vault.reconcile { _ in true }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["a.md": "first", "b.md": "other second"])
  }

  @Test func aCherryPickWithoutItsParentIsSettledWhenAccepted() throws {
    let (vault, base) = try vault()
    let other = try vault.branch()
    try other.commit([.put("b.md", "left out")])
    let from = try other.files()
    try other.commit([.put("a.md", "picked")])
    try vault.apply(from: from, to: try other.files())
    #expect(try vault.errorCodes() == ["segment-missing"])
    try vault.reconcile { _ in true }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["a.md": "picked", "b.md": "other"])
    // The excused segment may come later all the same.
    try vault.merge(other, base: base)
    #expect(try vault.texts()["b.md"] == "left out")
  }

  @Test func aPickedEditOfANoteThatIsNotHereGetsThePathItWasSealedUnder() throws {
    let (vault, base) = try vault()
    let other = try vault.branch()
    try other.commit([.put("new/c.md", "begun")])
    let from = try other.files()
    try other.commit([.put("new/c.md", "picked")])
    try vault.apply(from: from, to: try other.files())
    #expect(try vault.errorCodes() == ["malformed", "segment-missing"])
    let items = try vault.reconcile()
    #expect(items.map(\.code) == [.malformed, .segmentMissing])
    #expect(items.map(\.isAutomatic) == [false, false])
    try vault.reconcile { _ in true }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["a.md": "first", "b.md": "other", "new/c.md": "picked"])
    // The excused segment may come later all the same.
    try vault.merge(other, base: base) { _, ours, _ in ours }
    try vault.reconcile()
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts()["new/c.md"] == "picked")
  }

  @Test func aDeletedNoteThatIsBackIsTakenOnlyWhenAccepted() throws {
    let (vault, old) = try vault()
    try vault.commit([.delete("a.md")])
    let name = try #require(old.keys.first { (try? vault.content($0)) == nil })
    try vault.checkOut(try vault.files().merging([name: old[name] ?? []]) { first, _ in first })
    #expect(try vault.errorCodes() == ["note-deleted"])
    try vault.reconcile()
    #expect(try vault.errorCodes() == ["note-deleted"])
    try vault.reconcile { _ in true }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["a.md": "first", "b.md": "other"])
  }

  @Test func aRevertedRewrappingNeverCostsTheLastPassphrase() throws {
    let (vault, before) = try vault()
    try vault.rewrap(to: TestVault.passphrase)
    let after = try vault.files()
    try vault.mergeAllSegments()
    try vault.apply(from: after, to: before)
    #expect(try vault.errorCodes() == ["slot-deleted", "slot-missing", "spare-missing"])
    #expect(try vault.reconcile { _ in true }.map(\.step) == [.none, .none])
    #expect(try vault.texts() == ["a.md": "first", "b.md": "other"])
    // With a listed slot for it the rest can be settled.
    try vault.rewrap(to: "another one")
    try vault.reconcile(with: "another one") { _ in true }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.opens("another one") == ["a.md", "b.md"])
  }

  @Test func aFileThatDoesNotOpenIsNeverStated() throws {
    let vault = try conflict {
      var damaged = $0.ours ?? []
      damaged[damaged.count - 1] ^= 1
      return damaged
    }
    let before = try vault.files()
    #expect(try vault.reconcile { _ in true }.map(\.step) == [.none])
    #expect(try vault.files() == before)
  }

  @Test func aChangedCompanionIsListedOnlyWhenAccepted() throws {
    let (vault, _) = try vault()
    try vault.put("README.md", bytes("type your phrase here"))
    #expect(try vault.reconcile().map(\.isAutomatic) == [false])
    #expect(try vault.errorCodes() == ["companion-changed"])
    try vault.reconcile { _ in true }
    #expect(try vault.errorCodes() == [])
  }

  @Test func renamesAndEditsOfOneNoteMergeByThemselves() throws {
    let vault = try conflict(ours: [.move("a.md", to: "c.md")]) {
      Issue.record("\($0.name) is in conflict")
      return nil
    }
    #expect(try vault.errorCodes() == [])
    #expect(try vault.texts() == ["c.md": "theirs", "b.md": "other"])
  }

  @Test(arguments: [FaultPlan.Effect.stop, .fail(.noSpace)])
  func oneThatEndsAtAnyStepLosesNothingAndIsCompletedByTheNext(
    effect: FaultPlan.Effect
  ) throws {
    let base = try conflict { $0.theirs ?? $0.ours }
    var step = 1
    while true {
      let plan = FaultPlan(atStep: step, effect)
      let vault = try TestVault(copying: base)
      let isDone = (try? vault.reconcile(faults: plan)) != nil
      #expect(try vault.texts()["a.md"] == "theirs", "step \(step)")
      try vault.reconcile()
      #expect(try vault.errorCodes() == [], "step \(step)")
      #expect(try vault.texts() == ["a.md": "theirs", "b.md": "other"], "step \(step)")
      if !plan.wasReached {
        #expect(isDone)
        break
      }
      step += 1
    }
  }

  /// What a merge driver makes of two sealed files.
  private static func drive(_ both: Both, _ text: String) throws -> [UInt8] {
    let id = try #require(FileNameHex.noteID(bytes(String(both.name.suffix(39)))))
    let secret = try #require(try both.vault.unlock().compartments.first).secret
    let driving = MergeDriving(secret, of: id)
    let place = try TemporaryFolder.inMemory()
    let folder = try Directory(path: place.bytes)
    var versions: [MergeDriving.Version] = []
    for (name, content) in [("ours", both.ours), ("theirs", both.theirs)] {
      let file = try folder.createFile(bytes(name))
      let sealed = try #require(content)
      try file.write(sealed.span, at: 0)
      versions.append(try driving.open(file))
    }
    return try driving.seal(bytes(text), from: versions[0], and: versions[1])
  }
}
