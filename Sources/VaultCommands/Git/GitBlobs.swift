import VaultFormat

/// Reads the contents of objects with one run of `git cat-file --batch`, in constant memory.
package struct GitBlobs {
  /// The most bytes of a line before a content: an id, a type and a size.
  private static let lineByteCount = 256

  private let ids: [GitID]
  private let place: GitPlace
  private var line: [UInt8] = []
  /// Bytes of the present content that are still to come; nil between two contents.
  private var remaining: Int?
  /// How many contents have begun.
  private var begun = 0

  /// Hands on the contents of blobs, in the order in which they are asked for.
  ///
  /// - Parameters:
  ///   - begin: the content of the blob at this position begins, and has so many bytes.
  ///   - take: the next piece of it.
  ///   - end: it is complete.
  /// - Throws: `objectMissing`, `git`, and what the closures throw.
  package static func read(
    _ ids: [GitID], at place: GitPlace,
    begin: (_ index: Int, _ byteCount: Int) throws(GitStateError) -> Void,
    take: (Span<UInt8>) throws(GitStateError) -> Void,
    end: () throws(GitStateError) -> Void
  ) throws(GitStateError) {
    if ids.isEmpty { return }
    var blobs = GitBlobs(ids: ids, place: place)
    var call = Git.Call(["cat-file", "--batch", "--buffer"])
    call.input = ids.flatMap { $0.text + [0x0A] }
    var failure: GitStateError?
    do {
      try Git.run(place.call(call), in: place.folder) { piece in
        do throws(GitStateError) {
          try blobs.take(piece, begin: begin, taking: take, end: end)
        } catch {
          failure = error
        }
        return failure == nil ? .more : .stop
      }
    } catch {
      if let failure { throw failure }
      throw place.failure(error)
    }
    guard blobs.begun == ids.count, blobs.remaining == nil else {
      throw .objectMissing(place.clone)
    }
  }

  /// The content of one blob.
  /// - Throws: `tooLarge` for more than `limit` bytes.
  package static func content(
    of id: GitID, at place: GitPlace, limit: Int
  ) throws(GitStateError) -> [UInt8] {
    var content: [UInt8] = []
    try read([id], at: place) { (_, byteCount) throws(GitStateError) in
      if byteCount > limit { throw .tooLarge }
    } take: { (piece) throws(GitStateError) in
      content += [UInt8](copying: piece)
    } end: {
    }
    return content
  }

  private init(ids: [GitID], place: GitPlace) {
    self.ids = ids
    self.place = place
  }

  private mutating func take(
    _ piece: Span<UInt8>, begin: (Int, Int) throws(GitStateError) -> Void,
    taking take: (Span<UInt8>) throws(GitStateError) -> Void, end: () throws(GitStateError) -> Void
  ) throws(GitStateError) {
    var offset = 0
    while offset < piece.count {
      guard let rest = remaining else {
        offset = try takeLine(piece, from: offset, begin: begin)
        continue
      }
      let count = min(rest, piece.count - offset)
      if count > 0 { try take(piece.extracting(offset..<(offset + count))) }
      offset += count
      remaining = rest - count
      // A line end that belongs to no content follows it.
      guard rest == count, offset < piece.count else { continue }
      offset += 1
      remaining = nil
      try end()
    }
  }

  /// `<id> <type> <byte count>`, or `<id> missing`.
  private mutating func takeLine(
    _ piece: Span<UInt8>, from start: Int, begin: (Int, Int) throws(GitStateError) -> Void
  ) throws(GitStateError) -> Int {
    var offset = start
    while offset < piece.count, piece[offset] != 0x0A {
      line.append(piece[offset])
      offset += 1
    }
    guard line.count <= Self.lineByteCount else { throw .tooLarge }
    guard offset < piece.count else { return offset }
    let words = line.split(separator: 0x20)
    guard words.count == 3, words[1].elementsEqual("blob".utf8), begun < ids.count,
      words[0].elementsEqual(ids[begun].text),
      let byteCount = Int(String(decoding: words[2], as: UTF8.self)), byteCount >= 0
    else { throw .objectMissing(place.clone) }
    line.removeAll(keepingCapacity: true)
    remaining = byteCount
    begun += 1
    try begin(begun - 1, byteCount)
    return offset + 1
  }
}
