import Foundation
import Testing
import VaultTestSupport

@testable import VaultCommands

/// `ls`, `cat` and `unpack` as a person meets them. Each run derives a key, so there are few of them.
@Suite struct ReadingCommandTests {
  // MARK: - ls

  @Test func namesAreEscapedForPeopleAndRawForPrograms() throws {
    let bench = try ReadingBench("basic")
    let listed = bench.run("ls", bench.vault)
    #expect(listed.status == 0 && listed.errors.isEmpty)
    #expect(listed.lines.contains("two\\x0alines.md") && listed.lines.contains("caf\\xe9.md"))
    let raw = bench.run("ls", "--null", bench.vault)
    let names = raw.output.split(separator: 0, omittingEmptySubsequences: false)
    #expect(names.count == listed.lines.count + 1 && names.last?.isEmpty == true)
    #expect(names.contains { $0.elementsEqual(Array("caf".utf8) + [0xE9] + Array(".md".utf8)) })
    #expect(names.contains { $0.elementsEqual("two\nlines.md".utf8) })
  }

  @Test func typeSizeAndTimeAreAdded() throws {
    let bench = try ReadingBench("basic")
    let lines = bench.run("ls", "-l", bench.vault, "Lists", "bin/backup.sh", "today").lines
    #expect(
      lines == [
        "d       0  2024-01-01 10:05:06Z  Lists",
        "-   96000  2024-01-01 10:05:06Z  Lists/ledger.txt",
        "-    1815  2024-01-01 10:05:06Z  Lists/weekly.md",
        "-x     20  2024-01-01 10:05:06Z  bin/backup.sh",
        "l      26  2024-01-01 10:05:06Z  today",
      ])
  }

  private struct Listing: Decodable {
    struct Note: Decodable, Equatable {
      struct Time: Decodable, Equatable {
        let seconds: Int64
        let nanoseconds: UInt32
      }

      let id: String
      let path: String?
      let pathHex: String?
      let type: String
      let bytes: UInt64
      let modified: Time
      let executable: Bool
      let mediaType: String?
    }

    let schema: String
    let notes: [Note]
    let lockedCompartments: [String]

    init(decoding bytes: [UInt8]) throws {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      self = try decoder.decode(Self.self, from: Data(bytes))
    }
  }

  @Test func theReportHoldsThePromisedFields() throws {
    let bench = try ReadingBench("basic")
    let result = bench.run("ls", "--json", bench.vault)
    let listing = try Listing(decoding: result.output)
    #expect(listing.schema == "vaulttool-ls/1" && listing.lockedCompartments.isEmpty)
    #expect(listing.notes.first { $0.pathHex == "636166e92e6d64" }?.type == "file")
    #expect(
      listing.notes.first { $0.path == "two\nlines.md" }?.modified
        == .init(seconds: -86_401, nanoseconds: 500_000_000))
    #expect(listing.notes.first { $0.path == "bin/backup.sh" }?.executable == true)
    #expect(listing.notes.first { $0.path == "today" }?.type == "link")
    #expect(listing.notes.first { $0.path == "Welcome.md" }?.mediaType == "text/markdown")
  }

  @Test func aCompartmentThatStaysLockedIsMentioned() throws {
    let bench = try ReadingBench("two-compartments")
    let result = bench.run("ls", "--json", bench.vault)
    let listing = try Listing(decoding: result.output)
    #expect(listing.lockedCompartments.count == 1 && result.status == 0)
    #expect(result.errors.contains("1 note in 1 other compartment opens with another secret"))
  }

  @Test func whatMayBeLeftOutGivesStatusFive() throws {
    let missing = try ReadingBench("missing-segment")
    let result = missing.run("ls", missing.vault)
    #expect(result.status == 5 && result.errors.contains("segment-missing"))
    #expect(result.lines == ["one.md", "three.md", "two.md"])
    let conflict = try ReadingBench("conflict")
    let other = conflict.run("ls", conflict.vault)
    #expect(other.status == 0 && other.errors.contains("note-conflict"))
  }

  @Test func aLookalikeIsPointedAt() throws {
    let bench = try ReadingBench("basic")
    let result = bench.run("unpack", bench.vault, bench.target, "welcome.MD")
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors.contains("did you mean 'Welcome.md'?"))
    #expect(!FileManager.default.fileExists(atPath: bench.target))
  }

  // MARK: - cat

  @Test func contentsComeInTheOrderAskedFor() throws {
    let bench = try ReadingBench("basic")
    let result = bench.run("cat", bench.vault, "Zo\u{EB}.md", "today", "empty.txt")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(result.text.hasSuffix("Journal/2024/01 Neujahr.md"))
  }

  @Test func onlyPlainTextGoesToATerminal() throws {
    let bench = try ReadingBench("basic")
    let path = "exact/one chunk.bin"
    let refused = bench.run("cat", bench.vault, path, "Welcome.md", onTerminal: true)
    #expect(refused.status == 1 && refused.text.hasPrefix("# Welcome"))
    #expect(refused.errors.contains("--binary"))
    let forced = bench.run("unpack", "--binary", bench.vault, "-", path, onTerminal: true)
    #expect(forced.status == 0 && forced.output.count == 4_096)
  }

  @Test func aDamagedNoteGivesNoByteAndDoesNotKeepOthersBack() throws {
    let bench = try ReadingBench("basic")
    try bench.damageLargestNote()
    let result = bench.run("cat", bench.vault, "Projects/sch\u{E9}ma.bin", "Welcome.md")
    #expect(result.status == 5 && result.text.hasPrefix("# Welcome"))
    #expect(result.errors.contains("chunk 1 was altered or is damaged"))
    let unpacked = bench.run("unpack", "--json", bench.vault, bench.target)
    #expect(unpacked.status == 5)
    #expect(
      unpacked.text.contains(#""code":"seal-broken","path":"Projects/schéma.bin""#)
        && unpacked.text.contains(#""failed":1"#))
    #expect(unpacked.errors.contains("notes: 25 written, 1 not written"))
  }

  // MARK: - unpack

  @Test func aSecondRunRefusesSkipsOrReplaces() throws {
    let bench = try ReadingBench("merged")
    let first = bench.run("unpack", bench.vault, bench.target)
    #expect(first.status == 0 && first.output.isEmpty)
    #expect(first.errors == "vaulttool: notes: 6 written\n")
    let second = bench.run("unpack", bench.vault, bench.target)
    #expect(second.status == 1 && second.errors.contains("after.md: a regular file of that name"))
    #expect(second.errors.contains("hint: '--overwrite'"))
    let third = bench.run("unpack", "--skip-existing", "--json", bench.vault, bench.target)
    #expect(
      third.status == 0
        && third.text == #"{"failed":0,"not_tried":0,"problems":[],"schema":"vaulttool-unpack/1","#
          + #""skipped":6,"written":0}"# + "\n"
    )
    #expect(bench.run("unpack", "--overwrite", bench.vault, bench.target).status == 0)
  }

  @Test(arguments: [
    ["unpack", "V", "-"], ["unpack", "V", "-", "a", "b"], ["unpack", "V", "-", "a", "--json"],
    ["unpack", "V", "T", "--overwrite", "--skip-existing"], ["ls", "V", "--json", "--null"],
    ["ls", "V", "--long", "--null"], ["cat", "V"], ["unpack", "V"],
  ])
  func whatCannotBeMeantIsWrongUsage(_ arguments: [String]) {
    let console = Console.recording()
    #expect(Program.run(arguments.map { Array($0.utf8) }, on: console) == 2)
    #expect(console.recorded.output.isEmpty)
  }

  @Test func aWrongPassphraseTouchesNothing() throws {
    let bench = try ReadingBench("merged")
    try Data("wrong".utf8).write(to: URL(filePath: bench.folder.path(of: "passphrase")))
    #expect(bench.run("unpack", bench.vault, bench.target).status == 4)
    #expect(!FileManager.default.fileExists(atPath: bench.target))
  }
}

extension ReadingBench {
  /// Changes a byte in the middle of the largest sealed file.
  fileprivate func damageLargestNote() throws {
    let notes = URL(filePath: vault + "/notes")
    let files = try #require(FileManager.default.enumerator(atPath: notes.path()))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".sealed") }
    let contents = try files.map { ($0, try Data(contentsOf: notes.appending(path: $0))) }
    let largest = try #require(contents.max { $0.1.count < $1.1.count })
    var content = largest.1
    content[content.count / 2] ^= 1
    try content.write(to: notes.appending(path: largest.0))
  }
}
