/// The English word list of BIP39: 2,048 lower-case ASCII words of 3 to 8 letters, in bytewise
/// order, no two with the same first four letters (spec §5.7).
///
/// Words are told by their index, 0 to 2,047; their bytes are lent, so that nothing here copies a
/// word of somebody's phrase into a `String` or an array.
package enum EnglishWordList {
  /// The number of words: each stands for 11 bits.
  package static let count = 2_048

  /// The letters that are enough to name a word.
  package static let sufficientPrefixByteCount = 4

  private static let bytes = Array(text.utf8)

  /// The byte range of each word in `bytes`.
  private static let ranges: [Range<Int>] = {
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(count)
    var start = 0
    for (offset, byte) in bytes.enumerated() where byte == 0x20 || byte == 0x0A {
      if start < offset { ranges.append(start..<offset) }
      start = offset + 1
    }
    return ranges
  }()

  /// Lends the ASCII bytes of the word with this index.
  package static func withWord<Result, Failure: Error>(
    at index: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes.span.extracting(ranges[index]))
  }

  /// The indices of the words that begin with these bytes; all words for an empty prefix.
  package static func completions(ofPrefix prefix: Span<UInt8>) -> Range<Int> {
    let first = firstIndex { word in order(word, prefix) != .before }
    let end = firstIndex { word in
      order(word.extracting(first: min(word.count, prefix.count)), prefix) == .after
    }
    return first..<max(first, end)
  }

  /// The index of the word that is exactly these bytes.
  package static func index(of word: Span<UInt8>) -> Int? {
    let index = firstIndex { order($0, word) != .before }
    guard index < count, withWord(at: index, { order($0, word) == .same }) else { return nil }
    return index
  }

  /// The index of the word that is these bytes or, from four letters up, of the only word that
  /// begins with them (spec §5.7). A full word wins over a prefix.
  package static func index(ofWordOrPrefix word: Span<UInt8>) -> Int? {
    if let index = index(of: word) { return index }
    guard word.count >= sufficientPrefixByteCount else { return nil }
    let found = completions(ofPrefix: word)
    return found.count == 1 ? found.lowerBound : nil
  }

  // MARK: - Bytewise order

  private enum Order { case before, same, after }

  private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Order {
    for offset in 0..<min(left.count, right.count) where left[offset] != right[offset] {
      return left[offset] < right[offset] ? .before : .after
    }
    if left.count == right.count { return .same }
    return left.count < right.count ? .before : .after
  }

  /// The first index whose word fulfils the condition, or `count`. The words that do not fulfil it
  /// must all stand before those that do.
  private static func firstIndex(where condition: (Span<UInt8>) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if withWord(at: middle, condition) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
