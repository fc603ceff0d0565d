extension EnglishWordList {
  /// The indices of at most three list words that are most like a word that is not on the list:
  /// fewest typing errors first, then those with the same first letter, then in list order.
  ///
  /// A typing error is a letter too many, missing, wrong, or swapped with its neighbour; two at
  /// most. A word cut short, two letters or more, counts as one error.
  static func suggestions(for word: Span<UInt8>) -> [Int] {
    guard (2...16).contains(word.count) else { return [] }
    let continued = completions(ofPrefix: word)
    var found: [(rank: Int, index: Int)] = []
    for index in 0..<count {
      let errors =
        continued.contains(index) ? 1 : withWord(at: index) { typingErrors(in: word, for: $0) }
      guard errors == 1 || errors == 2 && word.count > 3 else { continue }
      let beginsSo = withWord(at: index) { $0[0] == word[0] }
      found.append((rank: 2 * errors + (beginsSo ? 0 : 1), index: index))
    }
    return found.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.prefix(3).map(\.index)
  }

  /// The optimal string alignment distance; differences in length above two are not worked out.
  private static func typingErrors(in word: Span<UInt8>, for target: Span<UInt8>) -> Int {
    guard abs(word.count - target.count) <= 2 else { return .max }
    var beforeLast: [Int] = []
    var last = Array(0...target.count)
    for row in 1...word.count {
      var current = [row]
      for column in 1...target.count {
        let isSame = word[row - 1] == target[column - 1]
        var errors = min(
          last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
        if row > 1, column > 1, word[row - 1] == target[column - 2],
          word[row - 2] == target[column - 1]
        {
          errors = min(errors, beforeLast[column - 2] + 1)
        }
        current.append(errors)
      }
      (beforeLast, last) = (last, current)
    }
    return last[target.count]
  }
}
