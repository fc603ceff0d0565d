import VaultCrypto
import VaultSealing

/// Hands a new recovery phrase to a person: shows it once, then makes sure that it was written down.
struct PhraseCeremony: ~Copyable {
  private static let wordsPerLine = 4
  /// Room for one line: a number and at most 8 letters a word.
  private static let lineByteCount = 128
  private static let attempts = 3

  private let prompt: TerminalPrompt

  init(_ prompt: consuming TerminalPrompt) { self.prompt = prompt }

  /// Shows the phrase and asks for the words at these positions, from 1.
  /// - Throws: `repetitionDiffers` when a word was wrong three times; then no vault is made.
  borrowing func run(
    _ words: borrowing SecretBytes, askingFor positions: [Int]
  ) throws(SecretError) {
    try prompt.show(
      """

      This is the recovery phrase. It opens the vault when the passphrase is lost, and it is shown only
      this once. Write the words on paper, in this order:

      """)
    try showNumbered(words)
    try prompt.show("")
    for position in positions { try askBack(position, of: words) }
  }

  private borrowing func showNumbered(_ words: borrowing SecretBytes) throws(SecretError) {
    let ranges = words.withBytes { bytes in
      let spaces = [-1] + bytes.indices.filter { bytes[$0] == UInt8(ascii: " ") } + [bytes.count]
      return zip(spaces, spaces.dropFirst()).map { ($0 + 1)..<$1 }
    }
    for start in stride(from: 0, to: ranges.count, by: Self.wordsPerLine) {
      var line = try SecretBytes.empty(count: Self.lineByteCount)
      var filled = 0
      for position in start..<min(start + Self.wordsPerLine, ranges.count) {
        line.put("\(position < 9 ? "   " : "  ")\(position + 1). ".utf8, at: &filled)
        for index in ranges[position] {
          line.put(CollectionOfOne(words.withBytes { $0[index] }), at: &filled)
        }
      }
      line.put("\n".utf8, at: &filled)
      line.shorten(to: filled)
      try prompt.show(line)
    }
  }

  private borrowing func askBack(
    _ position: Int, of words: borrowing SecretBytes
  ) throws(SecretError) {
    for _ in 1...Self.attempts {
      let typed = try prompt.askVisibly("Word \(position) of the phrase", as: .newPhrase)
      // What cannot be a word at all is as wrong as another word.
      if (try? RecoveryPhrase.isWord(typed, at: position, of: words)) == true { return }
      try prompt.show("That is not word \(position). Look at your paper.")
    }
    throw .repetitionDiffers(.newPhrase)
  }
}

extension SecretBytes {
  fileprivate mutating func put(_ bytes: some Sequence<UInt8>, at index: inout Int) {
    for byte in bytes {
      withMutableBytes { $0[index] = byte }
      index += 1
    }
  }
}
