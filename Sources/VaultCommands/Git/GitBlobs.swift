import VaultFormat

/// Reads the contents of objects with one run of `git cat-file --batch`, in constant memory.
package struct GitBlobs {
  /// The most bytes of a line before a content: an id, a type and a size.
  private static let lineByteCount = 256

  /// What becomes of the contents, in the order in which they were asked for.
  package struct Receiver {
    /// The content with this index begins, and has so many bytes.
    package let begin: (_ index: Int, _ byteCount: Int) throws(GitStateError) -> Void
    package let take: (Span<UInt8>) throws(GitStateError) -> Void
    /// The content is complete.
    package let end: () throws(GitStateError) -> Void

    package init(
      begin: @escaping (_ index: Int, _ byteCount: Int) throws(GitStateError) -> Void,
      take: @escaping (Span<UInt8>) throws(GitStateError) -> Void,
      end: @escaping () throws(GitStateError) -> Void
    ) {
      self.begin = begin
      self.take = take
      self.end = end
    }
  }

  private let ids: [GitID]
  private let place: GitPlace
  private let receiver: Receiver
  private var line: [UInt8] = []
  /// Bytes of the present content that are still to come; nil between two contents.
  private var remaining: Int?
  /// How many contents have begun.
  private var begun = 0

  /// Hands the contents of blobs to a receiver.
  /// - Throws: `objectMissing`, `git`, and what the receiver throws.
  package static func read(
    _ ids: [GitID], at place: GitPlace, into receiver: Receiver
  ) throws(GitStateError) {
    if ids.isEmpty { return }
    var blobs = GitBlobs(ids: ids, place: place, receiver: receiver)
    var call = Git.Call(["cat-file", "--batch", "--buffer"])
    call.input = ids.flatMap { $0.text + [0x0A] }
    var failure: GitStateError?
    do {
      try Git.run(call, in: place.folder) { piece in
        do throws(GitStateError) { try blobs.take(piece) } catch { failure = error }
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
    try read(
      [id], at: place,
      into: Receiver(
        begin: { (_, byteCount) throws(GitStateError) in
          if byteCount > limit { throw .tooLarge }
        },
        take: { (piece) throws(GitStateError) in content += [UInt8](copying: piece) },
        end: { () throws(GitStateError) in }))
    return content
  }

  private init(ids: [GitID], place: GitPlace, receiver: Receiver) {
    self.ids = ids
    self.place = place
    self.receiver = receiver
  }

  private mutating func take(_ piece: Span<UInt8>) throws(GitStateError) {
    var offset = 0
    while offset < piece.count {
      guard let rest = remaining else {
        offset = try takeLine(piece, from: offset)
        continue
      }
      let count = min(rest, piece.count - offset)
      if count > 0 { try receiver.take(piece.extracting(offset..<(offset + count))) }
      offset += count
      remaining = rest - count
      // A line end that belongs to no content follows it.
      guard rest == count, offset < piece.count else { continue }
      offset += 1
      remaining = nil
      try receiver.end()
    }
  }

  /// `<id> <type> <byte count>`, or `<id> missing`.
  private mutating func takeLine(
    _ piece: Span<UInt8>, from start: Int
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
    try receiver.begin(begun - 1, byteCount)
    return offset + 1
  }
}
