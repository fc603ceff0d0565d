import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// The index is the union over live segments: the same in any order and after any compaction (spec §7.2, §7.4).
@Suite struct CompartmentIndexTests {
  /// What a reader takes from a register: not which superseded states are still stated in full.
  private struct Line: Equatable {
    let current: [State]
    let superseded: [StatePrefix]
    let placeVersion: UInt64

    init(_ register: Register) {
      current = register.current
      superseded = register.superseded
      placeVersion = register.placeVersion
    }

    init(_ thing: FoldModel.Thing) {
      current = thing.current.sorted()
      superseded = thing.over.sorted()
      placeVersion = thing.place?.version ?? 0
    }
  }

  private func lines(_ index: CompartmentIndex) -> [EntryID: Line] {
    var lines: [EntryID: Line] = [:]
    for (id, register) in index.notes { lines[.note(id)] = Line(register) }
    for (locator, register) in index.slots { lines[.slot(locator)] = Line(register) }
    for (path, register) in index.companions { lines[.companion(path)] = Line(register) }
    return lines
  }

  private func expectEqual(
    _ history: TestHistory, _ one: Set<SegmentID>, _ other: Set<SegmentID>, _ comment: String
  ) {
    #expect(lines(history.index(of: one)) == lines(history.index(of: other)), "\(comment)")
  }

  private static let seeds: Range<UInt64> = 0..<8
  private static let stepCount = 40

  @Test(arguments: seeds) func theFoldIsWhatTheModelSaysInAnyOrder(seed: UInt64) throws {
    var history = try TestHistory(seed: seed)
    for step in 0..<Self.stepCount {
      let branch = try history.step()
      let present = history.branches[branch]
      let model = history.model(of: present)
      #expect(
        lines(history.index(of: present)) == model.things.mapValues(Line.init),
        "seed \(seed), step \(step)")
      var random = SeededBytes(seed: UInt64(step))
      let shuffled = present.compactMap { history.segments[$0] }.shuffled(using: &random)
      let index = history.index(of: shuffled)
      #expect(lines(index) == model.things.mapValues(Line.init), "seed \(seed), step \(step)")
      #expect(index.live.map(\.id) == index.live.map(\.id).sorted())
    }
  }

  @Test(arguments: seeds) func aSupersededStateNeverComesBack(seed: UInt64) throws {
    var history = try TestHistory(seed: seed)
    var gone: [Set<StatePrefix>] = [[], []]
    for step in 0..<Self.stepCount {
      let branch = try history.step()
      let lines = lines(history.index(of: history.branches[branch]))
      for line in lines.values {
        for state in line.current {
          #expect(!gone[branch].contains(state.prefix), "seed \(seed), step \(step)")
        }
      }
      let superseded = Set(lines.values.flatMap(\.superseded))
      #expect(gone[branch].isSubset(of: superseded), "seed \(seed), step \(step)")
      gone[branch].formUnion(superseded)
    }
  }

  @Test(arguments: seeds) func compactingAnySubsetChangesNothing(seed: UInt64) throws {
    var history = try TestHistory(seed: seed)
    for step in 0..<Self.stepCount {
      let branch = try history.step()
      let present = history.branches[branch]
      guard step % 4 == 0, let merged = try history.compaction(of: present) else { continue }
      let comment = "seed \(seed), step \(step)"
      let cutShort = present.union([merged.id])
      expectEqual(history, present, cutShort, comment)
      let done = cutShort.subtracting(merged.lists.replaces)
      expectEqual(history, present, done, comment)
      #expect(
        Set(history.index(of: done).graph.missing.map(\.segment))
          .isSubset(of: history.index(of: present).graph.missing.map(\.segment)), "\(comment)")
      // Compacted again, and all of it at once.
      if let again = try history.compaction(of: done) {
        expectEqual(
          history, present, done.union([again.id]).subtracting(again.lists.replaces), comment)
      }
      let whole = try history.compaction(of: history.index(of: done).live, among: done)
      expectEqual(history, present, [whole.id], comment)
      // A replaced segment that comes back says nothing new.
      for old in merged.lists.replaces where history.segments[old] != nil {
        expectEqual(history, done, done.union([old]), comment)
        expectEqual(history, [whole.id], [whole.id, old], comment)
      }
    }
  }

  @Test(arguments: seeds) func itDoesNotMatterInWhichStepsSegmentsAreMerged(seed: UInt64) throws {
    var history = try TestHistory(seed: seed)
    for _ in 0..<Self.stepCount { _ = try history.step() }
    let present = history.branches[0].union(history.branches[1])
    let live = history.index(of: present).live
    let parts = [live.filter { $0.id.bytes[0] < 128 }, live.filter { $0.id.bytes[0] >= 128 }]
    let merged = try parts.filter { !$0.isEmpty }
      .map { try history.compaction(of: $0, among: present) }
    let inSteps = try history.compaction(of: merged, among: present)
    let backwards = try history.compaction(of: merged.reversed(), among: present)
    let atOnce = try history.compaction(of: live, among: present)
    #expect(inSteps.lists.entries == atOnce.lists.entries, "seed \(seed)")
    #expect(inSteps.lists.entries == backwards.lists.entries, "seed \(seed)")
    let twice = try history.compaction(of: live + [atOnce], among: present)
    #expect(twice.lists.entries == atOnce.lists.entries, "seed \(seed)")
  }

  @Test(arguments: seeds) func ofTwoVaultsTheUnionIsTheSameFromBothSides(seed: UInt64) throws {
    var history = try TestHistory(seed: seed)
    for step in 0..<Self.stepCount {
      _ = try history.step()
      let (ours, theirs) = (history.branches[0], history.branches[1])
      let union = lines(history.index(of: ours.union(theirs)))
      // Each side compacted to one segment, then put beside the other.
      guard step % 8 == 7, !ours.isEmpty, !theirs.isEmpty else { continue }
      let our = try history.compaction(of: history.index(of: ours).live, among: ours)
      let their = try history.compaction(of: history.index(of: theirs).live, among: theirs)
      #expect(lines(history.index(of: [our, their])) == union, "seed \(seed), step \(step)")
      #expect(lines(history.index(of: [their, our])) == union, "seed \(seed), step \(step)")
    }
  }

  // MARK: - What the owner sees

  @Test(arguments: seeds) func notesHaveThePlaceAndRecordThatTheModelSays(seed: UInt64) throws {
    var history = try TestHistory(seed: seed)
    for step in 0..<Self.stepCount {
      let branch = try history.step()
      guard step % 5 == 4 else { continue }
      let present = history.branches[branch]
      let comment = "seed \(seed), step \(step)"
      try expectTable(history, present, as: history.model(of: present), comment)
      if let merged = try history.compaction(of: present) {
        let done = present.union([merged.id]).subtracting(merged.lists.replaces)
        try expectTable(history, done, as: history.model(of: present), comment)
      }
    }
  }

  private func expectTable(
    _ history: TestHistory, _ present: Set<SegmentID>, as model: FoldModel, _ comment: String
  ) throws {
    // On the disk lies the greatest of the current files of every second note, and nothing of the others.
    func onDisk(_ id: NoteID) -> State? {
      id.bytes[15] % 2 == 0 ? model.things[.note(id)]?.current.filter(\.isFile).max() : nil
    }
    let table = try NoteTable(
      history.index(of: present), keys: history.secret.keys, stateOnDisk: onDisk)
    var expected: [NoteID: FoldModel.PlaceLine] = [:]
    var conflicted = Set<NoteID>()
    for (id, thing) in model.things {
      guard case .note(let note) = id, let place = thing.place,
        let least = thing.current.filter(\.isFile).min()
      else { continue }
      expected[note] = place
      if thing.current.count > 1 { conflicted.insert(note) }
      let info = try #require(table.notes.first { $0.id == note }, "\(comment)")
      let state = thing.current.count > 1 ? onDisk(note) ?? least : least
      #expect(State.file(info.digest, byteCount: info.sealedByteCount) == state, "\(comment)")
      #expect(info.record == thing.records[state], "\(comment)")
      #expect(info.path == place.path, "\(comment)")
      #expect(info.isExecutable == place.executable, "\(comment)")
    }
    #expect(table.findings.map(\.code).allSatisfy { $0 == .recordDiffers }, "\(comment)")
    #expect(Set(table.notes.map(\.id)) == Set(expected.keys), "\(comment)")
    #expect(table.conflicted.intersection(expected.keys) == conflicted, "\(comment)")
  }
}
