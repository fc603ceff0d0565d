import VaultFormat
import VaultStore

/// The commits of a history that added segments to a vault, and these segments.
struct LogWalk {
  /// A segment that one commit added.
  struct Added: Equatable {
    /// The position of the commit in `commits`.
    let commit: Int
    let segment: SegmentID
    let blob: GitID
  }

  /// The most bytes of a path that git names.
  private static let tokenByteCount = 16_384
  /// The most bytes of the list of commits: more than a million.
  private static let listByteCount = 1 << 26

  /// The newest first, no commit before one that comes after it.
  let commits: [GitID]
  /// In the order of the commits.
  private(set) var added: [Added] = []

  /// Walks back from a commit. Of a merge that is what none of its parents had.
  init(from head: GitID, at place: GitPlace) throws(GitStateError) {
    let segments = place.pathspec("index/*.seg")
    let list: [UInt8]
    do {
      let words = ["rev-list", "--date-order", "--full-history"].map { Array($0.utf8) }
      let walk = Git.Call(words + [head.text, Array("--".utf8), segments])
      list = try Git.run(place.call(walk), in: place.folder, limit: Self.listByteCount)
    } catch {
      throw error == .answerTooLong ? .tooLarge : place.failure(error)
    }
    commits = list.split(separator: 0x0A).compactMap { GitID($0) }
    if commits.isEmpty { return }
    var call = Git.Call(
      ["diff-tree", "--stdin", "-r", "-z", "--root", "--no-renames", "-c", "--"])
    call.arguments.append(segments)
    call.input = list
    var tokens = Tokens()
    try GitRecords.read(call, at: place, longest: Self.tokenByteCount) { token in
      if let found = tokens.take(token) { added.append(found) }
    }
  }

  /// Reads what `diff-tree` says: a commit's id, then pairs of facts and a path.
  struct Tokens {
    private var commit = -1
    /// The blob that the next path got; nil where it was not added.
    private var blob: GitID?
    private var isPathNext = false

    mutating func take(_ token: [UInt8]) -> Added? {
      if isPathNext {
        isPathNext = false
        let name = token.split(separator: UInt8(ascii: "/")).last.map { Array($0) } ?? []
        guard let blob, let segment = FileNameHex.segmentID(name) else { return nil }
        return Added(commit: commit, segment: segment, blob: blob)
      }
      if token.first == UInt8(ascii: ":") {
        isPathNext = true
        blob = Self.addedBlob(token)
      } else if GitID(token) != nil {
        commit += 1
      }
      return nil
    }

    /// `:MODE MODE ID ID A`, with one more mode and id, and one more colon and letter, for each parent beyond the first.
    private static func addedBlob(_ facts: [UInt8]) -> GitID? {
      let colons = facts.prefix { $0 == UInt8(ascii: ":") }.count
      let words = facts.dropFirst(colons).split(separator: 0x20)
      guard words.count == 2 * colons + 3, let letters = words.last,
        letters.allSatisfy({ $0 == UInt8(ascii: "A") })
      else { return nil }
      return GitID(words[2 * colons + 1])
    }
  }
}

/// What git says about commits, for people.
struct CommitFacts {
  let author: [UInt8]
  /// As ISO 8601 writes it, with the author's zone.
  let date: [UInt8]
  let subject: [UInt8]

  /// The most bytes of one commit's answer.
  private static let recordByteCount = 1 << 20

  /// Asks about several commits, in their order.
  static func of(_ commits: [GitID], at place: GitPlace) throws(GitStateError) -> [CommitFacts] {
    if commits.isEmpty { return [] }
    var call = Git.Call([
      "rev-list", "--no-walk=unsorted", "--no-commit-header", "--format=%an%n%ad%n%s%x00",
      "--date=iso-strict", "--encoding=UTF-8", "--stdin",
    ])
    call.input = commits.flatMap { $0.text + [0x0A] }
    var facts: [CommitFacts] = []
    try GitRecords.read(call, at: place, longest: recordByteCount) {
      (record) throws(GitStateError) in
      // A line end is left of the record before.
      let lines = (facts.isEmpty ? record[...] : record.dropFirst())
        .split(separator: 0x0A, maxSplits: 2, omittingEmptySubsequences: false)
      guard lines.count == 3 else { throw .objectMissing(place.clone) }
      facts.append(
        CommitFacts(author: Array(lines[0]), date: Array(lines[1]), subject: Array(lines[2])))
    }
    guard facts.count == commits.count else { throw .objectMissing(place.clone) }
    return facts
  }
}
