import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What verification says about runs that stopped (spec §9).
@Suite struct VerifyStagingTests {
  private let run = "staging/9d3db12dfed4e7ffde9bf2b7e054fc49"
  private let edited = "8c23fc24f356c5708cbeb5e32c4661b2.sealed"
  private let added = "bf74ec48efb70927e2dc8b75929ae9fc.sealed"
  private let deleted = "notes/42/4288df154ad1fae4ce3f8fbf703a86b4.sealed"

  private func place(_ file: String) -> String { "notes/\(file.prefix(2))/\(file)" }

  private var unfinished: Reported { Reported(.unfinishedCommit, run) }

  @Test func eachStepOfCompletingTheRunLeavesOneFinding() throws {
    let vault = try VaultCopy("unfinished-commit")
    #expect(try vault.findings() == [unfinished])
    for file in [edited, added] {
      try vault.write(place(file), try vault.read("\(run)/\(file)"))
      try vault.remove("\(run)/\(file)")
      #expect(try vault.findings() == [unfinished])
    }
    try vault.remove(deleted)
    #expect(try vault.findings() == [unfinished])
    try vault.remove("\(run)/plan")
    #expect(try vault.findings() == [unfinished])
    try vault.remove("staging")
    #expect(try vault.findings() == [])
  }

  @Test func withoutItsStagedFileANoteIsNamed() throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.remove("\(run)/\(edited)")
    try vault.remove("\(run)/\(added)")
    #expect(
      try vault.findings() == [
        Reported(.noteSuperseded, place(edited)), Reported(.noteMissing, place(added)), unfinished,
      ])
  }

  @Test func withoutItsPlanNothingWaitsForAWriter() throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.remove("\(run)/plan")
    #expect(
      try vault.findings().sorted()
        == [
          Reported(.noteSuperseded, place(edited)), Reported(.noteMissing, place(added)),
          Reported(.noteDeleted, deleted), unfinished, Reported(.leftover, "\(run)/\(edited)"),
          Reported(.leftover, "\(run)/\(added)"),
        ].sorted())
  }

  @Test(arguments: [
    ([], Finding.Code.emptyFile), ([0x83], .cutFile), ([0x80, 0x80], .extraBytes),
    (bytes("<<<<<<< HEAD\n"), .mergeMarkers), (bytes("plain"), .malformed),
  ])
  func aDamagedPlanIsNamed(_ content: [UInt8], _ code: Finding.Code) throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.write("\(run)/plan", content)
    #expect(try vault.findings().contains(Reported(code, "\(run)/plan")))
  }

  @Test func aDamagedStagedFileIsNamedWithTheNoteThatNeedsIt() throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.change("\(run)/\(added)") { $0.removeLast(600) }
    #expect(
      try vault.findings() == [
        Reported(.noteMissing, place(added)), unfinished,
        Reported(.cutFile, "\(run)/\(added)"),
      ])
  }

  @Test func tamperedBytesInPlaceAreNotExplainedByTheRun() throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.change(place(edited)) { $0[900] ^= 1 }
    try vault.change(deleted) { $0[900] ^= 1 }
    #expect(
      try vault.findings() == [
        Reported(.noteDeleted, deleted), Reported(.noteChanged, place(edited)), unfinished,
      ])
  }

  @Test func foreignFilesInARunAreNamed() throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.write("\(run)/secret.md", bytes("plain"))
    #expect(try vault.findings() == [unfinished, Reported(.foreignFile, "\(run)/secret.md")])
  }

  @Test func aRunWithoutItsSegmentIsALeftoverAndNoError() throws {
    let vault = try VaultCopy("unfinished-commit")
    try vault.remove("staging")
    for name in ["\(String(repeating: "ab", count: 16)).part", String(repeating: "cd", count: 16)] {
      let note = String(repeating: "0", count: 32) + ".sealed"
      try vault.write("staging/\(name)/\(note)", [])
      try vault.write("staging/\(name)/secret.md", bytes("plain"))
    }
    let found = try vault.verify().findings.filter { $0.path.starts(with: bytes("staging/")) }
    #expect(
      found.map(Reported.init) == [
        Reported(.leftover, "staging/abababababababababababababababab.part"),
        Reported(.foreignFile, "staging/abababababababababababababababab.part/secret.md"),
        Reported(.leftover, "staging/cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"),
        Reported(.foreignFile, "staging/cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd/secret.md"),
      ])
    #expect(found.map(\.severity) == [.warning, .error, .warning, .error])
  }
}
