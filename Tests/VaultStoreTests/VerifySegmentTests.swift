import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What verification says about single segments and slots.
@Suite struct VerifySegmentTests {
  /// The newest segment of `basic`, which only buries a note.
  private let file = "index/39a58bc2f348bf82621d242563daf744.seg"

  /// Offsets as in the worked example of spec A.8: compartment, signer, lists, signature.
  @Test(arguments: [
    (20, Finding.Code.wrongSigner), (75, .wrongSigner), (200, .badSignature), (500, .badSignature),
    (150, .badSignature), (9, .malformed), (10, .malformed), (8, .malformed), (17, .malformed),
    (110, .foreignVault),
  ])
  func aByteOfASegmentIsNamedByWhatItBreaks(_ offset: Int, _ code: Finding.Code) throws {
    let vault = try VaultCopy("basic")
    try vault.change(file) { bytes in
      bytes[offset] ^= 1
      // In the digest of VAULT the segment would pass for one of another vault, if it had its signer.
      if offset == 110 { bytes[75] ^= 1 }
    }
    #expect(try vault.findings().contains(Reported(code, file)))
  }

  @Test func aSegmentOfANewerVersionIsCalledSoOnlyUnderItsOwnName() throws {
    let vault = try VaultCopy("basic")
    var bytes = try vault.read(file)
    bytes[9] = 2
    let id = Digest(try SHA256.digest(bytes.span)).segmentID
    try vault.write("index/\(id.hex).seg", bytes)
    #expect(try vault.findings() == [Reported(.newerVersion, "index/\(id.hex).seg")])
    #expect(try vault.verify().isOnlyNewer)
  }

  @Test func anotherSignerNeedsACompartmentOfItsOwn() throws {
    let vault = try TestVault()
    let folder = try vault.open()
    let keys = try CompartmentKeys(
      masterKey: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span),
      vaultID: folder.header.vaultID)
    let entry = try IndexEntry(
      id: .companion(bytes("README.md")),
      states: SmallList(.grave(try Fresh().id.retyped(as: Grave.self))),
      over: SmallList(), placeVersion: 0, laterKeys: LaterKeys())
    var random = SeededBytes(seed: 1)
    let segment = try TestSegments.seal(
      SegmentLists(parents: [], replaces: [], excuses: [], entries: [entry]), [], keys: keys,
      vaultDigest: folder.headerDigest, random: &random)
    try vault.put("index/\(segment.id.hex).seg", segment.bytes)
    // A stranger's compartment says nothing about the companions, and a pin names it.
    let findings = try vault.verify().findings
    #expect(findings.map(Reported.init) == [Reported(.malformed, "README.md")])
    let signers = try vault.verify().signers
    #expect(signers.count == 2)
    let owner = try #require(signers.first { $0.key != keys.signer })
    let options = VerifyOptions(pins: [owner.key], bounds: TestVault.bounds, workerCount: 1)
    let pinned = try Verification(path: vault.path, options: options).run(
      progress: .silent, keys: nil)
    #expect(pinned.findings.map(\.code) == [.signerUnpinned, .malformed])
  }

  @Test func aSegmentThatNamesAnotherVAULTIsFoundOnce() throws {
    let vault = try TestVault()
    let folder = try vault.open()
    let opened = try #require(try vault.unlock().compartments.first)
    var random = SeededBytes(seed: 2)
    for _ in 0..<2 {
      let entry = try IndexEntry(
        id: .note(try Fresh().id),
        states: SmallList(.grave(try Fresh().id.retyped(as: Grave.self))),
        over: SmallList(), placeVersion: 0, laterKeys: LaterKeys())
      let segment = try TestSegments.seal(
        SegmentLists(parents: [], replaces: [], excuses: [], entries: [entry]),
        [.init(records: SmallList(), place: nil)], keys: opened.secret.keys,
        vaultDigest: Digest(1, 2, 3, 4), random: &random)
      try vault.put("index/\(segment.id.hex).seg", segment.bytes)
    }
    let findings = try vault.verify().findings
    #expect(findings.map(Reported.init) == [Reported(.headerDiffers, "VAULT")])
    #expect(findings.first?.expected == Digest(1, 2, 3, 4).hex)
    #expect(findings.first?.found == folder.headerDigest.hex)
  }

  @Test func moreSlotsThanAllowedAreNamed() throws {
    let vault = try VaultCopy("later-keys")
    let slot = try #require(try vault.files(in: "index").first { $0.hasSuffix(".slot") })
    let bytes = try vault.read(slot)
    for number in 0..<Limits.slotFiles {
      let hex = String(number, radix: 16)
      try vault.write("index/\(String(repeating: "f", count: 64 - hex.count))\(hex).slot", bytes)
    }
    let codes = try vault.findings().map(\.code)
    #expect(codes.count { $0 == "too-many" } == 2)
    #expect(codes.count { $0 == "misnamed" } == Limits.slotFiles - 2)
  }

  @Test func slotsThatDifferOrStandAloneAreNamed() throws {
    let vault = try VaultCopy("later-keys")
    let slots = try vault.files(in: "index").filter { $0.hasSuffix(".slot") }
    let spares = try vault.files(in: "spare")
    let end = try vault.read(slots[0]).count - 1
    try vault.change(slots[0]) { $0[end] ^= 1 }
    try vault.change(spares[1]) { $0[$0.count - 1] ^= 1 }
    #expect(
      try vault.findings() == [
        Reported(.slotChanged, slots[0]), Reported(.spareDiffers, spares[1]),
      ]
    )
    // A slot of a newer version is passed over, but it is not the one that is listed.
    try vault.change(slots[0]) { $0[end] ^= 1 }
    try vault.change(spares[1]) { $0[$0.count - 1] ^= 1 }
    try vault.change(slots[0]) { $0[9] = 2 }
    #expect(
      try vault.verify().findings.map(Reported.init) == [
        Reported(.slotChanged, slots[0]), Reported(.slotPassedOver, slots[0]),
      ])
  }

  @Test func aSlotThatNobodyListsIsNamedWithItsMissingSpare() throws {
    let vault = try TestVault()
    let index = try #require(try vault.names("index"))
    let slot = try #require(index.first { $0.hasSuffix(".slot") })
    let content = try vault.content("index/\(slot)")
    var head = try KeySlot(decoding: content.span, bounds: TestVault.bounds).head
    head = try KeySlotHead(
      vaultID: head.vaultID, vaultSalt: head.vaultSalt, firstCompartment: head.firstCompartment,
      compartment: head.compartment, purpose: head.purpose, iterations: head.iterations,
      slotSalt: head.slotSalt, locator: Locator(5, 6, 7, 8), signer: head.signer, label: nil,
      hint: nil, laterKeys: LaterKeys(), bounds: TestVault.bounds)
    let name = FileNameHex.name(of: Locator(5, 6, 7, 8))
    let planted = try KeySlot(head: head, box: [UInt8](repeating: 0, count: 60)).encoded()
    let path = "index/" + String(decoding: name, as: UTF8.self)
    try vault.put(path, planted)
    #expect(
      try vault.verify().findings.map(Reported.init) == [
        Reported(.slotUnlisted, path),
        Reported(.spareMissing, "spare/" + String(decoding: name, as: UTF8.self)),
      ])
    try vault.put("spare/" + String(decoding: name, as: UTF8.self), planted)
    try vault.remove(path)
    #expect(
      try vault.verify().findings.map(Reported.init) == [
        Reported(.spareUnlisted, "spare/" + String(decoding: name, as: UTF8.self))
      ])
  }
}
