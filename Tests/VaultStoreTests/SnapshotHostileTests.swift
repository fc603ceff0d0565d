import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What anyone who can write to the folder may plant in `index/`: it must not take memory, and must not keep the
/// passphrase from opening the vault.
@Suite struct SnapshotHostileTests {
  private func describe(_ findings: [Finding]) -> [String] {
    findings.map { "\($0.code.rawValue) \(String(decoding: $0.path, as: UTF8.self))" }
  }

  private func name(_ number: Int) -> String {
    "index/" + String(repeating: "0", count: 31) + "\(number).seg"
  }

  /// A segment above the threshold that a stranger signed for a compartment of his own; its box is zeros.
  private func strangersSegment(in vault: VaultFolder) throws -> [UInt8] {
    let keys = try CompartmentKeys(
      masterKey: SecretBytes(copying: [UInt8](repeating: 7, count: 32).span),
      vaultID: vault.header.vaultID)
    var masked = try SegmentLists(parents: [], replaces: [], excuses: [], entries: []).encoded()
    let head = try SegmentHead(
      compartment: keys.compartmentID, salt: Salt(5, 6, 7, 8), signer: keys.signer,
      vaultDigest: vault.headerDigest, listsByteCount: masked.count, boxByteCount: 2_500_000)
    try SegmentOpening.mask(&masked, salt: head.salt)
    let zeros = [UInt8](repeating: 0, count: Limits.commitmentByteCount)
    let bytes = head.prefix + zeros + masked + [UInt8](repeating: 0, count: head.boxByteCount)
    let message = try SegmentOpening.signedMessage(bytes.span)
    return bytes + (try keys.signingKey().sign(message.span))
  }

  private func id(of bytes: [UInt8]) throws -> String {
    Digest(try SHA256.digest(bytes.span)).segmentID.hex
  }

  @Test func aLargeSegmentIsLoadedOnlyWhenItsSizeSignatureAndNameHold() throws {
    let vault = try TestVault()
    let loadedBefore = try vault.snapshot().readByteCount
    let bytes = try strangersSegment(in: vault.open())
    let own = "index/\(try id(of: bytes)).seg"
    var unsigned = bytes
    unsigned[unsigned.count - 1] ^= 1
    var altered = bytes
    altered[2_000_000] ^= 1
    var newer = bytes
    newer[9] = 2
    let newerOwn = "index/\(try id(of: newer)).seg"
    let refused: [(String, [UInt8], Finding.Code)] = [
      (own, unsigned, .badSignature), (own, altered, .badSignature), (name(1), bytes, .misnamed),
      (own, bytes.dropLast(), .cutFile), (own, bytes + [0], .extraBytes), (own, newer, .malformed),
      (newerOwn, newer, .newerVersion),
    ]
    for (path, content, code) in refused {
      try vault.put(path, content)
      let snapshot = try vault.snapshot()
      #expect(describe(snapshot.findings) == ["\(code.rawValue) \(path)"])
      #expect(snapshot.readByteCount == loadedBefore)
      #expect(snapshot.compartments.count == 1)
      try vault.remove(path)
    }
    try vault.put(own, bytes)
    let snapshot = try vault.snapshot()
    #expect(snapshot.findings == [])
    #expect(snapshot.readByteCount == loadedBefore + UInt64(bytes.count))
    #expect(snapshot.compartments.count == 2)
  }

  @Test func aSparseSegmentOfTheLargestSizeIsNotRead() throws {
    let vault = try TestVault()
    let loadedBefore = try vault.snapshot().readByteCount
    let front = try strangersSegment(in: vault.open()).prefix(4_096)
    try vault.put(name(1), Array(front))
    try vault.shell("truncate -s \(SegmentFile.mostByteCount) \(name(1))")
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == ["extra-bytes \(name(1))"])
    #expect(snapshot.readByteCount == loadedBefore)
  }

  @Test(arguments: ["index", "spare"])
  func plantedSlotsDoNotTakeThePlacesOfTheListedOnes(folder: String) throws {
    let vault = try TestVault()
    let slots = try vault.snapshot().usableSlots
    let planted = 70
    for number in 10..<(10 + planted) {
      try vault.put("\(folder)/\(String(repeating: "0", count: 62))\(number).slot", [])
    }
    #expect(try vault.snapshot().usableSlots == slots)
    #expect(try vault.unlock().compartments.count == 1)
    let codes = try vault.verify().findings.map(\.code)
    let read = Limits.slotFiles - 2
    #expect(codes.count { $0 == .emptyFile } == read)
    #expect(codes.count { $0 == .tooMany } == planted - read)
    #expect(!codes.contains(.slotMissing))
  }
}
