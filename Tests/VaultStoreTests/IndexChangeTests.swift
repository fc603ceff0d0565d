import Testing
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

/// What a writer states in one segment (spec §7.4, §9).
@Suite struct IndexChangeTests {
  private func id(_ number: UInt64) -> NoteID { NoteID(high: 0, low: number) }

  private func digest(_ number: UInt64) -> Digest { Digest(number, number, 0, 0) }

  private func file(_ number: UInt64) -> State { .file(digest(number), byteCount: number) }

  private func record(_ byteCount: UInt64) throws -> ContentRecord {
    try ContentRecord(
      type: .file, mediaType: nil, contentByteCount: byteCount, payloadByteCount: byteCount,
      compression: .none, created: nil, modified: try Timestamp(seconds: 0, nanoseconds: 0),
      laterKeys: LaterKeys())
  }

  private func place(_ path: String) throws -> Place {
    try Place(path: bytes(path), executable: false)
  }

  /// A register in which these states are current.
  private func register(_ states: [State]) throws -> Register {
    var register = Register()
    for state in states {
      register.join(
        try IndexEntry(
          id: .note(id(1)), states: SmallList(state), over: SmallList(), placeVersion: 0,
          laterKeys: LaterKeys()))
    }
    return register
  }

  @Test func aNewContentSupersedesAllThatIsCurrent() throws {
    var change = IndexChange()
    #expect(change.isEmpty)
    let grave = State.grave(Grave(high: .max, low: 0))
    try change.state(
      id(1), file(9), record: record(9), over: register([file(2), grave, file(1)]), place: nil,
      plan: .init(noteID: id(1), before: digest(1), after: digest(9)))
    let entry = try #require(change.entries.first)
    #expect(!change.isEmpty)
    #expect(Array(entry.states) == [file(9)])
    #expect(Array(entry.over) == [file(1), file(2), grave].map(\.prefix).sorted())
    #expect(entry.placeVersion == 0)
    #expect(change.plan == [.init(noteID: id(1), before: digest(1), after: digest(9))])
  }

  @Test func aDeletionIsAGraveOverAllAndPlansNoFile() throws {
    var change = IndexChange()
    let grave = Grave(high: 1, low: 2)
    try change.bury(id(1), under: grave, over: register([file(1), file(2)]), before: digest(1))
    let entry = try #require(change.entries.first)
    #expect(Array(entry.states) == [.grave(grave)])
    #expect(Array(entry.over) == [file(1), file(2)].map(\.prefix))
    #expect(change.plan == [.init(noteID: id(1), before: digest(1), after: nil)])
    #expect(change.body.map(\.records.count) == [0])
  }

  @Test func aRenameStatesNoContentAndPlansNothing() throws {
    var change = IndexChange()
    try change.move(id(1), to: place("b"), version: 4)
    let entry = try #require(change.entries.first)
    #expect(entry.states.isEmpty && entry.over.isEmpty)
    #expect(entry.placeVersion == 4)
    #expect(change.plan.isEmpty)
    #expect(change.body.map(\.place) == [try place("b")])
  }

  @Test func entriesPlanAndBodyComeInTheOrderOfTheFormat() throws {
    var change = IndexChange()
    try change.state(.companion(CompanionFiles.all[0].path), file(7), over: Register())
    try change.move(id(3), to: place("c"), version: 2)
    try change.state(.slot(Locator(1, 1, 1, 1)), file(8), over: Register())
    try change.bury(
      id(2), under: Grave(high: 1, low: 2), over: register([file(2)]), before: digest(2))
    try change.state(
      id(1), file(5), record: record(5), over: Register(), place: (place("a"), 1),
      plan: .init(noteID: id(1), before: nil, after: digest(5)))
    change.sort()
    #expect(
      change.entries.map(\.id) == [
        .note(id(1)), .note(id(2)), .note(id(3)), .slot(Locator(1, 1, 1, 1)),
        .companion(CompanionFiles.all[0].path),
      ])
    #expect(change.plan.map(\.noteID) == [id(1), id(2)])
    #expect(change.body.map { $0.place?.path } == [bytes("a"), nil, bytes("c")])
    _ = try SegmentLists(parents: [], replaces: [], excuses: [], entries: change.entries)
    _ = try SegmentBody(items: change.body, entries: change.entries)
  }

  @Test func aPlaceVersionAboveTheMaximumIsRefused() throws {
    var change = IndexChange()
    let error = FormatError.valueOutOfRange(
      field: "place version", offset: 0, found: Limits.placeVersion + 1,
      allowed: 0...Limits.placeVersion)
    #expect(throws: StoreError.sealing(.format(error), path: Layout.index)) {
      try change.move(id(1), to: place("b"), version: Limits.placeVersion + 1)
    }
    #expect(change.isEmpty)
  }
}
