import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A vault with several compartments: which secret sees what, and what writing to one leaves alone.
@Suite struct CompartmentsTests {
  private static let first = TestVault.passphrase
  private static let second = "battery staple"

  private let bench: PackBench
  private let compartments: [CompartmentID]

  /// Two compartments with two notes each; one path is in both.
  init() throws {
    bench = try PackBench()
    let home = try bench.vault.open().header.firstCompartment
    let other = try bench.vault.reset(to: Self.second, phrase: TestVault.otherPhrase)
    compartments = [home, other]
    try bench.put("plain.md", "first")
    try bench.put("shared.md", "first")
    try bench.pack()
    try bench.shell("mkdir ../theirs && echo second > ../theirs/own.md")
    try bench.shell("echo second > ../theirs/shared.md")
    try packSecond()
  }

  private var theirs: [UInt8] { bench.vault.temporary.bytes + bytes("/theirs") }

  @discardableResult private func packSecond() throws -> PackBench.Run {
    try bench.pack(with: Self.second, from: theirs)
  }

  private func unlock(_ passphrases: String...) throws -> UnlockedVault {
    let vault = try bench.vault.open()
    let snapshot = try Snapshot.load(vault, bounds: TestVault.bounds)
    let secrets = try passphrases.map { HeldSecret(try TestVault.secret($0), origin: "<\($0)>") }
    return try Unlocking(snapshot.usableSlots, of: vault.header, with: secrets).finish()
      .read(snapshot, of: vault)
  }

  private func paths(_ vault: UnlockedVault) -> [String] {
    vault.notes.map { String(decoding: $0.shownPath, as: UTF8.self) }
  }

  private func verify(
    pins: [SignerKey] = [], with passphrases: String...
  ) throws -> VerifyReport {
    let options = VerifyOptions(pins: pins, bounds: TestVault.bounds, workerCount: 2)
    let verification = try Verification(path: bench.vault.path, options: options)
    guard !passphrases.isEmpty else { return try verification.run(progress: .silent, keys: nil) }
    let locked = try #require(verification.lockedVault)
    let secrets = try passphrases.map { HeldSecret(try TestVault.secret($0)) }
    let opened = try Unlocking(
      locked.snapshot.usableSlots, of: locked.vault.header, with: secrets
    ).finish()
    return try verification.run(progress: .silent) { () throws(StoreError) in opened }
  }

  // MARK: - Opening

  @Test func eachSecretSeesItsNotesAndTogetherTheySeeAll() throws {
    let one = try unlock(Self.first)
    #expect(paths(one) == ["plain.md", "shared.md"])
    #expect(one.lockedCompartments == [compartments[1]])
    #expect(one.lockedNoteCount == 2)
    let two = try unlock(Self.second)
    #expect(paths(two) == ["own.md", "shared.md"])
    let both = try unlock(Self.second, Self.first)
    #expect(both.compartments.map(\.index.compartment) == compartments.sorted())
    #expect(both.lockedCompartments.isEmpty)
    #expect(both.lockedNoteCount == 0)
    #expect(both.openedSlots.count == 2)
  }

  @Test func aNameInTwoCompartmentsIsShownOnceAsItIsAndOnceRenamed() throws {
    let both = try unlock(Self.first, Self.second)
    let shared = both.notes.filter { $0.path == bytes("shared.md") }
    #expect(shared.count == 2)
    let greater = try #require(shared.map(\.id).max())
    for note in shared {
      #expect((note.shownPath == note.path) == (note.id != greater))
    }
    #expect(paths(both).contains("shared (conflict \(greater.hex.prefix(8))).md"))
  }

  @Test func aSecretGivenTwiceCountsOnce() throws {
    let vault = try unlock(Self.first, Self.first)
    #expect(vault.compartments.count == 1)
    #expect(vault.openedSlots.count == 1)
    #expect(paths(vault) == ["plain.md", "shared.md"])
  }

  @Test func ofSeveralTheOneThatOpensNothingIsNamed() throws {
    #expect(throws: StoreError.ofSecret(origin: "<wrong>", .secretRefused(notTried: 0))) {
      _ = try unlock(Self.first, "wrong", Self.second)
    }
    #expect(throws: StoreError.secretRefused(notTried: 0)) { _ = try unlock("wrong") }
  }

  @Test func onePassphraseMayOpenTwoCompartments() throws {
    let vault = bench.vault
    let third = try vault.reset(
      to: Self.second, phrase: String(repeating: "abandon ", count: 23) + "art")
    #expect(
      try unlock(Self.second).compartments.map(\.index.compartment)
        == [compartments[1], third].sorted())
  }

  @Test func aDamagedSlotOfOneCompartmentLeavesTheOtherAlone() throws {
    let vault = try bench.vault.open()
    let slots = Set(try Snapshot.load(vault, bounds: TestVault.bounds).usableSlots)
    for slot in slots
    where slot.head.compartment == compartments[1] && slot.head.purpose == .passphrase {
      let name = FileNameHex.name(of: slot.head.locator)
      for folder in [Layout.index, Layout.spare] {
        let path = String(decoding: Layout.path(folder, name), as: UTF8.self)
        var content = try bench.vault.content(path)
        content[content.count - 1] ^= 1
        try bench.vault.put(path, content)
      }
    }
    #expect(paths(try unlock(Self.first)) == ["plain.md", "shared.md"])
    let error = #expect(throws: StoreError.self) { _ = try unlock(Self.first, Self.second) }
    guard case .ofSecret("<\(Self.second)>", .noteNotAsListed(_, .sealBroken))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // MARK: - Writing

  @Test func aPackTouchesOnlyTheCompartmentOfItsSecret() throws {
    let before = try bench.vault.sealedFiles()
    let mine = Set(try unlock(Self.first).notes.map(\.id))
    try bench.shell("echo more > ../theirs/new.md && rm ../theirs/own.md")
    let run = try packSecond()
    #expect(run.changes == ["removed own.md", "added new.md"] || run.changes.count == 2)
    let after = try bench.vault.sealedFiles()
    for id in mine { #expect(after[id] == before[id]) }
    #expect(paths(try unlock(Self.first)) == ["plain.md", "shared.md"])
    #expect(paths(try unlock(Self.second)) == ["new.md", "shared.md"])
    #expect(try verify(with: Self.first, Self.second).findings.allSatisfy { $0.severity == .note })
  }

  @Test func eachCompartmentHasABaseOfItsOwn() throws {
    // Both pack the same folder; what one has packed is no base for the other.
    #expect(try #require(try bench.vault.names("local")).count == 2)
    let run = try bench.pack(with: Self.second, keepsMissing: true)
    #expect(try #require(try bench.vault.names("local")).count == 3)
    #expect(run.changes.contains("added plain.md"))
    #expect(try bench.pack().changes.isEmpty)
  }

  @Test func withBothOpenAChangeStaysInItsCompartmentAndNewNotesGoToTheFirst() throws {
    let vault = try bench.vault.open()
    var session = try TestVault.session(vault)
    let unlocked = try TestVault.unlock(vault, session.snapshot, with: Self.first, Self.second)
    let source = bench.vault.temporary.bytes + bytes("/theirs")
    try bench.shell("echo changed > ../theirs/own.md && echo new > ../theirs/new.md")
    let packing = try Packing(
      bench.scan(source), of: SourceFolder(path: source), into: unlocked,
      options: .init(keepsMissing: true, compression: .automatic, removesSource: false),
      watch: PackWatch(isInterrupted: { false }, didHandle: { _ in }))
    _ = try packing.carryOut(try packing.decide(), in: &session, ahead: nil)
    let both = try unlock(Self.first, Self.second)
    let homes = Dictionary(
      both.notes.map { (String(decoding: $0.path, as: UTF8.self), $0.compartment) },
      uniquingKeysWith: { first, _ in first })
    #expect(homes["own.md"] == compartments[1])
    #expect(homes["new.md"] == compartments[0])
    #expect(both.notes.count == 5)
  }

  @Test func whatIsWrongWithOneCompartmentDoesNotKeepTheOtherFromWriting() throws {
    let note = try #require(try unlock(Self.first).notes.first)
    try bench.vault.remove(String(decoding: Layout.notePath(note.id), as: UTF8.self))
    try bench.shell("echo more > ../theirs/new.md")
    #expect(try packSecond().changes == ["added new.md"])
    try bench.put("new.md", "x")
    #expect(throws: StoreError.noteNotAsListed(path: Layout.notePath(note.id), .noteMissing)) {
      try bench.pack()
    }
  }

  @Test func compactingOneCompartmentLeavesTheOthersSegments() throws {
    for number in 0...Compaction.fan {
      try bench.shell("echo \(number) > ../theirs/own.md")
      try packSecond()
    }
    let vault = try bench.vault.open()
    var session = try TestVault.session(vault)
    let before = try #require(session.snapshot.compartments[compartments[0]]).live.map(\.id)
    let opened = try Unlocking(
      session.snapshot.usableSlots, of: vault.header, with: TestVault.secret(Self.second)
    ).finish()
    for secret in opened.secrets.values {
      #expect(try Compaction.run(&session, secret: secret) > Compaction.fan)
    }
    #expect(session.snapshot.compartments[compartments[0]]?.live.map(\.id) == before)
    #expect(paths(try unlock(Self.first)) == ["plain.md", "shared.md"])
    #expect(paths(try unlock(Self.second)) == ["own.md", "shared.md"])
    #expect(try verify().findings.isEmpty)
  }

  // MARK: - Verifying

  @Test func everySignerMustBePinned() throws {
    let signers = try bench.vault.snapshot().compartments.mapValues(\.signer)
    let pins = try compartments.map { try #require(signers[$0]) }
    #expect(try verify().findings.isEmpty)
    #expect(try verify(pins: pins).findings.isEmpty)
    let one = try verify(pins: [pins[0]])
    #expect(one.findings.map(\.code) == [.signerUnpinned])
    #expect(one.signers.first { $0.compartment == compartments[0] }?.isPinned == true)
    #expect(one.signers.first { $0.compartment == compartments[1] }?.isPinned == false)
  }

  @Test func anUnlockedVerifySaysWhatStaysLocked() throws {
    let one = try verify(with: Self.first)
    #expect(one.findings.map(\.code) == [.lockedCompartment])
    #expect(one.findings.first?.message.contains("2 notes") == true)
    #expect(one.unchecked.contains(.compartment(compartments[1])))
    let both = try verify(with: Self.second, Self.first)
    #expect(both.findings.map(\.code) == [.nameConflict])
  }

  // MARK: - Slots

  @Test func anUnlistedALostAndARevivedSlotAreFindings() throws {
    let vault = bench.vault
    func findings() throws -> [Finding.Code] {
      try vault.snapshot().slotFindings(in: vault.open()).map(\.code)
    }
    #expect(try findings() == [])
    let slots = try vault.snapshot().usableSlots.filter { $0.head.compartment == compartments[1] }
    let name = "index/" + (try #require(slots.first)).head.locator.hex + ".slot"
    let content = try vault.content(name)
    try vault.remove(name)
    #expect(try findings() == [.slotMissing])
    try vault.put(name, content)
    let ended = try #require(
      vault.snapshot().usableSlots.first { slot in
        slot.head.compartment == compartments[0] && slot.head.purpose == .passphrase
      })
    let endedName = "index/" + ended.head.locator.hex + ".slot"
    let endedContent = try vault.content(endedName)
    try vault.rewrap(to: "another one")
    #expect(try findings() == [])
    try vault.put(endedName, endedContent)
    #expect(try findings() == [.slotDeleted])
    try vault.remove(endedName)
    let index = try #require(try vault.snapshot().compartments[compartments[1]])
    for segment in index.graph.nodes.keys { try vault.remove("index/\(segment.hex).seg") }
    #expect(try findings() == [.slotUnlisted, .slotUnlisted])
  }
}
