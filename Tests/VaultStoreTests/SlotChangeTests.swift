import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Slots come and go; the master key and the notes stay (spec §9.1).
@Suite struct SlotChangeTests {
  @Test func aNewPassphraseTakesThePlaceOfTheOld() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let before = try (vault.sealedFiles(), vault.names("index")?.count)
    let outcome = try vault.rewrap(to: "another horse")
    #expect(outcome.isListed)
    #expect(outcome.unfinished == nil)
    #expect(try vault.opens("another horse") == ["a"])
    #expect(throws: StoreError.secretRefused(notTried: 0)) {
      _ = try vault.opens(TestVault.passphrase)
    }
    #expect(try vault.opensByPhrase() == ["a"])
    #expect(try vault.sealedFiles() == before.0, "no note is touched")
    #expect(try vault.names("index")?.count == before.1.map { $0 + 1 }, "one segment more")
    try expectSettled(vault)
  }

  @Test func aResetMakesACompartmentBesideTheOld() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let made = try vault.reset(to: "fresh start", phrase: TestVault.otherPhrase)
    #expect(try vault.opens("fresh start") == [])
    #expect(try vault.opens(TestVault.passphrase) == ["a"])
    let snapshot = try vault.snapshot()
    #expect(snapshot.compartments.count == 2)
    #expect(snapshot.compartments[made]?.slots.count == 2)
    try expectSettled(vault)
  }
}

/// What a change of slots bears, and what it refuses.
@Suite struct SlotChangeDamageTests {
  private func vault() throws -> TestVault {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    return vault
  }

  private func end(
    _ slots: [Locator], in vault: TestVault, phrase: String = TestVault.phrase
  ) throws -> SlotChange.Outcome {
    try vault.changeSlots(with: TestVault.secret(phrase: phrase)) { change, _, _ in
      for slot in slots { change.end(slot) }
    }
  }

  @Test func theLastSlotCannotEnd() throws {
    let vault = try vault()
    let before = try vault.names("index")
    let slots = [try vault.passphraseSlot(), try vault.phraseSlot()]
    #expect(throws: StoreError.lastSlot) { _ = try end(slots, in: vault) }
    #expect(try end([slots[0]], in: vault).isListed)
    #expect(throws: StoreError.lastSlot) { _ = try end([slots[1]], in: vault) }
    #expect(try vault.names("index")?.count == before?.count, "one slot less, one segment more")
    #expect(try vault.findings().isEmpty)
  }

  @Test func aSlotThatIsLostIsNoneThatStays() throws {
    let vault = try vault()
    try vault.losePassphraseSlot()
    let phrase = try vault.phraseSlot()
    #expect(throws: StoreError.lastSlot) { _ = try end([phrase], in: vault) }
  }

  @Test func anUnknownSlotAndOneOfAnotherCompartmentDoNotEnd() throws {
    let vault = try vault()
    let unknown = Locator(1, 2, 3, 4)
    #expect(throws: StoreError.noSuchSlot(unknown)) { _ = try end([unknown], in: vault) }
    let made = try vault.reset(to: "other", phrase: TestVault.otherPhrase)
    let others = try #require(try vault.snapshot().compartments[made]).slots.keys.sorted()
    let other = try #require(others.first)
    #expect(throws: StoreError.noSuchSlot(other)) { _ = try end([other], in: vault) }
    #expect(try vault.findings().isEmpty)
  }

  @Test(arguments: ["rm $f", ": > $f", "printf x >> $f", "truncate -s 100 $f", "chmod 640 $f"])
  func aSlotEndsWhateverIsLeftOfIt(damage: String) throws {
    for places in [["index"], ["spare"], ["index", "spare"]] {
      let vault = try vault()
      let slot = try vault.passphraseSlot()
      for place in places { try vault.shell("f=\(place)/\(slot.hex).slot; \(damage)") }
      #expect(try end([slot], in: vault).isListed)
      #expect(try vault.findings().isEmpty, "\(damage) in \(places)")
      #expect(try vault.names("spare")?.count == 1)
    }
  }

  @Test func fr111ASlotIsNeverWrittenThroughALink() throws {
    let vault = try vault()
    let slot = try vault.passphraseSlot()
    try vault.shell("mv index/\(slot.hex).slot ../real && ln -s ../../real index/\(slot.hex).slot")
    let before = try vault.names("index")
    // The spare opens; the link is nobody's slot, so it stays, and what it leads to is not touched.
    try vault.rewrap(to: "new")
    #expect(try vault.opens("new") == ["a"])
    #expect(try vault.codes() == [.notARegularFile])
    #expect(try vault.names("index")?.contains("\(slot.hex).slot") == true)
    #expect(try vault.names("index")?.count == before.map { $0.count + 2 })
    try vault.shell("test -s ../real && test -L index/\(slot.hex).slot")
  }

  @Test func fr111AFolderThatIsALinkIsRefused() throws {
    let vault = try vault()
    try vault.shell(
      "mv spare ../elsewhere && ln -s ../elsewhere spare && ls ../elsewhere > ../list")
    #expect(throws: StoreError.self) { try vault.rewrap(to: "new") }
    #expect(try vault.opens(TestVault.passphrase) == ["a"])
    try vault.shell("ls ../elsewhere | cmp - ../list && test ! -e staging")
    #expect(try vault.names("index")?.filter { $0.hasSuffix(".slot") }.count == 2)
  }

  @Test func fr052AnOldSlotThatIsPutBackOpensAndIsAFinding() throws {
    let vault = try vault()
    let name = "index/\(try vault.passphraseSlot().hex).slot"
    let old = try vault.content(name)
    try vault.rewrap(to: "new")
    try vault.put(name, old)
    #expect(try vault.opens(TestVault.passphrase) == ["a"])
    #expect(try vault.codes() == [.slotDeleted])
  }

  @Test func damagedNotesAndSegmentsDoNotMatter() throws {
    let vault = try vault()
    try vault.commit([.put("b", "two")])
    try vault.shell("for f in notes/*/*; do : > $f; done")
    let segments = try #require(try vault.names("index")).filter { $0.hasSuffix(".seg") }
    for segment in segments.prefix(1) { try vault.shell(": > index/\(segment)") }
    #expect(try vault.rewrap(to: "new").isListed)
    _ = try vault.opens("new")
    #expect(throws: StoreError.secretRefused(notTried: 0)) {
      _ = try vault.opens(TestVault.passphrase)
    }
  }

  @Test func whereTheIndexIsLostTheSlotStandsAloneAndNothingEnds() throws {
    let vault = try vault()
    try vault.shell("rm -r index")
    let outcome = try vault.rewrap(to: "new")
    #expect(!outcome.isListed)
    #expect(try vault.opens("new") == [])
    #expect(try vault.opens(TestVault.passphrase) == [])
    #expect(try vault.names("index")?.count == 1)
    #expect(try vault.names("spare")?.count == 3)
    #expect(try vault.names("staging") == nil)
  }

  @Test func aSecretWhoseSlotEndedMeanwhileMakesNoOther() throws {
    let vault = try vault()
    let folder = try vault.open()
    let opened = try TestVault.openSlots(
      folder, vault.snapshot(), with: TestVault.secret(TestVault.passphrase))
    try vault.rewrap(to: "new")
    let keys = try #require(opened.secrets.values.first)
    var change = SlotChange(of: keys, openedBy: opened.slots)
    change.add(
      SlotRequest(
        try TestVault.key(of: TestVault.secret("late"), in: folder), label: nil, hint: nil))
    let session = try TestVault.session(folder)
    #expect(throws: StoreError.changedMeanwhile) { _ = try change.commit(in: session) }
  }

  @Test func moreSlotsThanTheFormatAllowsAreRefused() throws {
    let vault = try vault()
    let before = try vault.names("index")
    #expect(throws: StoreError.tooManySlots) {
      _ = try vault.changeSlots(with: TestVault.secret(TestVault.passphrase)) { change, _, folder in
        let key = try TestVault.key(of: TestVault.secret("more"), in: folder)
        for _ in 0..<Limits.slotFiles - 1 { change.add(SlotRequest(key, label: nil, hint: nil)) }
      }
    }
    #expect(try vault.names("index") == before)
  }

  @Test func theSlotsOfARunWhoseSegmentIsLostAreNoLeftovers() throws {
    let base = try vault()
    let slots = Set(try #require(try base.names("spare")))
    var met = 0
    for step in 1... {
      let plan = FaultPlan(atStep: step, .stop)
      let vault = try TestVault(copying: base)
      _ = try? vault.rewrap(to: "new", faults: plan)
      let segments = Set(try #require(try vault.names("index")).filter { $0.hasSuffix(".seg") })
      let added = segments.subtracting(try #require(try base.names("index")))
      let isOldGone = try !slots.isSubset(of: #require(try vault.names("spare")))
      if let segment = added.first, isOldGone, try vault.names("staging") != nil {
        met += 1
        try vault.remove("index/\(segment)")
        try vault.tidyUp()
        #expect(try vault.opens("new") == ["a"], "step \(step)")
      }
      if !plan.wasReached { break }
    }
    #expect(met > 0, "a run ends with its folder there and the old slot gone")
  }
}

/// A run that stopped after its commit, met by the next change.
@Suite struct SlotCompletionTests {
  @Test func theNextChangeCompletesARunAndGoesOn() throws {
    let base = try TestVault()
    try base.commit([.put("a", "one")])
    var met = 0
    for step in 1... {
      let plan = FaultPlan(atStep: step, .stop)
      let vault = try TestVault(copying: base)
      _ = try? vault.rewrap(to: "new", faults: plan)
      if try vault.codes().contains(.unfinishedCommit) {
        met += 1
        try vault.rewrap(from: "new", to: "newer")
        #expect(try vault.findings().isEmpty, "step \(step)")
        #expect(try vault.opens("newer") == ["a"], "step \(step)")
      }
      if !plan.wasReached { break }
    }
    #expect(met > 0)
  }
}

extension TestVault {
  /// What the next writer does first.
  fileprivate func tidyUp() throws {
    var session = try Self.session(open())
    try session.removeLeftovers()
  }
}
