import Glibc
import Testing

extension BuiltProgram {
  /// Field cases K on a note of several chunks.
  @Suite struct ChunkByChunk {
    private let place: Workplace
    private let vault: Name
    private let sealed: Name
    /// The offset of each chunk, and of the end.
    private let borders: [Int]

    /// A vault with one large note and two small ones.
    init() throws {
      place = try Workplace()
      let vault = try place.emptyVault()
      self.vault = vault
      let source = try place.source(["one.md": "one", "two.md": "two"])
      try Disk.copy(place.sample.notes / "attachments/grain.png", to: source / "large.png")
      try place.must("pack", source, vault)
      let files = try Damage.files(of: vault).map { ($0, try Disk.status(vault / $0).st_size) }
      sealed = try #require(files.max { $0.1 < $1.1 }).0
      let report = try JSON(try Tool.run("inspect", vault / sealed, "--json").output)
      let chunkByteCount = try #require(report["chunk_bytes"].int) + 16
      let count = try #require(report["chunks"].int)
      let end = try #require(report["file_bytes"].int)
      let parts = try #require(report["parts"].list)
      let first = try #require(
        parts.first { $0["name"].string?.contains("chunk") == true }?["offset"].int)
      borders = (0..<count).map { first + $0 * chunkByteCount } + [end]
      try #require(count >= 4)
    }

    private func expectFoundAndLeftOut(_ content: [UInt8], _ comment: Comment) throws {
      try Disk.write(content, to: vault / sealed)
      #expect(try place.verify(vault, "--quiet").status == 5, comment)
      let unlocked = try place.run("verify", vault, "--unlock", "--quiet")
      #expect(unlocked.status == 5, comment)
    }

    @Test func fr136AFlippedByteOrADoubledBlockIsFoundAtEveryLevel() throws {
      let content = try Disk.read(vault / sealed)
      var flipped = content
      flipped[content.count / 2] ^= 1
      try expectFoundAndLeftOut(flipped, "flipped")
      var doubled = content
      let block = borders[1]..<(borders[1] + 4_096)
      doubled.replaceSubrange((block.upperBound)..<(block.upperBound + 4_096), with: content[block])
      try expectFoundAndLeftOut(doubled, "doubled")
      var swapped = content
      swapped.replaceSubrange(borders[0]..<borders[1], with: content[borders[1]..<borders[2]])
      swapped.replaceSubrange(borders[1]..<borders[2], with: content[borders[0]..<borders[1]])
      try expectFoundAndLeftOut(swapped, "two chunks swapped")
    }

    @Test func fr153ACutAtAChunkBorderIsFoundAndGivesNoNote() throws {
      let content = try Disk.read(vault / sealed)
      for (number, border) in borders.dropLast().enumerated() {
        try Disk.write(Array(content[..<border]), to: vault / sealed)
        let verified = try place.verify(vault, "--json")
        #expect(verified.status == 5, "cut at \(border)")
        let codes = try JSON(verified.output)["findings"].list?.compactMap { $0["code"].string }
        #expect(codes?.contains("cut-file") == true || codes?.contains("note-changed") == true)
        let outcome = try place.run("unpack", vault, place("out \(number)"))
        #expect(outcome.status == 5, "\(outcome)")
        #expect(try Tree(place("out \(number)")).paths == ["one.md", "two.md"])
      }
    }

    @Test func fr162OneBadChunkDoesNotKeepTheOtherNotesBack() throws {
      var content = try Disk.read(vault / sealed)
      content[borders[1] + 100] ^= 1
      try Disk.write(content, to: vault / sealed)
      let outcome = try place.run("unpack", vault, place("out"), "--json")
      #expect(outcome.status == 5)
      #expect(try Tree(place("out")).paths == ["one.md", "two.md"])
      let report = try JSON(outcome.output)
      #expect(report["written"].int == 2 && report["failed"].int == 1)
      #expect(report["problems"][0]["path"].string == "large.png")
      let cat = try place.run("cat", vault, "large.png", "one.md")
      #expect(cat.status == 5 && cat.output == Array("one".utf8), "\(cat)")
    }
  }
}
