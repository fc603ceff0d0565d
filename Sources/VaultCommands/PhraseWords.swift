import VaultCrypto
import VaultSealing

/// The words of a phrase that were entered so far, in wiped memory.
struct PhraseWords: ~Copyable {
  /// Two bytes a word: its index plus one, 0 for none.
  private var storage: SecretBytes

  init() throws(SecretError) {
    storage = try SecretBytes.empty(count: 2 * RecoveryPhrase.wordCount)
  }

  /// The list index of a word, by position from 0; nil where there is none.
  subscript(position: Int) -> Int? {
    get {
      guard position < RecoveryPhrase.wordCount else { return nil }
      let value = storage.withBytes { Int($0[2 * position]) << 8 | Int($0[2 * position + 1]) }
      return value == 0 ? nil : value - 1
    }
    set {
      let value = newValue.map { $0 + 1 } ?? 0
      storage.withMutableBytes { bytes in
        bytes[2 * position] = UInt8(value >> 8)
        bytes[2 * position + 1] = UInt8(value & 0xFF)
      }
    }
  }

  /// The first position without a word.
  var firstMissing: Int? { (0..<RecoveryPhrase.wordCount).first { self[$0] == nil } }

  /// Forgets all.
  mutating func clear() { storage.wipe() }

  /// The words, joined by one space.
  func joined() throws(SecretError) -> SecretBytes {
    var text = try SecretBytes.empty(count: 9 * RecoveryPhrase.wordCount)
    var filled = 0
    for position in 0..<RecoveryPhrase.wordCount {
      guard let index = self[position] else { continue }
      EnglishWordList.withWord(at: index) { word in
        text.withMutableBytes { text in
          for offset in word.indices { text[filled + offset] = word[offset] }
          text[filled + word.count] = 0x20
        }
        filled += word.count + 1
      }
    }
    text.shorten(to: max(0, filled - 1))
    return text
  }
}

/// UTF-8 text that is being typed, in wiped memory.
struct TypedText: ~Copyable {
  private var storage: SecretBytes
  /// The bytes typed so far.
  private(set) var count = 0

  init(capacity: Int) throws(SecretError) { storage = try SecretBytes.empty(count: capacity) }

  /// Adds a byte, unless there is no room for it.
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < storage.count else { return false }
    let count = count
    storage.withMutableBytes { $0[count] = byte }
    self.count += 1
    return true
  }

  /// Removes the last character and says whether there was one that shows.
  mutating func removeLast() -> Bool {
    while count > 0 {
      count -= 1
      let offset = count
      let byte = storage.withMutableBytes { bytes in
        let byte = bytes[offset]
        bytes[offset] = 0
        return byte
      }
      if byte < 0x80 || byte >= 0xC0 { return true }
    }
    return false
  }

  mutating func clear() {
    storage.wipe()
    count = 0
  }

  func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes { bytes throws(Failure) in try body(bytes.extracting(first: count)) }
  }
}
