import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// No two notes are shown under one name (spec §8.1).
@Suite struct ShownNamesTests {
  /// A note whose id begins with these hex digits and goes on with zeros.
  private func note(_ hex: String, _ path: String, isFolder: Bool = false) -> ShownNames.Note {
    note(hex, bytes(path), isFolder: isFolder)
  }

  private func note(_ hex: String, _ path: [UInt8], isFolder: Bool = false) -> ShownNames.Note {
    let digits = Array((hex + String(repeating: "0", count: 32 - hex.count)).utf8)
    return ShownNames.Note(
      id: NoteID(hex: digits.span) ?? NoteID(high: 0, low: 0), path: path, isFolder: isFolder)
  }

  /// What every note is shown as, in the order given; the same for any order.
  private func shown(_ notes: [ShownNames.Note]) -> [String] {
    let names = ShownNames(notes)
    var generator = SeededBytes(seed: 7)
    for order in [notes.reversed(), notes.shuffled(using: &generator)] {
      #expect(ShownNames(order).renamed == names.renamed)
    }
    return notes.map { String(decoding: names.name(of: $0.id, path: $0.path), as: UTF8.self) }
  }

  @Test func pathsThatDifferAreShownAsTheyAre() {
    let paths = ["a.md", "A.md", "a", "b/a.md", "ab", "é", "e\u{301}"]
    let notes = paths.enumerated().map { note("\($0)", $1) }
    #expect(shown(notes) == paths)
    #expect(ShownNames(notes).renamed.isEmpty)
    #expect(ShownNames([]).renamed.isEmpty)
  }

  @Test func ofNotesWithOnePathTheLeastIdKeepsIt() {
    #expect(
      shown([
        note("cccccccccc", "x/a.md"), note("aaaaaaaaaa", "x/a.md"), note("bbbbbbbbbb", "x/a.md"),
      ])
        == ["x/a (conflict cccccccc).md", "x/a.md", "x/a (conflict bbbbbbbb).md"])
  }

  @Test func aFileWhosePathIsAFolderOfAnotherNoteYields() {
    #expect(
      shown([note("1", "a"), note("2", "a/b")]) == ["a (conflict 10000000)", "a/b"])
    #expect(
      shown([note("1", "a/b"), note("2", "a/b/c/d.md")]) == [
        "a/b (conflict 10000000)", "a/b/c/d.md",
      ])
    #expect(shown([note("1", "a"), note("2", "ab/c")]) == ["a", "ab/c"])
  }

  @Test func aFileWithThePathOfAFolderNoteYieldsWhateverTheIds() {
    #expect(
      shown([note("1", "a.d"), note("2", "a.d", isFolder: true)])
        == ["a (conflict 10000000).d", "a.d"])
    #expect(
      shown([note("3", "a.d"), note("2", "a.d", isFolder: true)])
        == ["a (conflict 30000000).d", "a.d"])
  }

  @Test func allFilesWithAFolderPathYield() {
    #expect(
      shown([note("1", "a"), note("2", "a"), note("3", "a/b")])
        == ["a (conflict 10000000)", "a (conflict 20000000)", "a/b"])
  }

  @Test func folderNotesWithOnePathAreOneFolder() {
    let notes = [note("1", "a", isFolder: true), note("2", "a", isFolder: true), note("3", "a/b")]
    #expect(shown(notes) == ["a", "a", "a/b"])
    #expect(ShownNames(notes).renamed.isEmpty)
  }

  @Test func aFolderBelowAFileMakesTheFileYield() {
    #expect(
      shown([note("1", "a/b"), note("2", "a/b/c", isFolder: true)])
        == ["a/b (conflict 10000000)", "a/b/c"])
  }

  @Test(arguments: [
    ("a", "a (conflict 20000000)"), ("a.", "a (conflict 20000000)."),
    ("a.tar.gz", "a.tar (conflict 20000000).gz"), (".md", ".md (conflict 20000000)"),
    (".a.md", ".a (conflict 20000000).md"), ("..md", ". (conflict 20000000).md"),
    ("a.b/c", "a.b/c (conflict 20000000)"), ("a.b/.c", "a.b/.c (conflict 20000000)"),
    ("é.ü", "é (conflict 20000000).ü"),
  ])
  func theEndingBeginsAtTheLastDotThatIsNotTheFirstByte(path: String, expected: String) {
    #expect(shown([note("1", path), note("2", path)]) == [path, expected])
  }

  @Test func aNameThatIsTakenGetsEightMoreDigits() {
    let taken = "a (conflict 22222222).md"
    #expect(
      shown([note("1", "a.md"), note("222222223", "a.md"), note("3", taken)])
        == ["a.md", "a (conflict 2222222230000000).md", taken])
  }

  @Test func aNameThatIsAFolderGetsEightMoreDigits() {
    let folder = "a (conflict 22222222)"
    #expect(
      shown([note("1", "a"), note("222222223", "a"), note("3", folder + "/b")])
        == ["a", "a (conflict 2222222230000000)", folder + "/b"])
    #expect(
      shown([note("1", "a"), note("222222223", "a"), note("3", folder, isFolder: true)])
        == ["a", "a (conflict 2222222230000000)", folder])
  }

  @Test func twoNotesWhoseIdsBeginAlikeAreTakenInTheOrderOfTheirIds() {
    #expect(
      shown([note("222222225", "a"), note("222222224", "a"), note("1", "a")])
        == ["a (conflict 2222222250000000)", "a (conflict 22222222)", "a"])
  }

  @Test func digitsAreAddedAsOftenAsNeeded() {
    let id = "2222222222222222222222223"
    let lengths = [8, 16, 24]
    let taken = lengths.map { "a (conflict \(id.prefix($0)))" }
    let others = taken.enumerated().map { note("3\($0)", $1) }
    #expect(
      shown([note("1", "a"), note(id, "a")] + others)
        == ["a", "a (conflict \(id)0000000)"] + taken)
  }

  // MARK: - Parts of 255 bytes

  /// The last part of what a second note with the path is shown as.
  private func shortened(_ path: [UInt8]) -> [UInt8] {
    let (first, second) = (note("1", path), note("2", path))
    return ShownNames([first, second]).name(of: second.id, path: path)
  }

  private func repeated(_ text: String, _ count: Int) -> [UInt8] {
    bytes(String(repeating: text, count: count))
  }

  private static let mark = " (conflict 20000000)"  // 20 bytes

  @Test func aStemIsShortenedToExactly255BytesAndNoFurther() {
    #expect(
      shortened(repeated("a", 232) + bytes(".md")) == repeated("a", 232) + bytes(Self.mark + ".md"))
    for count in [233, 250, 252] {
      let name = shortened(repeated("a", count) + bytes(".md"))
      #expect(name == repeated("a", 232) + bytes(Self.mark + ".md"))
      #expect(name.count == 255)
    }
    #expect(shortened(repeated("a", 255)) == repeated("a", 235) + bytes(Self.mark))
  }

  @Test func aFolderInFrontDoesNotCount() {
    let folder = repeated("f", 250) + bytes("/")
    #expect(
      shortened(folder + repeated("a", 255)) == folder + repeated("a", 235) + bytes(Self.mark))
  }

  @Test(arguments: ["é", "€", "🌱"])
  func aStemIsNotCutInsideACharacter(character: String) {
    let byteCount = character.utf8.count
    for lead in 0..<byteCount {
      let fill = (252 - lead) / byteCount
      let path = repeated("a", lead) + repeated(character, fill) + bytes(".md")
      let whole = (232 - lead) / byteCount
      #expect(
        shortened(path) == repeated("a", lead) + repeated(character, whole)
          + bytes(Self.mark + ".md"))
    }
  }

  @Test func aStemThatIsNoUTF8IsShortenedToo() {
    let path = [UInt8](repeating: 0xFF, count: 255)
    #expect(shortened(path) == [UInt8](repeating: 0xFF, count: 235) + bytes(Self.mark))
    let tail = [UInt8](repeating: 0x80, count: 255)
    #expect(shortened(tail) == bytes(Self.mark))
  }

  @Test func anEndingThatFillsThePartIsNotKept() {
    let kept = bytes("a.") + repeated("b", 233)
    #expect(shortened(kept) == bytes("a" + Self.mark + ".") + repeated("b", 233))
    let dropped = bytes("a.") + repeated("b", 240)
    #expect(shortened(dropped) == bytes("a.") + repeated("b", 233) + bytes(Self.mark))
  }

  @Test func aShortenedNameThatIsTheNotesOwnPathIsLengthened() {
    let path = repeated("a", 235) + bytes(Self.mark)
    #expect(
      shortened(path) == repeated("a", 227) + bytes(" (conflict 2000000000000000)"))
  }

  @Test(arguments: 0..<20) func noTwoNotesShareANameWhateverTheirPaths(seed: UInt64) {
    var random = SeededBytes(seed: seed)
    let parts = ["a", "b", "a (conflict 20000000)", "b.md", "b (conflict 20000000).md"]
    let notes = (0..<30).map { index in
      let count = Int.random(in: 1...3, using: &random)
      let path = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }
      // Ids that share their first digits, so that the digits have to grow.
      let hex = "20000000" + (Bool.random(using: &random) ? "00000000" : "0000000\(index % 3)")
      return note(hex + "\(10 + index)", path.joined(separator: "/"), isFolder: index % 5 == 4)
    }
    let names = ShownNames(notes)
    let folders = Set(
      notes.flatMap { note in
        note.path.indices.filter { note.path[$0] == UInt8(ascii: "/") }.map {
          Array(note.path[..<$0])
        } + (note.isFolder ? [note.path] : [])
      })
    var taken = folders
    for note in notes where !note.isFolder {
      let name = names.name(of: note.id, path: note.path)
      #expect(taken.insert(name).inserted, "seed \(seed): \(String(decoding: name, as: UTF8.self))")
      #expect(!name.split(separator: UInt8(ascii: "/")).contains { $0.count > 255 })
    }
  }
}
