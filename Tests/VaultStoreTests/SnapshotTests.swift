import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// What a reader finds in `index/` and `spare/`: each file counts by itself, and what is wrong with one is said of it
/// alone (spec §3.5, §5.4, §7).
@Suite struct SnapshotTests {
  // MARK: - Damage that is recognised

  enum Damage: CaseIterable {
    case none, empty, cut, cutInPreamble, extra, textMode, utf16Little, utf16Big, pointer, markers
    case text, magicOnly, otherKind

    var code: Finding.Code? {
      switch self {
      case .none: nil
      case .empty: .emptyFile
      case .cut, .cutInPreamble, .magicOnly: .cutFile
      case .extra: .extraBytes
      case .textMode: .textDamage
      case .utf16Little, .utf16Big: .utf16
      case .pointer: .largeFilePointer
      case .markers: .mergeMarkers
      case .text, .otherKind: .malformed
      }
    }

    func done(to bytes: [UInt8]) -> [UInt8] {
      switch self {
      case .none: bytes
      case .empty: []
      case .cut: bytes.dropLast()
      case .cutInPreamble: Array(bytes.prefix(5))
      case .magicOnly: Preamble.magic
      case .extra: bytes + [10]
      case .textMode: Array(bytes.prefix(4)) + [10, 26, 10] + bytes.dropFirst(8)
      case .utf16Little: [0xFF, 0xFE] + bytes.flatMap { [$0, 0] }
      case .utf16Big: [0xFE, 0xFF] + bytes.flatMap { [0, $0] }
      case .pointer: Array("version https://git-lfs.github.com/spec/v1\noid sha256:00\n".utf8)
      case .markers: Array("<<<<<<< HEAD\n".utf8) + bytes
      case .text: Array("not a file of a vault".utf8)
      case .otherKind: Array(bytes.prefix(8)) + [4] + bytes.dropFirst(9)
      }
    }
  }

  /// A vault with one note, and its segments: the first, and the one that has the note.
  private func vault() throws -> (vault: TestVault, first: String, last: String) {
    let vault = try TestVault()
    let first = try #require(try vault.names("index")?.first { $0.hasSuffix(".seg") })
    let last = FileNameHex.name(of: try vault.commit([.put("a", "one")]))
    return (vault, "index/" + first, "index/" + String(decoding: last, as: UTF8.self))
  }

  private func describe(_ findings: [Finding]) -> [String] {
    findings.map { "\($0.code.rawValue) \(String(decoding: $0.path, as: UTF8.self))" }
  }

  @Test(arguments: Damage.allCases)
  func aDamagedSegmentIsNamedAndTheOthersCount(damage: Damage) throws {
    let (vault, _, last) = try vault()
    try vault.put(last, damage.done(to: vault.content(last)))
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == damage.code.map { ["\($0.rawValue) \(last)"] } ?? [])
    #expect(snapshot.segmentCount == 2)
    let index = try #require(snapshot.compartments.values.first)
    #expect(index.live.count == (damage == .none ? 2 : 1))
    #expect(index.slots.count == 2)
    #expect(index.notes.count == (damage == .none ? 1 : 0))
  }

  @Test(arguments: Damage.allCases, ["index", "spare"])
  func aDamagedSlotIsNamedAndTheOthersCount(damage: Damage, folder: String) throws {
    let vault = try TestVault()
    let name = try #require(try vault.names(folder)?.first { $0.hasSuffix(".slot") })
    let path = "\(folder)/\(name)"
    try vault.put(path, damage.done(to: vault.content(path)))
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == damage.code.map { ["\($0.rawValue) \(path)"] } ?? [])
    #expect(snapshot.slots.count == 4, "a damaged slot is there, though it is no use")
    #expect(snapshot.usableSlots.count == (damage == .none ? 4 : 3))
  }

  // MARK: - Segments that parse

  /// The segment with other bytes, under the name that fits them.
  private func replace(
    _ segment: String, in vault: TestVault, by bytes: [UInt8]
  ) throws -> String {
    let id = Digest(try SHA256.digest(bytes.span)).segmentID
    try vault.remove(segment)
    try vault.put("index/\(id.hex).seg", bytes)
    return "index/\(id.hex).seg"
  }

  /// Gives bytes without their signature the one that belongs to them.
  private func signed(_ bytes: [UInt8], _ vault: TestVault) throws -> [UInt8] {
    let secret = try #require(try vault.unlock().compartments.first).secret
    let message = try SegmentOpening.signedMessage(bytes.span)
    return bytes + (try secret.keys.signingKey().sign(message.span))
  }

  @Test func aChangedByteAnywhereInASegmentIsFound() throws {
    let (vault, _, last) = try vault()
    let bytes = try vault.content(last)
    for offset in stride(from: 0, to: bytes.count, by: 3) + [bytes.count - 1] {
      var changed = bytes
      changed[offset] ^= 0x40
      for isRenamed in [false, true] {
        try vault.put(last, bytes)
        let path: String
        if isRenamed {
          path = try replace(last, in: vault, by: changed)
        } else {
          try vault.put(last, changed)
          path = last
        }
        let snapshot = try vault.snapshot()
        #expect(snapshot.findings.map(\.path) == [Array(path.utf8)], "offset \(offset)")
        #expect(snapshot.compartments.values.first?.notes.isEmpty == true, "offset \(offset)")
        try vault.remove(path)
      }
    }
  }

  @Test func aSignatureThatDoesNotHoldIsABadSignature() throws {
    let (vault, _, last) = try vault()
    var bytes = try vault.content(last)
    bytes[bytes.count - 1] ^= 1
    let path = try replace(last, in: vault, by: bytes)
    #expect(describe(try vault.snapshot().findings) == ["bad-signature \(path)"])
  }

  @Test func aCompartmentThatIsNotTheSignersIsAWrongSigner() throws {
    let (vault, _, last) = try vault()
    var bytes = Array(try vault.content(last).dropLast(Limits.signatureByteCount))
    bytes[Limits.preambleByteCount + 3] ^= 1  // the first byte of the compartment id
    let path = try replace(last, in: vault, by: signed(bytes, vault))
    #expect(describe(try vault.snapshot().findings) == ["wrong-signer \(path)"])
  }

  @Test func aSegmentUnderAnotherNameIsMisnamed() throws {
    let (vault, _, last) = try vault()
    let name = "index/" + String(repeating: "0", count: 32) + ".seg"
    try vault.put(name, vault.content(last))
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == ["misnamed \(name)"])
    #expect(snapshot.findings.first?.expected == String(repeating: "0", count: 32))
    #expect("index/" + (snapshot.findings.first?.found ?? "") + ".seg" == last)
    #expect(snapshot.compartments.values.first?.live.count == 2)
  }

  @Test func aSegmentOfAnotherVaultIsForeign() throws {
    let (vault, _, _) = try vault()
    let (other, _, last) = try self.vault()
    try vault.put(last, other.content(last))
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == ["foreign-vault \(last)"])
    #expect(snapshot.compartments.count == 1)
  }

  @Test func aSegmentThatNamesAnotherVAULTIsReadAndSaysSo() throws {
    let (vault, _, _) = try vault()
    let secret = try #require(try vault.unlock().compartments.first).secret
    var random = SystemRandomNumberGenerator()
    let segment = try TestSegments.seal(
      SegmentLists(parents: [], replaces: [], excuses: [], entries: []), [], keys: secret.keys,
      vaultDigest: Digest(1, 2, 3, 4), random: &random)
    try vault.put("index/\(segment.id.hex).seg", segment.bytes)
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == ["header-differs VAULT"])
    #expect(snapshot.findings.first?.expected == Digest(1, 2, 3, 4).hex)
    #expect(snapshot.compartments.values.first?.live.count == 3)
  }

  @Test func aNewerVersionIsSaidOnlyOfASegmentThatWasNotAltered() throws {
    let (vault, _, last) = try vault()
    var bytes = try vault.content(last)
    bytes[9] = 2
    try vault.put(last, bytes)
    #expect(describe(try vault.snapshot().findings) == ["malformed \(last)"])
    let path = try replace(last, in: vault, by: bytes)
    #expect(describe(try vault.snapshot().findings) == ["newer-version \(path)"])
  }

  @Test func aFeatureOfANewerVersionIsSaidOnlyWhereTheSignatureHolds() throws {
    let (vault, _, last) = try vault()
    let bytes = Array(try vault.content(last).dropLast(Limits.signatureByteCount))
    // Key 5 of the map, an empty array, becomes an array of one feature.
    let start = try #require(
      bytes.indices.first { Array(bytes[$0...].prefix(3)) == [0x05, 0x80, 0x06] })
    var newer = Array(bytes[..<start]) + [0x05, 0x81, 0x07, 0x06] + bytes[(start + 3)...]
    newer[15] += 1  // the byte count of the map
    let unsigned = newer + [UInt8](repeating: 0, count: Limits.signatureByteCount)
    var path = try replace(last, in: vault, by: unsigned)
    #expect(describe(try vault.snapshot().findings) == ["bad-signature \(path)"])
    path = try replace(path, in: vault, by: signed(newer, vault))
    #expect(describe(try vault.snapshot().findings) == ["newer-version \(path)"])
    #expect(try vault.snapshot().compartments.values.first?.notes.isEmpty == true)
  }

  // MARK: - Slots that parse

  @Test func aSlotOfANewerVersionOrPurposeIsPassedOver() throws {
    for (offset, value) in [(9, UInt8(2)), (10, UInt8(2))] {
      let vault = try TestVault()
      let name = try #require(try vault.names("index")?.first { $0.hasSuffix(".slot") })
      var bytes = try vault.content("index/\(name)")
      bytes[offset] = value
      try vault.put("index/\(name)", bytes)
      #expect(describe(try vault.snapshot().findings) == ["slot-passed-over index/\(name)"])
    }
  }

  @Test func aSlotUnderAnotherNameIsMisnamedAndNotUsed() throws {
    let vault = try TestVault()
    let name = try #require(try vault.names("index")?.first { $0.hasSuffix(".slot") })
    let wrong = "spare/" + String(repeating: "0", count: 64) + ".slot"
    try vault.put(wrong, vault.content("index/\(name)"))
    let snapshot = try vault.snapshot()
    #expect(describe(snapshot.findings) == ["misnamed \(wrong)"])
    #expect(snapshot.usableSlots.count == 4)
  }

  @Test func slotsAboveTheMaximumAreNotRead() throws {
    let vault = try TestVault()
    for number in 0..<Limits.slotFiles {
      let digits = String(number, radix: 16)
      let name = String(repeating: "f", count: 64 - digits.count) + digits
      try vault.put("spare/\(name).slot", [])
    }
    let findings = try vault.snapshot().findings
    #expect(findings.count(where: { $0.code == .emptyFile }) == Limits.slotFiles - 2)
    #expect(findings.count(where: { $0.code == .tooMany }) == 2)
  }

  // MARK: - What is no file of a vault

  @Test func whatHasNoNameOfTheVaultIsForeign() throws {
    let vault = try TestVault()
    let id = String(repeating: "a", count: 32)
    let names = [
      "notes.txt", ".DS_Store", id.uppercased() + ".seg", id + ".seg.bak", id, id + "a.seg",
      "." + id + ".seg",
    ]
    for name in names { try vault.put("index/\(name)", vault.content("VAULT")) }
    try vault.put("index/.\(id).seg.icloud", [])
    try vault.put("spare/\(id).seg", [])
    let expected =
      names.map { "foreign-file index/\($0)" }
      + ["not-downloaded index/.\(id).seg.icloud", "foreign-file spare/\(id).seg"]
    #expect(Set(describe(try vault.snapshot().findings)) == Set(expected))
    #expect(try vault.snapshot().findings.count == expected.count)
  }

  @Test func linksFoldersAndPipesAreNamedAndNeverOpened() throws {
    let (vault, first, last) = try vault()
    let slot = try #require(try vault.names("spare")?.first)
    try vault.shell("mv \(last) elsewhere && ln -s ../elsewhere \(last)")
    try vault.shell("rm \(first) && mkdir \(first)")
    try vault.shell("rm spare/\(slot) && mkfifo spare/\(slot)")
    let snapshot = try vault.snapshot()
    #expect(
      Set(describe(snapshot.findings))
        == Set(
          [first, last, "spare/\(slot)"].map {
            "not-a-regular-file \($0)"
          }))
    #expect(snapshot.compartments.isEmpty)
    #expect(snapshot.slots.count == 3)
  }

  @Test func aFileLargerThanItsKindIsNotRead() throws {
    let (vault, _, last) = try vault()
    let slot = try #require(try vault.names("index")?.first { $0.hasSuffix(".slot") })
    try vault.shell("truncate -s 2G \(last) && truncate -s 1M index/\(slot)")
    #expect(
      Set(describe(try vault.snapshot().findings))
        == ["extra-bytes \(last)", "extra-bytes index/\(slot)"])
  }

  @Test func aVaultWithoutIndexAndSpareHasNothingAndNoFinding() throws {
    let vault = try TestVault()
    try vault.shell("rm -r index spare")
    let snapshot = try vault.snapshot()
    #expect(snapshot.compartments.isEmpty && snapshot.slots.isEmpty && snapshot.findings.isEmpty)
  }

  // MARK: - Order and change

  @Test func nothingDependsOnTheOrderInWhichFilesWereMade() throws {
    let (vault, first, last) = try vault()
    try vault.put("index/junk", [])
    try vault.put(first, vault.content(first).dropLast())
    let copy = try TestVault(copying: vault)
    try copy.shell("mkdir i && for f in $(ls -r index); do cp index/$f i/; done && rm -r index")
    try copy.shell("mv i index")
    let (one, other) = try (vault.snapshot(), copy.snapshot())
    #expect(one.findings == other.findings)
    #expect(one.indexNames == other.indexNames)
    #expect(one.slots.map(\.locator) == other.slots.map(\.locator))
    #expect(
      one.compartments.values.map { $0.live.map(\.id) }
        == other.compartments.values.map { $0.live.map(\.id) })
    #expect(one.indexNames.contains { "index/" + String(decoding: $0, as: UTF8.self) == last })
  }

  @Test func aSegmentThatVanishesWhileItIsReadStartsTheReadingAgain() throws {
    let (vault, _, last) = try vault()
    let path = vault.path
    let name = Array(last.utf8.dropFirst(6))
    let flicker = try BackgroundTask { () throws(SystemError) -> Int in
      let index = try Directory(opening: Layout.index, in: Directory(path: path))
      for _ in 0..<400 {
        try index.rename(name, to: index, bytes("away"), replacing: .forbidden)
        try index.rename(bytes("away"), to: index, name, replacing: .forbidden)
      }
      return 400
    }
    for _ in 0..<60 {
      do {
        let snapshot = try vault.snapshot()
        // Whole: the segment or the name it has meanwhile, never a half of it.
        #expect(snapshot.findings.allSatisfy { $0.code == .foreignFile })
      } catch StoreError.changedMeanwhile {
        continue
      }
    }
    #expect(try flicker.wait() == 400)
    #expect(try vault.snapshot().findings == [])
  }
}
