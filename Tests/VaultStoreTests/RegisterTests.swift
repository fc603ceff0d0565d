import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// The content register: what is stated and superseded by nobody is current (spec §7.2).
@Suite struct RegisterTests {
  private static let note = EntryID.note(NoteID(high: 1, low: 1))

  private func file(_ number: UInt64, byteCount: UInt64 = 1) -> State {
    .file(Digest(number, number, 0, 0), byteCount: byteCount)
  }

  private func grave(_ number: UInt64) -> State { .grave(Grave(high: number, low: 0)) }

  private func entry(
    _ states: [State], over: [State] = [], version: UInt64 = 0
  ) throws -> IndexEntry {
    try IndexEntry(
      id: Self.note, states: SmallList(states.sorted()),
      over: SmallList(Set(over.map(\.prefix)).sorted()), placeVersion: version,
      laterKeys: LaterKeys())
  }

  private func register(_ entries: [IndexEntry]) -> Register {
    var register = Register()
    for entry in entries { register.join(entry) }
    return register
  }

  @Test func nothingSaidIsNothingCurrent() {
    #expect(Register().current == [])
    #expect(Register().onlyCurrent == nil)
    #expect(!Register().isAlive)
    #expect(Register().placeVersion == 0)
  }

  @Test func aStateIsCurrentUntilItIsSuperseded() throws {
    let first = register([try entry([file(1)])])
    #expect(first.onlyCurrent == file(1))
    #expect(first.isAlive)
    let second = register([try entry([file(1)]), try entry([file(2)], over: [file(1)])])
    #expect(second.current == [file(2)])
    #expect(second.isSuperseded(file(1).prefix))
    #expect(!second.isSuperseded(file(2).prefix))
  }

  @Test func whatIsSupersededBeforeItIsStatedIsNeverCurrent() throws {
    let register = register([try entry([file(2)], over: [file(1)]), try entry([file(1)])])
    #expect(register.current == [file(2)])
  }

  @Test func twoStatesOverOneAreAConflictUntilOneIsOverBoth() throws {
    var register = register([
      try entry([file(1)]), try entry([file(2)], over: [file(1)]),
      try entry([file(3)], over: [file(1)]),
    ])
    #expect(register.current == [file(2), file(3)])
    #expect(register.onlyCurrent == nil)
    #expect(register.isAlive)
    register.join(try entry([file(4)], over: [file(2), file(3)]))
    #expect(register.onlyCurrent == file(4))
  }

  @Test func aGraveAloneIsDeadAndAGraveBesideAFileIsAConflict() throws {
    var register = register([try entry([file(1)]), try entry([grave(9)], over: [file(1)])])
    #expect(register.onlyCurrent == grave(9))
    #expect(!register.isAlive)
    register.join(try entry([file(2)], over: [file(1)]))
    #expect(register.current == [grave(9), file(2)])
    #expect(register.isAlive)
  }

  @Test func twoDeletionsAreNoConflict() throws {
    var register = register([
      try entry([file(1)]), try entry([grave(8)], over: [file(1)]),
      try entry([grave(9)], over: [file(1)]),
    ])
    #expect(register.current == [grave(8), grave(9)])
    #expect(!register.isAlive)
    #expect(!register.isConflicted)
    #expect(register.onlyCurrent?.isFile == false)
    register.join(try entry([file(2)], over: [file(1)]))
    #expect(register.isConflicted)
  }

  @Test func aNoteMayComeBackAfterItsGrave() throws {
    let register = register([
      try entry([file(1)]), try entry([grave(9)], over: [file(1)]),
      try entry([file(2)], over: [grave(9)]),
    ])
    #expect(register.onlyCurrent == file(2))
  }

  @Test func aDigestWithTwoByteCountsIsTwoStatesOfOnePrefix() throws {
    var register = register([try entry([file(1)]), try entry([file(1, byteCount: 2)])])
    #expect(register.current == [file(1), file(1, byteCount: 2)])
    register.join(try entry([file(3)], over: [file(1)]))
    #expect(register.current == [file(3)])
  }

  @Test func theHighestPlaceVersionCountsAndTheOneBelowIsKnown() throws {
    let versions: [UInt64] = [3, 1, 7, 7, 2]
    for order in [versions, versions.sorted(), versions.sorted(by: >)] {
      let register = register(try order.map { try entry([], version: $0) })
      #expect(register.placeVersion == 7)
      #expect(register.placeVersionBelow == 3)
      #expect(register.current == [])
    }
  }

  @Test(arguments: 0..<30) func joiningIsTheSameInEveryOrderAndOftener(seed: UInt64) throws {
    var random = SeededBytes(seed: seed)
    let states = (1...6).map { file($0) } + (1...3).map { grave($0 + 100) }
    let entries = try (0..<12).map { _ in
      let over = Set(states.filter { _ in Int.random(in: 0..<5, using: &random) == 0 })
      let stated = states.filter {
        !over.contains($0) && Int.random(in: 0..<5, using: &random) == 0
      }
      let least: UInt64 = over.isEmpty && stated.isEmpty ? 1 : 0
      return try entry(
        stated, over: Array(over), version: UInt64.random(in: least...3, using: &random))
    }
    let expected = register(entries)
    #expect(register(entries.reversed()) == expected, "seed \(seed)")
    #expect(register(entries.shuffled(using: &random)) == expected, "seed \(seed)")
    #expect(register(entries + entries) == expected, "seed \(seed)")
    let over = Set(entries.flatMap(\.over))
    let current = Set(entries.flatMap(\.states)).filter { !over.contains($0.prefix) }
    #expect(Set(expected.current) == current, "seed \(seed)")
    #expect(expected.current == expected.current.sorted(), "seed \(seed)")
  }
}
