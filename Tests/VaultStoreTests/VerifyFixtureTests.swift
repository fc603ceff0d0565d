import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

@Suite struct VerifyFixtureTests {
  @Test(arguments: fixtureVaults)
  func aVaultHasExactlyTheFindingsThatItsFixtureLists(_ name: String) throws {
    let vault = try VaultCopy(name)
    let expected = try ExpectedVault.load(name)
    let report = try vault.verify()
    #expect(report.findings.map(Reported.init) == expected.findings.sorted())
    #expect(report.level == .keyless)
    #expect(report.hasErrors == !expected.findings.isEmpty)
    #expect(report.unchecked.contains(.contents))
  }

  @Test(arguments: fixtureVaults)
  func oneWorkerFindsTheSameAsThree(_ name: String) throws {
    let vault = try VaultCopy(name)
    let alone = try vault.verify(workerCount: 1)
    #expect(try vault.verify(workerCount: 3) == alone)
  }

  @Test func theCountsAreThoseOfTheFiles() throws {
    let vault = try VaultCopy("basic")
    let report = try vault.verify()
    let files = try vault.files()
    let byteCount = try files.reduce(0) { $0 + (try vault.read($1).count) }
    #expect(report.counts.files == files.count)
    #expect(report.counts.bytes == UInt64(byteCount))
    #expect(report.counts.notes == (try vault.files(in: "notes").count))
    #expect(report.counts.segments == 5)
    #expect(report.counts.slots == 2)
  }

  @Test func oldSegmentsThatAreReplacedChangeNothing() throws {
    let vault = try VaultCopy("basic")
    for segment in [
      "a60f87b59a5e5eb4e802635d8f99ffb9", "3bc9397daefdba9f63725a82fe38c544",
    ] {
      try vault.restoreOlder("index/\(segment).seg")
      #expect(try vault.findings().isEmpty)
    }
  }

  @Test func theMissingSegmentPutBackMakesTheVaultClean() throws {
    let vault = try VaultCopy("missing-segment")
    let note = "notes/55/558e54672526a2edfba2c44aac03ca77.sealed"
    try vault.restoreOlder("index/112a7301b0fabcb765cd00653be05102.seg")
    #expect(try vault.findings() == [Reported(.noteSuperseded, note)])
    try vault.restoreOlder(note)
    #expect(try vault.findings() == [])
  }

  @Test func theOtherVersionOfAConflictIsAConflictToo() throws {
    let vault = try VaultCopy("conflict")
    let file = "notes/ff/ff30c714c304a49d1c7ffd1cd12fc81b.sealed"
    try vault.restoreOlder(file)
    #expect(try vault.findings() == [Reported(.noteConflict, file)])
    try vault.remove(file)
    #expect(try vault.findings() == [Reported(.noteConflict, file), Reported(.noteMissing, file)])
  }
}

@Suite struct VerifySignerTests {
  @Test func pinnedSignersAreClean() throws {
    let vault = try VaultCopy("two-compartments")
    let expected = try ExpectedVault.load("two-compartments")
    let second = try #require(expected.second)
    let pins = [try signer(expected.signer), try signer(second.signer)]
    let report = try vault.verify(pins: pins)
    #expect(report.findings == [])
    #expect(report.signers.map(\.isPinned) == [true, true])
    #expect(!report.unchecked.contains(.signer))
  }

  @Test func anUnpinnedCompartmentAndAPinWithoutOneAreFound() throws {
    let vault = try VaultCopy("two-compartments")
    let expected = try ExpectedVault.load("two-compartments")
    let other = try signer(String(repeating: "5a", count: 32))
    let report = try vault.verify(pins: [try signer(expected.signer), other])
    #expect(report.findings.map(\.code) == [.signerAbsent, .signerUnpinned])
    #expect(report.findings.map(\.expected) == [other.hex, "a pinned signer"])
    #expect(report.findings.last?.found == expected.second?.signer)
    #expect(report.signers.count { $0.isPinned } == 1)
  }

  @Test func withoutPinsTheReportSaysThatNobodyCheckedTheSigner() throws {
    let report = try VaultCopy("basic").verify()
    #expect(report.unchecked == [.contents, .signer, .freshness])
    #expect(report.signers.map(\.isPinned) == [false])
  }
}
