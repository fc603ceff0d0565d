import Glibc
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// One writer at a time, who commits only what still builds on what it read (spec §9).
@Suite struct WriterSessionTests {
  @Test func aSecondWriterIsBusyUntilTheFirstEnds() throws {
    let vault = try TestVault()
    do {
      let session = try TestVault.session(vault.open())
      #expect(throws: StoreError.busy) {
        _ = try WriterSession(vault.open(), bounds: TestVault.bounds, waitingSeconds: 0)
      }
      #expect(session.snapshot.findings.isEmpty)
    }
    try vault.commit([.put("a", "one")])
  }

  @Test func aWriterDoesNotLockReadersOut() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let session = try TestVault.session(vault.open())
    #expect(try vault.texts() == ["a": "one"])
    #expect(session.snapshot.segmentCount == 2)
  }

  @Test func aKilledWriterLeavesNoLock() async throws {
    let vault = try TestVault()
    let path = String(decoding: vault.path, as: UTF8.self)
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let session = try TestVault.session(VaultFolder(path: bytes(path)))
      if session.snapshot.segmentCount == 1 { kill(getpid(), SIGKILL) }
    }
    try vault.commit([.put("a", "one")])
    try expectSettled(vault)
  }

  @Test func nothingIsCommittedWhenTheIndexChangedMeanwhile() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let other = try TestVault(copying: vault)
    try other.commit([.put("a", "theirs")])
    let theirs = try #require(
      try other.names("index")?.first { try vault.names("index")?.contains($0) == false })
    let files = try vault.sealedFiles()
    #expect(throws: StoreError.changedMeanwhile) {
      try vault.commit([.put("a", "ours"), .put("b", "new")]) {
        try vault.put("index/\(theirs)", other.content("index/\(theirs)"))
      }
    }
    #expect(try vault.names("index") == other.names("index"))
    #expect(try vault.sealedFiles() == files)
    #expect(try vault.names("staging") == nil)
  }

  @Test(arguments: ["0000.seg", "notes.txt"])
  func anyNewNameInTheIndexCountsAsAChange(name: String) throws {
    let vault = try TestVault()
    let before = try #require(try vault.names("index"))
    #expect(throws: StoreError.changedMeanwhile) {
      try vault.commit([.put("a", "one")]) { try vault.put("index/\(name)", []) }
    }
    #expect(try vault.names("index") == (before + [name]).sorted())
  }

  @Test func nothingIsCommittedWhenTheIndexVanishedInPart() throws {
    let vault = try TestVault()
    let segment = try #require(try vault.names("index")?.first { $0.hasSuffix(".seg") })
    #expect(throws: StoreError.changedMeanwhile) {
      try vault.commit([.put("a", "one")]) { try vault.remove("index/\(segment)") }
    }
    #expect(try vault.names("index")?.contains { $0.hasSuffix(".seg") } == false)
  }

  @Test func nothingIsCommittedWhenVAULTWasReplacedMeanwhile() throws {
    let vault = try TestVault()
    let before = try vault.names("index")
    #expect(throws: StoreError.changedMeanwhile) {
      // The same bytes in another file: whoever made it may hold its lock.
      try vault.commit([.put("a", "one")]) { try vault.shell("cp VAULT V && mv V VAULT") }
    }
    #expect(try vault.names("index") == before)
    #expect(try vault.names("notes") == [])
  }

  @Test func aRunThatIsDroppedRemovesWhatItStaged() throws {
    let vault = try TestVault()
    let session = try TestVault.session(vault.open())
    do {
      let run = try session.newRun()
      let file = try run.folder.createFile(FileNameHex.name(of: NoteID(high: 1, low: 2)))
      try file.write(bytes("x").span, at: 0)
      #expect(try vault.names("staging")?.count == 1)
    }
    #expect(try vault.names("staging") == nil)
  }

  @Test func leftoversOfKilledRunsGoButNotWhatNoRunMade() throws {
    let vault = try TestVault()
    let run = "staging/" + String(repeating: "a", count: 32) + ".part"
    try vault.shell("mkdir -p \(run) staging/mine")
    for name in ["plan", "segment", String(repeating: "b", count: 32) + ".sealed"] {
      try vault.put("\(run)/\(name)", bytes("cut of"))
    }
    do {
      var session = try TestVault.session(vault.open())
      #expect(try vault.names(run)?.count == 3, "opening a session keeps what a run may reuse")
      try session.removeLeftovers()
    }
    #expect(try vault.names("staging") == ["mine"])
  }

  @Test func aFullDiskLeavesTheOldState() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let place = try TemporaryFolder()
    let small = "size=192k,nr_inodes=200"
    guard TemporaryFolder.run(["/bin/mount", "-t", "tmpfs", "-o", small, "none", place.path]) == 0
    else {
      print("skipped: a small file system cannot be mounted here")
      return
    }
    defer { _ = TemporaryFolder.run(["/bin/umount", "-l", place.path]) }
    let full = try TestVault(copying: vault, to: place)
    let large = String(repeating: "x", count: 300_000)
    let error = #expect(throws: (any Error).self) {
      try full.commit([.put("a", large), .put("b", "two")])
    }
    let cause = (error as? SystemError)?.code
    #expect(cause == .noSpace)
    #expect(try full.texts() == ["a": "one"])
    try expectSettled(full)
    try full.commit([.put("b", "two")])
    #expect(try full.texts() == ["a": "one", "b": "two"])
  }
}
