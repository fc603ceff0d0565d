import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What an owner asks for beyond a whole vault (spec §12).
@Suite struct VerifyPolicyTests {
  private func findings(
    _ vault: borrowing VaultCopy, _ change: (inout VerifyPolicy) -> Void
  ) throws -> [Finding] {
    try report(vault, change).findings.filter { $0.severity != .note }
  }

  private func report(
    _ vault: borrowing VaultCopy, pins: [SignerKey] = [], _ change: (inout VerifyPolicy) -> Void
  ) throws -> VerifyReport {
    var options = VerifyOptions(pins: pins, bounds: .standard, workerCount: 2)
    change(&options.policy)
    return try Verification(path: bytes(vault.path), options: options).run(
      progress: .silent, keys: nil)
  }

  @Test func aPolicyThatIsKeptAddsNothing() throws {
    let vault = try VaultCopy("basic")
    let expected = try ExpectedVault.load("basic")
    let owner = try signer(expected.signer)
    let report = try report(vault) { policy in
      policy.minimumIterations = 600_000
      policy.maximumFileByteCount = 1 << 20
      policy.requiresPadding = true
      policy.signers = [owner]
      policy.requiresCompanionsUnchanged = true
    }
    #expect(report.findings.filter { $0.severity != .note } == [])
    #expect(report.signature == .pinned)
    #expect(!report.unchecked.contains(.signer))
  }

  @Test func cheapSlotsAreFoundInBothCopies() throws {
    let vault = try VaultCopy("basic")
    let slots = try vault.files(in: "index").filter { $0.hasSuffix(".slot") }
    let found = try findings(vault) { $0.minimumIterations = 10_000_000 }
    #expect(Set(found.map(\.code)) == [.policyIterations])
    #expect(found.count == 2 * slots.count)
    // The phrase's slot costs 800,000, the passphrase's 600,000.
    let above = try findings(vault) { $0.minimumIterations = 600_001 }
    #expect(above.count == 2)
    #expect(above.allSatisfy { $0.found == "600000 iterations" })
    #expect(try findings(vault) { $0.minimumIterations = 600_000 }.isEmpty)
  }

  @Test func aSlotThatIsPassedOverHasNoKnownCost() throws {
    let vault = try VaultCopy("basic")
    let path = try #require(try vault.files(in: "index").first { $0.hasSuffix(".slot") })
    try vault.change(path) { $0[9] = 2 }
    let found = try findings(vault) { $0.minimumIterations = 600_000 }
    #expect(
      found.contains {
        $0.code == .policyIterations && $0.path == bytes(path) && $0.found == nil
      })
  }

  @Test func filesAboveTheSizeAreFoundWhateverTheirKind() throws {
    let vault = try VaultCopy("basic")
    let sizes = try vault.files().reduce(into: [String: Int]()) { sizes, path in
      sizes[path] = try vault.read(path).count
    }
    for most in [0, 300, 1_000, 5_000] {
      let found = try findings(vault) { $0.maximumFileByteCount = UInt64(most) }
      let large = sizes.filter { $0.value > most && $0.key != "VAULT" }.keys.sorted()
      #expect(found.map(\.code).allSatisfy { $0 == .policyFileSize })
      #expect(found.map { String(decoding: $0.path, as: UTF8.self) }.sorted() == large)
    }
  }

  @Test func aFileOfExactlyTheSizeIsAllowed() {
    var policy = VerifyPolicy()
    policy.maximumFileByteCount = 1_000
    #expect(policy.finding(ofByteCount: 1_000, at: []) == nil)
    #expect(policy.finding(ofByteCount: 1_001, at: [])?.found == "1001 bytes")
  }

  /// Every byte count that padding gives is taken, and no other.
  @Test func paddingShowsInTheByteCount() throws {
    let head = try sealedHead()
    let padded = Set((1...9_000).map { Padme.padded(max($0, Limits.streamFloor)) })
    var policy = VerifyPolicy()
    policy.requiresPadding = true
    for stream in 1...8_192 {
      let geometry = try ChunkGeometry(
        fileByteCount: head.chunksOffset + stream + Limits.tagByteCount, head: head)
      try #require(geometry.streamByteCount == stream)
      let codes = policy.findings(of: geometry, at: bytes("x")).map(\.code)
      #expect(codes == (padded.contains(UInt64(stream)) ? [] : [.policyPadding]), "\(stream)")
    }
  }

  /// The head of any sealed file of a fixture.
  private func sealedHead() throws -> SealedFileHead {
    let vault = try VaultCopy("later-keys")
    let note = try #require(try vault.files(in: "notes").first)
    let file = try vault.read(note)
    var reader = ByteReader(file.span)
    return try SealedFileHead(parsing: &reader)
  }

  @Test func aCutFileIsNotPaddedEither() throws {
    let vault = try VaultCopy("basic")
    let note = try #require(try vault.files(in: "notes").first)
    try vault.change(note) { $0.removeLast() }
    let found = try findings(vault) { $0.requiresPadding = true }
    #expect(found.map(\.code) == [.cutFile, .policyPadding])
    #expect(try findings(vault) { _ in }.map(\.code) == [.cutFile])
  }

  @Test func everySignerHasToBeNamedButNotEveryNameHasToBeThere() throws {
    let vault = try VaultCopy("two-compartments")
    let expected = try ExpectedVault.load("two-compartments")
    let first = try signer(expected.signer)
    let second = try signer(try #require(expected.second).signer)
    let stranger = try signer(String(repeating: "ab", count: 32))
    let found = try report(vault) { $0.signers = [first] }
    #expect(found.findings.filter { $0.severity == .error }.map(\.code) == [.policySigner])
    #expect(found.findings.first { $0.code == .policySigner }?.found == second.hex)
    #expect(found.signature == .notAsPinned)
    let named = try report(vault) { $0.signers = [first, second, stranger] }
    #expect(!named.hasErrors)
    #expect(named.signature == .pinned)
  }

  @Test func aPolicyNeverWeakensAPin() throws {
    let vault = try VaultCopy("basic")
    let owner = try signer(try ExpectedVault.load("basic").signer)
    let stranger = try signer(String(repeating: "ab", count: 32))
    let report = try report(vault, pins: [stranger]) { $0.signers = [owner] }
    #expect(
      Set(report.findings.filter { $0.severity == .error }.map(\.code))
        == [.signerUnpinned, .signerAbsent])
    #expect(report.signature == .notAsPinned)
  }

  @Test func aBrokenSegmentBreaksTheSignature() throws {
    let vault = try VaultCopy("basic")
    let owner = try signer(try ExpectedVault.load("basic").signer)
    let segment = try #require(try vault.files(in: "index").first { $0.hasSuffix(".seg") })
    try vault.change(segment) { $0[$0.count - 1] ^= 1 }
    #expect(try report(vault, pins: [owner]) { _ in }.signature == .broken)
  }

  /// A segment of the owner's that states one of the vault's own files again.
  @Test func aCompanionThatWasChangedOnceIsFoundForEver() throws {
    let vault = try TestVault()
    let folder = try vault.open()
    let opened = try #require(try vault.unlock().compartments.first)
    let snapshot = try Snapshot.load(folder, bounds: TestVault.bounds)
    let index = try #require(snapshot.compartments.values.first)
    let old = try #require(index.companions[bytes("README.md")]?.onlyCurrent)
    let readme = bytes("A new text")
    let entry = try IndexEntry(
      id: .companion(bytes("README.md")),
      states: SmallList(
        .file(Digest(try SHA256.digest(readme.span)), byteCount: UInt64(readme.count))),
      over: SmallList(old.prefix), placeVersion: 0, laterKeys: LaterKeys())
    var random = SeededBytes(seed: 3)
    let segment = try TestSegments.seal(
      SegmentLists(
        parents: index.live.map(\.id).sorted(), replaces: [], excuses: [], entries: [entry]), [],
      keys: opened.secret.keys, vaultDigest: folder.headerDigest, random: &random)
    var options = VerifyOptions(pins: [], bounds: TestVault.bounds, workerCount: 1)
    options.policy.requiresCompanionsUnchanged = true
    let verify = { () throws in
      try Verification(path: vault.path, options: options).run(progress: .silent, keys: nil)
        .findings.map(Reported.init)
    }
    #expect(try verify() == [])
    try vault.put("index/\(segment.id.hex).seg", segment.bytes)
    try vault.put("README.md", readme)
    #expect(try verify() == [Reported(.policyCompanion, "README.md")])
    options.policy.requiresCompanionsUnchanged = false
    #expect(try vault.verify().findings == [])
  }
}
