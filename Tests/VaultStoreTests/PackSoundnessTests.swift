import Testing
import VaultFormat

@testable import VaultStore

/// What `pack` refuses to build on; nothing is written then.
@Suite struct PackSoundnessTests {
  /// A vault with some notes and several segments.
  private func bench() throws -> PackBench {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b")
    try bench.pack()
    try bench.put("c", "c")
    try bench.pack()
    return bench
  }

  private func expectRefused(
    _ bench: borrowing PackBench, _ expected: (StoreError) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try bench.put("a", "changed")
    let before = try bench.state()
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      try bench.pack()
    }
    #expect(
      error.map(expected) == true, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(try bench.state() == before, sourceLocation: sourceLocation)
  }

  private func codes(_ error: StoreError) -> [Finding.Code] {
    if case .indexNotSound(let findings) = error { findings.map(\.code) } else { [] }
  }

  /// The segments of the vault; the order says nothing about their age.
  private func segments(_ bench: borrowing PackBench) throws -> [String] {
    try #require(try bench.vault.names("index")).filter { $0.hasSuffix(".seg") }
  }

  private func newest(_ bench: borrowing PackBench) throws -> String {
    let index = try #require(try bench.vault.snapshot().compartments.first?.value)
    return try #require(index.graph.parentsForNewSegment.first).hex + ".seg"
  }

  @Test func aMissingSegment() throws {
    let bench = try bench()
    let newest = try newest(bench)
    let other = try #require(try segments(bench).first { $0 != newest })
    try bench.vault.remove("index/" + other)
    try expectRefused(bench) { codes($0) == [.segmentMissing] }
  }

  @Test func aSegmentThatASyncToolDidNotFetch() throws {
    let bench = try bench()
    let newest = try newest(bench)
    try bench.vault.shell("mv index/\(newest) index/.\(newest).icloud")
    try expectRefused(bench) { codes($0) == [.notDownloaded] }
  }

  @Test(arguments: ["printf x >> F", "truncate -s 40 F", "truncate -s 0 F", "rm F && mkfifo F"])
  func aDamagedSegment(command: String) throws {
    let bench = try bench()
    let path = "index/" + (try newest(bench))
    try bench.vault.shell(command.replacing("F", with: path))
    try expectRefused(bench) { !codes($0).isEmpty }
  }

  @Test func anUnsettledConflict() throws {
    let bench = try PackBench()
    try bench.put("a", "a")
    try bench.pack()
    let other = try TestVault(copying: bench.vault)
    try bench.vault.commit([.put("a", "here")])
    try other.commit([.put("a", "there")])
    let from = String(decoding: other.path, as: UTF8.self)
    try bench.vault.shell("cp -n \(from)/index/*.seg index/")
    try expectRefused(bench) { codes($0) == [.noteConflict] }
  }

  @Test func aMissingNote() throws {
    let bench = try bench()
    let path = String(decoding: Layout.notePath(try bench.note("b").id), as: UTF8.self)
    try bench.vault.remove(path)
    try expectRefused(bench) { $0 == .noteNotAsListed(path: bytes(path), .noteMissing) }
  }

  @Test func aNoteThatASyncToolDidNotFetch() throws {
    let bench = try bench()
    let id = try bench.note("b").id
    let folder = "notes/" + id.hex.prefix(2)
    try bench.vault.shell("cd \(folder) && mv \(id.hex).sealed .\(id.hex).sealed.icloud")
    let path = Layout.notePath(id)
    try expectRefused(bench) { $0 == .noteNotAsListed(path: path, .notDownloaded) }
  }

  @Test func aNoteOfAnotherLength() throws {
    let bench = try bench()
    let path = String(decoding: Layout.notePath(try bench.note("b").id), as: UTF8.self)
    try bench.vault.shell("printf x >> \(path)")
    try expectRefused(bench) { $0 == .noteNotAsListed(path: bytes(path), .noteChanged) }
  }

  @Test(arguments: ["change", "remove"])
  func aNoteToBeReplacedOrRemovedThatIsNotAsListed(action: String) throws {
    let bench = try bench()
    let id = try bench.note("a").id
    let path = String(decoding: Layout.notePath(id), as: UTF8.self)
    let old = try bench.vault.content(path)
    // The older version of the same length comes back, as after a restored file.
    try bench.put("a", "x")
    try bench.pack()
    try #require(try bench.vault.content(path).count == old.count)
    try bench.vault.put(path, old)
    try bench.shell(action == "change" ? "printf other > a" : "rm a")
    let before = try bench.state()
    #expect(throws: StoreError.noteNotAsListed(path: bytes(path), .noteSuperseded)) {
      try bench.pack()
    }
    #expect(try bench.state() == before)
  }

  @Test func aDamagedSlotCopyIsNoReasonToRefuse() throws {
    let bench = try bench()
    try bench.vault.shell("for f in spare/*; do printf x >> $f; done && printf x > index/foreign")
    try bench.put("a", "changed")
    #expect(try bench.pack().changes == ["changed a"])
  }
}
