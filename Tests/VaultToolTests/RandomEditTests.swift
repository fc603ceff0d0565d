import Testing
import VaultTestSupport

/// A folder that changes at random, as a person's does: edits, renames, moves, deletions, folders that
/// become files and the other way round.
private struct EditingPerson {
  private var random: SeededBytes
  private let folder: Name
  private var made = 0

  init(seed: UInt64, in folder: Name) {
    random = SeededBytes(seed: seed)
    self.folder = folder
  }

  /// - Returns: what was done, for messages.
  mutating func change() throws -> String {
    let paths = try Tree(folder).paths
    guard let path = paths.randomElement(using: &random), paths.count > 5 else { return try add() }
    let kind = try Tree(folder).entries[path]?.kind
    switch (Int.random(in: 0..<9, using: &random), kind) {
    case (0, _), (1, _): return try add()
    case (2, .file), (3, .file):
      try Disk.write(random.bytes(Int.random(in: 0..<3_000, using: &random)), to: folder / path)
      return "edited \(path)"
    case (4, .file(_, let isExecutable)):
      try Disk.setMode(isExecutable ? 0o644 : 0o755, of: folder / path)
      return "execute bit of \(path)"
    case (5, _):
      try Disk.removeAll(folder / path)
      return "removed \(path)"
    case (6, .file):
      try Disk.removeAll(folder / path)
      try Disk.makeFolder(folder / path)
      try Disk.write("inside \(made)", to: folder / path / "inside.md")
      return "folder in place of \(path)"
    case (7, .folder):
      try Disk.removeAll(folder / path)
      try Disk.write("no folder any more", to: folder / path)
      return "file in place of \(path)"
    default:
      made += 1
      let name: Name = "moved \(made)"
      try Disk.move(folder / path, to: folder / name)
      return "moved \(path) to \(name)"
    }
  }

  private mutating func add() throws -> String {
    made += 1
    let folders = try Tree(folder).entries.filter { $0.value.kind == .folder }.keys.sorted()
    let parent = ([Name(".")] + folders).randomElement(using: &random) ?? "."
    let path = parent / "new \(made)"
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try Disk.makeFolder(folder / path)
    case 1: try Disk.makeLink(folder / path, to: "somewhere \(made)")
    default: try Disk.write(random.bytes(made * 37), to: folder / path)
    }
    return "added \(path)"
  }
}

extension BuiltProgram {
  /// Whatever a person does to the source, the vault follows.
  @Suite struct RandomEdits {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: [UInt64(1), 2, 3]) func everyStateOfTheSourceComesBack(seed: UInt64) throws {
      let source = try place.source()
      let vault = try place.emptyVault()
      var edits = EditingPerson(seed: seed, in: source)
      for round in 0..<6 {
        var done: [String] = []
        for _ in 0..<(round == 0 ? 20 : 8) { done.append(try edits.change()) }
        let told: Comment = "seed \(seed), round \(round): \(done)"
        let packed = try place.run("pack", source, vault)
        #expect(packed.status == 0, "\(told) \(packed)")
        let verified = try place.verify(vault)
        #expect(verified.status == 0, "\(told) \(verified)")
        let out = try place.unpacked(vault, to: "out \(round)")
        let wanted = try Tree(source)
        #expect(out.entries.mapValues(\.kind) == wanted.entries.mapValues(\.kind), told)
      }
    }

    @Test func twoNotesThatChangeNamesKeepTheirContents() throws {
      let source = try place.source(["a": "first", "b": "second, longer", "A": "third"])
      let vault = try place.emptyVault()
      try place.must("pack", source, vault)
      for (from, to): (Name, Name) in [("a", "c"), ("b", "a"), ("c", "b"), ("A", "B")] {
        try Disk.move(source / from, to: source / to)
      }
      try place.must("pack", source, vault)
      #expect(try place.unpacked(vault).contents == Tree(source).contents)
    }

    @Test func whatIsExcludedIsCountedAndStaysInTheVault() throws {
      let source = try place.source(["a.md": "a", "b.tmp": "b", "c.tmp": "c"])
      let vault = try place.emptyVault()
      try Disk.makeFolder(source / "drafts")
      try Disk.write("d", to: source / "drafts/d.md")
      try place.must("pack", source, vault)
      try Disk.remove(source / "b.tmp")
      try Disk.write("changed", to: source / "c.tmp")
      let outcome = try place.must(
        "pack", source, vault, "--exclude", "*.tmp", "--exclude=drafts/**", "--json")
      let report = try JSON(outcome.output)
      #expect(report["excluded"].int == 2 && report["removed"].int == 0, "\(outcome)")
      let contents = try place.unpacked(vault).contents
      #expect(contents["b.tmp"] == Array("b".utf8) && contents["c.tmp"] == Array("c".utf8))
      #expect(contents["drafts/d.md"] == Array("d".utf8))
    }

    @Test func whatOnlyTheVaultChangedStays() throws {
      // Packed twice, because a file that was written within 2 s of a pack is never taken for settled.
      let vault = try place.emptyVault()
      for _ in 0..<2 { try place.must("pack", place.sample.notes, vault) }
      try place.must("pack", place.sample.laterNotes, vault, "--yes")
      let outcome = try place.run("pack", place.sample.notes, vault)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errorText.contains("vaulttool unpack"), "\(outcome)")
      #expect(try place.unpacked(vault).contents == Tree(place.sample.laterNotes).contents)
    }

    @Test func whatBothChangedIsKeptTwice() throws {
      let mine = try place.source(["shared.md": "one"])
      let vault = try place.emptyVault()
      try place.must("pack", mine, vault)
      let other = place("other")
      try Disk.copy(mine, to: other)
      try Disk.write("two", to: other / "shared.md")
      try place.must("pack", other, vault, "--yes")
      try Disk.write("three", to: mine / "shared.md")
      try place.must("pack", mine, vault)
      #expect(try place.verify(vault).status == 0)
      let contents = try place.unpacked(vault).contents
      #expect(Set(contents.values) == [Array("two".utf8), Array("three".utf8)])
    }
  }
}
