import Testing
import VaultFormat

@testable import VaultStore

/// Deleting originals after they were packed.
@Suite struct PackOriginalsTests {
  private func left(_ bench: borrowing PackBench) throws -> [String] {
    try bench.scan().items.map { String(decoding: $0.path, as: UTF8.self) }
  }

  @Test func whatIsInTheVaultGoes() throws {
    let bench = try PackBench()
    try bench.shell(
      "mkdir -p f/g empty && printf a > f/a && printf b > f/g/b && ln -s a l && : > none")
    let contents = ["f": "/", "f/g": "/", "empty": "/", "f/a": "a", "f/g/b": "b", "l": "-> a"]
      .merging(["none": ""]) { $1 }
    let run = try bench.pack(removesSource: true)
    #expect(run.outcome.removedOriginals == 7)
    #expect(run.outcome.problems == [])
    #expect(try left(bench) == [])
    #expect(try bench.contents() == contents)
    // The next pack does not take them for deleted.
    let next = try bench.pack()
    #expect(next.changes == [])
    #expect(next.kept.count == 7)
    #expect(try bench.contents() == contents)
  }

  @Test func whatWasPackedBeforeGoesToo() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a")
    try bench.pack()
    try bench.shell("printf b > b")
    #expect(try bench.pack(removesSource: true).outcome.removedOriginals == 2)
    #expect(try left(bench) == [])
  }

  @Test func aFileThatChangedAfterItWasPackedStays() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b && mkdir f && printf c > f/c")
    try bench.pack()
    try bench.shell("printf d > d")
    // `d` is sealed after the others were compared; that is when `a` and the folder change.
    let run = try bench.pack(
      removesSource: true,
      afterReading: { path in
        if path == bytes("d") { try? bench.shell("printf new > a && printf new > f/new") }
      })
    #expect(run.outcome.problems == [.init(path: bytes("a"), .changedSincePacked)])
    #expect(try left(bench) == ["a", "f", "f/new"])
    #expect(try bench.contents()["a"] == "a")
  }

  @Test func whatWasExcludedOrSkippedStays() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b.tmp && mkfifo p")
    let run = try bench.pack(excluding: ["*.tmp"], removesSource: true)
    #expect(run.outcome.removedOriginals == 1)
    #expect(try left(bench) == ["b.tmp"])
  }

  @Test func aNoteThatDoesNotReadBackKeepsItsOriginal() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b")
    try bench.pack()
    let path = String(decoding: Layout.notePath(try bench.note("a").id), as: UTF8.self)
    var damaged = try bench.vault.content(path)
    let last = damaged.count - 20
    damaged[last] ^= 1
    try bench.vault.put(path, damaged)
    #expect(throws: StoreError.self) { try bench.pack(removesSource: true) }
    #expect(try left(bench).contains("a"))
  }

  @Test func aRunThatEndsAmongTheDeletionsLosesNothing() throws {
    let bench = try PackBench()
    try bench.shell("printf a > a && printf b > b")
    try bench.pack()
    let vault = bench.vault
    try bench.shell("printf c > c")
    // The wish to stop comes with the commit, before the first original goes.
    #expect(throws: StoreError.interrupted) {
      try bench.pack(
        removesSource: true,
        isInterrupted: {
          let names = try? vault.names("index")
          return (names ?? []).count { $0.hasSuffix(".seg") } == 3
        })
    }
    #expect(try left(bench) == ["a", "b", "c"])
    // As if some had been deleted by then: the next pack does not take them for deleted by a person.
    try bench.shell("rm a c")
    let next = try bench.pack()
    #expect(next.changes == [])
    #expect(try bench.contents() == ["a": "a", "b": "b", "c": "c"])
  }
}
