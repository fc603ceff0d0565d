import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

/// A verification that is split over several machines (spec §12).
@Suite struct VerifyShardTests {
  private func report(
    _ vault: borrowing VaultCopy, _ shard: VerifyShard?, policy: VerifyPolicy = VerifyPolicy()
  ) throws -> VerifyReport {
    var options = VerifyOptions(pins: [], bounds: .standard, workerCount: 2)
    options.shard = shard
    options.policy = policy
    return try Verification(path: bytes(vault.path), options: options).run(
      progress: .silent, keys: nil)
  }

  private func shards(_ count: Int) throws -> [VerifyShard] {
    try (1...count).map { number in
      let shard = VerifyShard(number, of: count)
      return try #require(shard)
    }
  }

  /// Each finding once, in a fixed order.
  private func distinct(_ findings: [Finding]) -> [String] {
    Set(findings.map { "\($0)" }).sorted()
  }

  @Test func numbersOutOfRangeAreNoShard() {
    for (number, count) in [(0, 1), (2, 1), (1, 0), (1, 257), (257, 257), (-1, 4), (5, 4)] {
      #expect(VerifyShard(number, of: count) == nil, "\(number)/\(count)")
    }
    #expect(VerifyShard(256, of: 256)?.folders == [255])
    #expect(VerifyShard(1, of: 1)?.folders.count == 256)
  }

  @Test(arguments: [1, 2, 3, 7, 16, 100, 255, 256])
  func everyFirstByteIsOfExactlyOneShard(count: Int) throws {
    let all = try shards(count).flatMap(\.folders)
    #expect(all.sorted() == Array(UInt8.min...UInt8.max))
    for shard in try shards(count) {
      #expect(shard.folders.allSatisfy { Int($0) % count == shard.number - 1 })
    }
  }

  /// A vault with something of every kind wrong with it.
  private func damage(_ vault: borrowing VaultCopy, seed: UInt64) throws {
    var random = SeededBytes(seed: seed)
    let notes = try vault.files(in: "notes")
    for note in notes {
      switch random.next() % 7 {
      case 0: try vault.remove(note)
      case 1: try vault.change(note) { $0[$0.count / 2] ^= 1 }
      case 2: try vault.change(note) { $0.removeLast(40) }
      case 3: try vault.write(note, [])
      case 4: try vault.write(note + ".txt", bytes("a plain note"))
      default: break
      }
    }
    try vault.write("notes/zz", bytes("foreign"))
    try vault.write("plain.md", bytes("foreign"))
    let stray = "notes/00/00\(String(repeating: "ab", count: 15)).sealed"
    try vault.write(stray, try Fixtures.bytes("vaults/v1/basic/vault/\(notes[0])"))
    let slot = try #require(try vault.files(in: "spare").first)
    try vault.remove(slot)
    try vault.change("README.md") { $0.append(0x21) }
  }

  @Test(arguments: 1...16)
  func theUnionOfAllShardsIsWhatAWholeRunFinds(count: Int) throws {
    let vault = try VaultCopy("basic")
    let seed = UInt64(count) * 7919
    try damage(vault, seed: seed)
    var policy = VerifyPolicy()
    policy.maximumFileByteCount = 1_200
    policy.requiresPadding = true
    let whole = try report(vault, nil, policy: policy)
    let parts = try shards(count).map { try report(vault, $0, policy: policy) }
    #expect(whole.findings.count > 20, "seed \(seed)")
    #expect(distinct(parts.flatMap(\.findings)) == distinct(whole.findings), "seed \(seed)")
    #expect(parts.reduce(0) { $0 + $1.counts.notes } == whole.counts.notes, "seed \(seed)")
    // What lies in a folder of notes/ is reported by the shard of that folder and no other.
    for (shard, part) in zip(try shards(count), parts) {
      for finding in part.findings where finding.path.starts(with: "notes/".utf8) {
        let folder = finding.path.split(separator: UInt8(ascii: "/"))[1]
        guard let byte = FileNameHex.folderByte(Array(folder)) else { continue }
        #expect(shard.contains(byte), "\(finding), seed \(seed)")
      }
    }
    #expect(Set(parts.map(\.state) + [whole.state]).count == 1)
  }

  /// Whole folders that are gone, or are no folders, are told by the shards of their notes too.
  @Test(arguments: ["notes", "notes/13", "notes/ff"])
  func theUnionHoldsWhereFoldersAreGone(folder: String) throws {
    for isFile in [false, true] {
      let vault = try VaultCopy("basic")
      if try !vault.files(in: "notes").contains(where: { $0.hasPrefix(folder) }) {
        try vault.write(folder + "/x", [])
      }
      try vault.remove(folder)
      if isFile { try vault.write(folder, []) }
      let whole = try report(vault, nil)
      for count in [2, 5, 256] {
        let parts = try shards(count).map { try report(vault, $0) }
        #expect(distinct(parts.flatMap(\.findings)) == distinct(whole.findings))
      }
    }
  }

  @Test(arguments: fixtureVaults)
  func theUnionHoldsForEveryFixture(name: String) throws {
    let vault = try VaultCopy(name)
    let whole = try report(vault, nil)
    let parts = try shards(3).map { try report(vault, $0) }
    #expect(distinct(parts.flatMap(\.findings)) == distinct(whole.findings))
  }

  @Test func aShardSaysWhatItDidNotCheck() throws {
    let vault = try VaultCopy("basic")
    let shard = try #require(VerifyShard(2, of: 3))
    let part = try report(vault, shard)
    #expect(part.shard == shard)
    #expect(part.unchecked.contains(.otherShards(shard)))
    let only = try #require(VerifyShard(1, of: 1))
    #expect(try report(vault, only).unchecked == report(vault, nil).unchecked)
    #expect(try report(vault, nil).shard == nil)
  }

  private func unlocked(
    _ vault: borrowing VaultCopy, _ passphrase: String, _ shard: VerifyShard?
  ) throws -> VerifyReport {
    var options = VerifyOptions(pins: [], bounds: .standard, workerCount: 2)
    options.shard = shard
    let verification = try Verification(path: bytes(vault.path), options: options)
    let locked = try #require(verification.lockedVault)
    let raw = try SecretBytes(copying: bytes(passphrase).span)
    var unlocking: Unlocking? = try Unlocking(
      locked.snapshot.usableSlots, of: locked.vault.header,
      with: try VaultSecret(passphrase: raw, isNew: false))
    return try verification.run(progress: .silent) { () throws(StoreError) in
      guard let started = unlocking.take() else { throw .secretRefused(notTried: 0) }
      return try started.finish()
    }
  }

  @Test func withTheSecretContentsAreCheckedInOneShardOnly() throws {
    let vault = try VaultCopy("merged")
    let passphrase = try ExpectedVault.load("merged").passphrase
    let whole = try unlocked(vault, passphrase, nil)
    let parts = try shards(2).map { try unlocked(vault, passphrase, $0) }
    #expect(parts.allSatisfy { $0.level == .unlocked })
    #expect(distinct(parts.flatMap(\.findings)) == distinct(whole.findings))
    #expect(parts.reduce(0) { $0 + $1.counts.notes } == whole.counts.notes)
  }

  @Test func theStateNamesVaultSegmentsAndSlots() throws {
    let vault = try VaultCopy("basic")
    let state = try report(vault, nil).state
    #expect(try report(vault, nil).state == state)
    // A note, a companion or a spare does not change it: every shard checks its own or all of them.
    try vault.change("README.md") { $0.append(0x21) }
    #expect(try report(vault, nil).state == state)
    let slot = try #require(try vault.files(in: "index").first { $0.hasSuffix(".slot") })
    try vault.change(slot) { $0[$0.count - 1] ^= 1 }
    let otherSlot = try report(vault, nil).state
    #expect(otherSlot != state)
    let segment = try #require(try vault.files(in: "index").first { $0.hasSuffix(".seg") })
    try vault.remove(segment)
    #expect(try report(vault, nil).state != otherSlot)
  }
}
