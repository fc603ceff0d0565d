import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultCommands

/// What is taken from git's objects.
@Suite struct GitObjectsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try shell("git init -q . && git config user.name T && git config user.email t@example.invalid")
  }

  @discardableResult private func shell(_ script: String) throws -> String {
    let outcome = try BuiltTool.shell("cd '\(folder.path)' && \(script)", in: folder)
    try #require(outcome.status == 0)
    return String(decoding: outcome.output, as: UTF8.self)
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func id(_ digit: String) throws -> GitID {
    try #require(GitID(bytes(String(repeating: digit, count: 40))))
  }

  @Test func contentsComeWholeAndInOrder() throws {
    // Sizes around a line end, a piece of the pipe, and nothing at all.
    let sizes = [0, 1, 65_535, 65_536, 200_000, 0, 3]
    var ids: [GitID] = []
    for size in sizes {
      let id = try shell("head -c \(size) /dev/zero | git hash-object -w --stdin")
      ids.append(try #require(GitID(bytes(id).dropLast())))
    }
    let place = try GitPlace(folder: folder.bytes)
    var begun: [Int] = []
    var read: [Int] = []
    var count = 0
    try GitBlobs.read(ids, at: place) { (index, byteCount) throws(GitStateError) in
      #expect(sizes[index] == byteCount)
      begun.append(index)
      count = 0
    } take: { (piece) throws(GitStateError) in
      count += piece.count
    } end: { () throws(GitStateError) in
      read.append(count)
    }
    #expect(begun == Array(sizes.indices) && read == sizes)
    #expect(throws: GitStateError.tooLarge) {
      try GitBlobs.content(of: ids[2], at: place, limit: 65_534)
    }
    #expect(try GitBlobs.content(of: ids[6], at: place, limit: 3) == [0, 0, 0])
  }

  @Test func aMissingObjectOrOneThatIsNoBlobIsAnError() throws {
    let place = try GitPlace(folder: folder.bytes)
    #expect(throws: GitStateError.objectMissing(.whole)) {
      try GitBlobs.content(of: try id("1"), at: place, limit: 10)
    }
    try shell("git commit -q --allow-empty -m one")
    let head = try #require(try place.head())
    #expect(throws: GitStateError.objectMissing(.whole)) {
      try GitBlobs.content(of: head, at: place, limit: 1_000)
    }
  }

  @Test func aTakerThatStopsEndsGit() throws {
    let blob = try shell("head -c 300000 /dev/zero | git hash-object -w --stdin")
    let id = try #require(GitID(bytes(blob).dropLast()))
    let place = try GitPlace(folder: folder.bytes)
    #expect(throws: GitStateError.unmerged([1])) {
      try GitBlobs.read([id, id], at: place) { (_, _) throws(GitStateError) in
      } take: { (_) throws(GitStateError) in
        throw .unmerged([1])
      } end: { () throws(GitStateError) in
      }
    }
  }

  @Test func listingsKeepNamesAsBytes() throws {
    try shell(
      #"mkdir -p 'v [1]/a' && printf x > "$(printf 'v [1]/a/\377 \n\t"')" && ln -s x 'v [1]/link' && git add -A && git commit -q -m one"#
    )
    let place = try GitPlace(folder: folder.bytes + bytes("/v [1]"))
    #expect(place.prefix == bytes("v [1]/") && place.clone == .whole)
    let head = try #require(try place.head())
    let tree = try place.tree(of: head, revision: bytes("HEAD"))
    let listed = try GitListing.files(ofTree: tree, at: place)
    #expect(listed.map(\.path) == [bytes("a/") + [0xFF] + bytes(" \n\t\""), bytes("link")])
    #expect(listed.map(\.kind) == [.regular, .link])
    #expect(try GitListing.files(ofIndexAt: place, variables: []) == listed)
  }

  @Test(arguments: ["", "zz", String(repeating: "g", count: 40), String(repeating: "A", count: 40)])
  func onlyWholeIdsAreIds(text: String) {
    #expect(GitID(bytes(text)) == nil)
  }

  @Test func onlyAddedSegmentsCount() throws {
    let segment = String(repeating: "ab", count: 16)
    let zero = try id("0")
    let one = try id("1")
    let two = try id("2")
    var tokens = LogWalk.Tokens()
    let found = [
      "\(one)", ":000000 100644 \(zero) \(one) A", "v/index/\(segment).seg",
      ":100644 100644 \(one) \(two) M", "v/index/\(segment).seg",
      ":100644 000000 \(one) \(zero) D", "v/index/\(segment).seg",
      ":000000 100644 \(zero) \(one) A", "v/index/other.seg",
      "\(two)", "::000000 000000 100644 \(zero) \(zero) \(two) AA", "v/index/\(segment).seg",
      "::100644 000000 100644 \(one) \(zero) \(two) MA", "v/index/\(segment).seg",
    ].compactMap { tokens.take(bytes($0)) }
    let digits = bytes(segment)
    let parsed = SegmentID(hex: digits.span)
    let name = try #require(parsed)
    #expect(
      found == [
        LogWalk.Added(commit: 0, segment: name, blob: one),
        LogWalk.Added(commit: 1, segment: name, blob: two),
      ])
  }
}
