import VaultCrypto
import VaultSealing

/// A recovery phrase that is being typed word by word: what each key does, without a terminal.
///
/// Letters and words are held in wiped memory only; what is to be seen is handed out piece by piece.
struct PhraseTyping: ~Copyable {
  /// How far the typing is.
  enum Progress: Equatable {
    /// More keys are awaited.
    case typing
    /// The phrase is whole and its checksum holds.
    case complete
    /// The person gave up (Ctrl-D).
    case ended
  }

  /// The most bytes of one word; no word of the list has more than 8.
  private static let typedByteCount = 64
  private static let wordCount = RecoveryPhrase.wordCount

  /// Receives what is to be seen.
  typealias Show = (Span<UInt8>) throws(SecretError) -> Void

  private(set) var progress = Progress.typing
  /// The word that is being typed, from 0; `wordCount` when all were there and were refused.
  private var position = 0
  private var words: PhraseWords
  private var typed: TypedText
  /// The first of pasted words that was none, and its position.
  private var refused: TypedText
  private var refusedPosition: Int?
  /// Whether more words were pasted than a phrase has.
  private var isBeyondLast = false
  private var escape = Escape.none

  /// Keys such as the arrows send several bytes, of which none is a letter.
  private enum Escape { case none, started, parameters }

  init() throws(SecretError) {
    let words = try PhraseWords()
    let typed = try TypedText(capacity: Self.typedByteCount)
    refused = try TypedText(capacity: Self.typedByteCount)
    self.words = words
    self.typed = typed
  }

  /// Shows the question that is open, and what was typed so far.
  func showQuestion(_ show: Show) throws(SecretError) {
    guard position < Self.wordCount else {
      return try say("Enter checks again, '<' goes back, Ctrl-U starts again: ", show)
    }
    try say("Word \(position + 1) of \(Self.wordCount): ", show)
    try echoTyped(from: 0, show)
  }

  /// The whole phrase, once it is complete.
  func phrase() throws(SecretError) -> SecretBytes { try words.joined() }

  /// Takes what arrived at once: a key, or all that was pasted.
  mutating func take(_ raw: borrowing SecretBytes, _ show: Show) throws(SecretError) {
    let folded = try Self.folded(raw)
    try folded.withBytes { keys throws(SecretError) in
      if position > 0, typed.count == 0, Self.wordCount(in: keys) >= Self.wordCount {
        try restart(show)
      }
      let lastLetter = keys.indices.last { keys[$0] > 0x20 } ?? 0
      isBeyondLast = false
      for index in keys.indices where progress == .typing && !isBeyondLast {
        try take(keys[index], isLast: index >= lastLetter, show)
      }
    }
    if progress == .typing, refusedPosition != nil { try askForRefused(show) }
  }

  private static func folded(_ raw: borrowing SecretBytes) throws(SecretError) -> SecretBytes {
    // What is not UTF-8 is no word; each of its bytes shows and counts as a question mark.
    if let folded = try? RecoveryPhrase.fold(raw) { return folded }
    var plain = try raw.withBytes { bytes throws(SecretError) in try SecretBytes.copy(of: bytes) }
    plain.withMutableBytes { bytes in
      for index in bytes.indices where bytes[index] >= 0x80 { bytes[index] = UInt8(ascii: "?") }
    }
    return plain
  }

  private static func wordCount(in keys: Span<UInt8>) -> Int {
    keys.indices.count { keys[$0] > 0x20 && ($0 == 0 || keys[$0 - 1] == 0x20) }
  }
}

// MARK: - Keys

extension PhraseTyping {
  private mutating func take(_ key: UInt8, isLast: Bool, _ show: Show) throws(SecretError) {
    if isInEscape(key) { return }
    switch key {
    case 0x20: try enter(isLast: isLast, show)
    case 0x04: if typed.count == 0 { progress = .ended }
    case 0x08, 0x7F: if typed.count == 0 { try goBack(show) } else { try eraseLast(show) }
    case 0x15, 0x17: if isReviewing { try restart(show) } else { try eraseTyped(show) }
    case UInt8(ascii: "<"): try goBack(show)
    case 0x00..<0x20: break
    default:
      guard !isReviewing else { return }
      guard typed.append(key) else { return }
      try echoTyped(from: typed.count - 1, show)
    }
  }

  private mutating func isInEscape(_ key: UInt8) -> Bool {
    switch escape {
    case .none:
      if key == 0x1B { escape = .started }
      return key == 0x1B
    case .started:
      escape = key == UInt8(ascii: "[") || key == UInt8(ascii: "o") ? .parameters : .none
    case .parameters:
      if (0x40...0x7E).contains(key) { escape = .none }
    }
    return true
  }

  private var isReviewing: Bool { position == Self.wordCount }

  private mutating func restart(_ show: Show) throws(SecretError) {
    words.clear()
    refusedPosition = nil
    try open(0, show)
  }

  private mutating func goBack(_ show: Show) throws(SecretError) {
    if position > 0 { try open(position - 1, show) }
  }

  /// Asks for a word on a new line, with what it was entered as for correction.
  private mutating func open(_ position: Int, _ show: Show) throws(SecretError) {
    self.position = position
    typed.clear()
    if let index = words[position] {
      EnglishWordList.withWord(at: index) { word in
        for offset in word.indices { _ = typed.append(word[offset]) }
      }
    }
    try say("\n", show)
    try showQuestion(show)
  }
}

// MARK: - Words

extension PhraseTyping {
  /// Ends the word that was typed.
  private mutating func enter(isLast: Bool, _ show: Show) throws(SecretError) {
    guard !isReviewing else {
      if isLast { try judge(isLast: true, show) }
      return
    }
    guard typed.count > 0 else { return }
    let word = typed.withBytes { RecoveryPhrase.recognise(typed: $0) }
    if case .known(let index) = word {
      try complete(to: index, show)
      words[position] = index
    } else if isLast, refusedPosition == nil {
      return try refuse(word, show)
    } else {
      // More was pasted, which must not be taken for this word.
      if refusedPosition == nil {
        refusedPosition = position
        swap(&refused, &typed)
      }
      words[position] = nil
    }
    try advance(isLast: isLast, show)
  }

  /// Goes to the first word that is missing, behind the present one while words are being pasted.
  private mutating func advance(isLast: Bool, _ show: Show) throws(SecretError) {
    let next =
      refusedPosition == nil
      ? words.firstMissing : position + 1 < Self.wordCount ? position + 1 : nil
    if let next { return try open(next, show) }
    position = Self.wordCount
    typed.clear()
    if refusedPosition == nil { try judge(isLast: isLast, show) }
  }

  /// Shows the rest of the word, or the word in place of what was typed.
  private mutating func complete(to index: Int, _ show: Show) throws(SecretError) {
    let isBeginning = EnglishWordList.withWord(at: index) { word in
      typed.withBytes { typed in
        typed.count <= word.count && typed.indices.allSatisfy { typed[$0] == word[$0] }
      }
    }
    if !isBeginning { try eraseTyped(show) }
    let shown = typed.count
    try EnglishWordList.withWord(at: index) { word throws(SecretError) in
      try show(word.extracting(shown...))
    }
  }

  /// Says what is wrong with a word, and asks for it again; the beginning of several is kept.
  private mutating func refuse(_ word: TypedWord, _ show: Show) throws(SecretError) {
    try say("\n", show)
    switch word {
    case .known: preconditionFailure("a known word is not refused")
    case .ambiguous(let indices):
      let more = indices.count > 3 ? ", ... (\(indices.count) words)" : ""
      try say("That begins more than one word: ", show)
      try suggest(Array(indices.prefix(3)), show)
      try say("\(more)\n", show)
      return try showQuestion(show)
    case .hidden(let codePoint):
      let digits = String(codePoint, radix: 16, uppercase: true)
      try say("There is an invisible character in it (U+\(digits)).\n", show)
    case .unknown(let like):
      try say("That is not on the word list", show)
      if !like.isEmpty {
        try say("; like it are: ", show)
        try suggest(like, show)
      }
      try say(".\n", show)
    }
    typed.clear()
    try showQuestion(show)
  }

  /// Goes back to the first of the pasted words that was none.
  private mutating func askForRefused(_ show: Show) throws(SecretError) {
    if typed.count > 0 { try enter(isLast: true, show) }
    guard let position = refusedPosition else { return }
    refusedPosition = nil
    self.position = position
    swap(&refused, &typed)
    refused.clear()
    try say("\n", show)
    try showQuestion(show)
    try refuse(typed.withBytes { RecoveryPhrase.recognise(typed: $0) }, show)
  }

  /// All words are there: checks that they belong together.
  private mutating func judge(isLast: Bool, _ show: Show) throws(SecretError) {
    guard isLast else {
      isBeyondLast = true
      try say("\nThose were more than \(Self.wordCount) words.\n", show)
      return try showQuestion(show)
    }
    if try isSound() {
      progress = .complete
      try say("\n", show)
    } else {
      try say(
        """

        The words do not belong together: one is another word of the list, two are swapped, or the
        phrase is of another kind. Nothing is lost.

        """, show)
      try showQuestion(show)
    }
  }

  private func isSound() throws(SecretError) -> Bool {
    let phrase = try words.joined()
    do throws(PhraseError) {
      _ = try RecoveryPhrase.normalise(phrase)
      return true
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
      return false
    }
  }
}

// MARK: - The screen

extension PhraseTyping {
  private func say(_ text: String, _ show: Show) throws(SecretError) {
    try show(Array(text.utf8).span)
  }

  private func suggest(_ indices: [Int], _ show: Show) throws(SecretError) {
    for (offset, index) in indices.enumerated() {
      if offset > 0 { try say(", ", show) }
      try EnglishWordList.withWord(at: index) { word throws(SecretError) in try show(word) }
    }
  }

  /// One column for each character; one beyond ASCII shows as a question mark.
  private func echoTyped(from start: Int, _ show: Show) throws(SecretError) {
    try typed.withBytes { bytes throws(SecretError) in
      for index in start..<bytes.count {
        if bytes[index] < 0x80 {
          try show(bytes.extracting(index..<(index + 1)))
        } else if bytes[index] >= 0xC0 {
          try say("?", show)
        }
      }
    }
  }

  private mutating func eraseLast(_ show: Show) throws(SecretError) {
    if typed.removeLast() { try say("\u{8} \u{8}", show) }
  }

  private mutating func eraseTyped(_ show: Show) throws(SecretError) {
    while typed.count > 0 { try eraseLast(show) }
  }
}
