import VaultCrypto
import VaultSealing

/// Hands a new recovery phrase to a person: shows it once, then makes sure that it was written down.
struct PhraseCeremony: ~Copyable {
  private static let wordsPerLine = 4
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
      this once. Write it on paper, with the numbers:

      """)
    try showNumbered(words)
    try prompt.show("")
    for position in positions { try askBack(position, of: words) }
  }

  private borrowing func showNumbered(_ words: borrowing SecretBytes) throws(SecretError) {
    var line = try SecretBytes.empty(count: 256)
    var filled = 0
    var position = 1
    for index in 0...words.count {
      let byte = words.withBytes { index < $0.count ? $0[index] : UInt8(ascii: " ") }
      if filled == 0 || byte == UInt8(ascii: " ") {
        if index > 0, byte == UInt8(ascii: " ") {
          let endsLine = position % Self.wordsPerLine == 0 || index == words.count
          line.put(endsLine ? UInt8(ascii: "\n") : UInt8(ascii: " "), at: &filled)
          if endsLine {
            line.shorten(to: filled)
            try prompt.show(line)
            line = try SecretBytes.empty(count: 256)
            filled = 0
          }
          position += 1
          if index == words.count { return }
        }
        let number = "\(position)"
        for byte in "\(number.count == 1 ? "   " : "  ")\(number). ".utf8 {
          line.put(byte, at: &filled)
        }
        if byte == UInt8(ascii: " ") { continue }
      }
      line.put(byte, at: &filled)
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
  fileprivate mutating func put(_ byte: UInt8, at index: inout Int) {
    withMutableBytes { $0[index] = byte }
    index += 1
  }
}
