import Testing
import VaultFormat

@testable import VaultStore

/// What somebody moved into `staging/` may be the only copy: no writer removes it, and a repair brings it back
/// (spec §9, §12.1).
@Suite struct StagedNeedsTests {
  private let run = String(repeating: "ab", count: 16)

  /// What any writer does first.
  private func removeLeftovers(_ vault: TestVault) throws {
    for forSlots in [false, true] {
      var session =
        try forSlots
        ? WriterSession(forSlotsOf: vault.open(), bounds: TestVault.bounds, waitingSeconds: 30)
        : TestVault.session(vault.open())
      try session.removeLeftovers()
    }
  }

  private func expectBack(_ vault: TestVault, as whole: [String: [UInt8]]) throws {
    let moved = try vault.state()
    try removeLeftovers(vault)
    #expect(try vault.state() == moved)
    try vault.repair()
    #expect(try vault.state() == whole)
    #expect(try vault.findings().isEmpty)
  }

  @Test(arguments: [".part", ""])
  func aListedNoteComesBack(ending: String) throws {
    let vault = try TestVault.withNotes()
    let whole = try vault.state()
    let note = try vault.notePath("a")
    let folder = "staging/\(run)\(ending)"
    try vault.shell(
      "mkdir -p \(folder) && mv \(note) \(folder)/ && echo garbage > \(folder)/segment")
    #expect(try vault.codes() == [.misnamed, .noteMissing])
    try expectBack(vault, as: whole)
  }

  @Test func aNoteThatWasReplacedStaysWhereItIs() throws {
    let vault = try TestVault.withNotes()
    let note = try vault.notePath("a")
    let folder = "staging/\(run).part"
    try vault.shell("mkdir -p \(folder) && mv \(note) \(folder)/ && echo other > \(note)")
    let moved = try vault.state()
    try removeLeftovers(vault)
    #expect(try vault.state() == moved)
  }

  @Test func aCopyOfACurrentNoteIsALeftover() throws {
    let vault = try TestVault.withNotes()
    let whole = try vault.state()
    let note = try vault.notePath("a")
    try vault.shell("mkdir -p staging/\(run).part && cp \(note) staging/\(run).part/")
    #expect(try vault.codes() == [.leftover])
    try removeLeftovers(vault)
    #expect(try vault.state() == whole)
  }

  @Test(arguments: [true, false])
  func aSegmentThatAnotherBuildsOnComesBack(isNamed: Bool) throws {
    let vault = try TestVault()
    let first = try #require(try vault.segmentNames().first)
    try vault.commit([.put("a", "one")])
    let whole = try vault.state()
    let folder = isNamed ? "staging/\(first.dropLast(4))" : "staging/\(run).part"
    try vault.shell("mkdir -p \(folder) && mv index/\(first) \(folder)/segment")
    #expect(try vault.codes().isSuperset(of: [.misnamed, .segmentMissing]))
    try expectBack(vault, as: whole)
  }

  @Test func aWholeIndexComesBack() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    try vault.commit([.put("b", "two")])
    let whole = try vault.state()
    for name in try vault.segmentNames() {
      let folder = "staging/\(name.dropLast(4))"
      try vault.shell("mkdir -p \(folder) && mv index/\(name) \(folder)/segment")
    }
    try expectBack(vault, as: whole)
  }

  @Test func aSegmentWhoseNotesAreInPlaceComesBack() throws {
    let vault = try TestVault()
    let known = Set(try vault.segmentNames())
    try vault.commit([.put("a", "one")])
    let whole = try vault.state()
    let newest = try #require(try vault.segmentNames().first { !known.contains($0) })
    let folder = "staging/\(newest.dropLast(4))"
    try vault.shell("mkdir -p \(folder) && mv index/\(newest) \(folder)/segment")
    try expectBack(vault, as: whole)
  }
}
