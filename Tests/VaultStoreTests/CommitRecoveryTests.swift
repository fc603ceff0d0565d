import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What the next writer does with a run that stopped after its commit, and with what else lies in `staging/` (spec §9).
@Suite struct CommitRecoveryTests {
  private func sealedPath(_ id: NoteID) -> String {
    String(decoding: Layout.notePath(id), as: UTF8.self)
  }

  private func run(of vault: TestVault) throws -> String {
    "staging/" + (try #require(try vault.names("staging")?.first))
  }

  /// The same commit, stopped as late as it can be without any note in its place.
  private func torn(_ changes: [TestChange], in vault: TestVault) throws -> TestVault {
    let files = try vault.sealedFiles()
    var last: TestVault?
    var step = 1
    while true {
      let copy = try TestVault(copying: vault)
      let plan = FaultPlan(atStep: step, .stop)
      _ = try? copy.commit(changes, faults: plan)
      let isCommitted = try copy.names("index")?.count ?? 0 > vault.names("index")?.count ?? 0
      if isCommitted, try copy.sealedFiles() != files { break }
      if isCommitted { last = copy }
      if !plan.wasReached { break }
      step += 1
    }
    return try #require(last)
  }

  private func id(_ path: String, in vault: TestVault) throws -> NoteID {
    try #require(try vault.unlock().note(at: bytes(path))).id
  }

  private func recover(_ vault: TestVault) throws {
    var session = try TestVault.session(vault.open())
    try session.removeLeftovers()
  }

  /// A writer that cannot complete the run says so and builds nothing on it.
  private func expectRefusal(_ vault: TestVault, leftAlone count: Int) throws {
    let error = #expect(throws: StoreError.self) { _ = try TestVault.session(vault.open()) }
    guard case .indexNotSound(let findings) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(findings.map(\.code) == [.unfinishedCommit])
    #expect(findings.first?.message.hasPrefix("\(count) notes are neither") == true)
  }

  @Test func aFileThatACheckoutPutBackIsNotOverwrittenAndTheStagedOneIsKept() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let id = try id("a", in: vault)
    let older = try vault.content(sealedPath(id))
    try vault.commit([.put("a", "two")])
    let torn = try torn([.put("a", "three")], in: vault)
    try torn.put(sealedPath(id), older)
    try expectRefusal(torn, leftAlone: 1)
    #expect(try torn.content(sealedPath(id)) == older)
    #expect(try torn.names(run(of: torn))?.sorted() == ["\(id.hex).sealed", "plan"])
    #expect(try torn.texts() == ["a": "three"])
  }

  @Test(arguments: ["", "<<<<<<< HEAD\n", "another thing"])
  func whatIsNoSealedFileIsNeitherOverwrittenNorDeleted(content: String) throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one"), .put("b", "two")])
    let ids = try (id("a", in: vault), id("b", in: vault))
    let torn = try torn([.put("a", "three"), .delete("b")], in: vault)
    try torn.put(sealedPath(ids.0), bytes(content))
    try torn.put(sealedPath(ids.1), bytes(content))
    try expectRefusal(torn, leftAlone: 2)
    #expect(try torn.content(sealedPath(ids.0)) == bytes(content))
    #expect(try torn.content(sealedPath(ids.1)) == bytes(content))
    #expect(try torn.texts() == ["a": "three"])
  }

  @Test(arguments: ["damaged", "a link"])
  func aStagedFileThatIsNotTheListedOneIsNotMoved(kind: String) throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let id = try id("a", in: vault)
    let torn = try torn([.put("a", "two")], in: vault)
    let before = try torn.content(sealedPath(id))
    let staged = "\(try run(of: torn))/\(id.hex).sealed"
    try torn.shell(
      kind == "a link"
        ? "mv \(staged) elsewhere && ln -s ../../elsewhere \(staged)"
        : "printf x | dd of=\(staged) bs=1 seek=700 conv=notrunc status=none")
    try expectRefusal(torn, leftAlone: 1)
    #expect(try torn.content(sealedPath(id)) == before)
  }

  @Test func aRunWithoutItsPlanStopsTheNextWriter() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("a", "two")], in: vault)
    try torn.shell("rm \(try run(of: torn))/plan")
    try expectRefusal(torn, leftAlone: 1)
    #expect(try torn.texts() == ["a": "two"])
  }

  @Test func aPlanThatLiesRemovesNoCurrentFile() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let note = try #require(try vault.unlock().note(at: bytes("a")))
    let torn = try torn([.put("a", "two")], in: vault)
    for after in [note.digest, nil] {
      let lie = try CommitPlan(items: [.init(noteID: note.id, before: note.digest, after: after)])
      try torn.put("\(try run(of: torn))/plan", lie.encoded())
      try expectRefusal(torn, leftAlone: 1)
      #expect(try torn.texts() == ["a": "two"])
    }
  }

  @Test func aLinkInTheWayOfANoteIsLeftAlone() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let id = try id("a", in: vault)
    let torn = try torn([.put("a", "two")], in: vault)
    try torn.shell("mv \(sealedPath(id)) elsewhere && ln -s ../../elsewhere \(sealedPath(id))")
    try expectRefusal(torn, leftAlone: 1)
    try torn.shell("test -L \(sealedPath(id)) && test -f elsewhere")
    #expect(try torn.texts() == ["a": "two"])
  }

  @Test func aNewNoteDoesNotReplaceAFileThatIsInItsPlace() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("b", "two")], in: vault)
    let new = try id("b", in: torn)
    let other = try vault.content(sealedPath(id("a", in: vault)))
    try torn.shell("mkdir -p notes/\(String(new.hex.prefix(2)))")
    try torn.put(sealedPath(new), other)
    try expectRefusal(torn, leftAlone: 1)
    #expect(try torn.content(sealedPath(new)) == other)
    #expect(try torn.texts() == ["a": "one", "b": "two"])
  }

  @Test func whatAnotherCloneHasPutInPlaceAlreadyIsDone() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one"), .put("b", "two")])
    let torn = try torn([.put("a", "three"), .put("c", "four"), .delete("b")], in: vault)
    let complete = try TestVault(copying: torn)
    try recover(complete)
    try expectSettled(complete)
    for (id, file) in try complete.sealedFiles() {
      try torn.shell("mkdir -p notes/\(String(id.hex.prefix(2)))")
      try torn.put(sealedPath(id), file)
    }
    try torn.remove(sealedPath(id("b", in: vault)))
    try recover(torn)
    try expectSettled(torn)
    #expect(try torn.texts() == ["a": "three", "c": "four"])
  }

  @Test func aStagedFileThatALaterSegmentSupersedesIsRemovedAndNotUsed() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("a", "two")], in: vault)
    let complete = try TestVault(copying: torn)
    try complete.commit([.put("a", "three")])
    let id = try id("a", in: vault)
    // A merge brings the later segment and its note beside the run that nobody completed here.
    for name in try complete.names("index") ?? [] where name.hasSuffix(".seg") {
      try torn.put("index/\(name)", complete.content("index/\(name)"))
    }
    try torn.put(sealedPath(id), complete.content(sealedPath(id)))
    #expect(try torn.texts() == ["a": "three"])
    try recover(torn)
    try expectSettled(torn)
    #expect(try torn.texts() == ["a": "three"])
  }

  @Test func aRunThatDidNotCommitIsNeverReadAndIsRemoved() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("a", "two")], in: vault)
    let segment = try #require(
      try torn.names("index")?.first { try vault.names("index")?.contains($0) == false })
    // The same run, as it was before its segment came into the index: under both names that it had.
    try torn.remove("index/\(segment)")
    for name in [String(segment.dropLast(4)), String(repeating: "0", count: 32) + ".part"] {
      let copy = try TestVault(copying: torn)
      try copy.shell("mv -T \(run(of: copy)) staging/x && mv -T staging/x staging/\(name)")
      #expect(try copy.texts() == ["a": "one"])
      let folder = try copy.open()
      #expect(try StagedRuns.readable(in: folder, copy.snapshot()) == [])
      try recover(copy)
      try expectSettled(copy)
      #expect(try copy.texts() == ["a": "one"])
    }
  }

  @Test func aRunWhoseSegmentWasCompactedIsCompletedAllTheSame() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("a", "two")], in: vault)
    let snapshot = try torn.snapshot()
    let index = try #require(snapshot.compartments.values.first)
    let unlocked = try torn.unlock()
    var random = SystemRandomNumberGenerator()
    let merged = try TestSegments.compact(
      index.live, keys: try #require(unlocked.compartments.first).secret,
      vaultDigest: unlocked.vault.headerDigest, random: &random)
    for id in index.live.map(\.id) { try torn.remove("index/\(id.hex).seg") }
    try torn.put("index/\(merged.id.hex).seg", merged.bytes)
    #expect(try torn.texts() == ["a": "two"])
    try recover(torn)
    try expectSettled(torn)
    #expect(try torn.texts() == ["a": "two"])
  }

  @Test func aPlanThatIsDamagedIsRefusedAndNothingIsMoved() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("a", "two")], in: vault)
    let files = try torn.sealedFiles()
    let plan = try run(of: torn) + "/plan"
    try torn.put(plan, Array(torn.content(plan).dropLast()))
    let error = #expect(throws: StoreError.self) { try recover(torn) }
    guard case .damaged(bytes(plan), .truncated) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try torn.sealedFiles() == files)
    #expect(try torn.texts() == ["a": "two"])
  }

  @Test func whatNoRunPutThereStaysInItsFolder() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let torn = try torn([.put("a", "two")], in: vault)
    let run = try run(of: torn)
    try torn.put(run + "/.DS_Store", bytes("x"))
    try torn.shell("mkdir staging/\(String(repeating: "1", count: 32)).part")
    try torn.put("staging/\(String(repeating: "1", count: 32)).part/mine", bytes("x"))
    try torn.put("staging/\(String(repeating: "2", count: 32))", bytes("a file, not a folder"))
    try recover(torn)
    #expect(try torn.names(run) == [".DS_Store"])
    #expect(try torn.names("staging/\(String(repeating: "1", count: 32)).part") == ["mine"])
    #expect(try torn.names("staging")?.count == 3)
    #expect(try torn.texts() == ["a": "two"])
  }
}
