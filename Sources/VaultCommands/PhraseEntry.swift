import Glibc
package import VaultCrypto
package import VaultStore

extension TerminalPrompt {
  /// The most that is taken at once, as when a phrase is pasted; the kernel holds no more.
  private static let chunkByteCount = 4_096

  /// Asks for a recovery phrase word by word. Letters show; what begins one word alone is completed, and a word that is
  /// none is said at once. Backspace on an empty word and `<` go back, Ctrl-U clears, all words may be pasted together.
  ///
  /// - Returns: the phrase, whose checksum holds.
  /// - Throws: `nothingReceived` for Ctrl-D, `terminal`, `interrupted`, `crypto`; the terminal is as before in every case.
  package func askPhrase() throws(SecretError) -> SecretBytes {
    console.showStatusLine("")
    try show(
      "The recovery phrase, word by word: Tab, space or Enter ends a word, '<' goes back.")
    var typing = try PhraseTyping()
    // Stopped from the keyboard: the terminal is as before by then. Goes on where it was when continued.
    while try !type(into: &typing) { raise(SIGTSTP) }
    guard typing.progress == .complete else { throw .nothingReceived(.phrase) }
    return try typing.phrase()
  }

  /// Hands keys on until there is nothing more to ask.
  ///
  /// - Returns: false if the process shall stop and be continued later.
  private func type(into typing: inout PhraseTyping) throws(SecretError) -> Bool {
    let signals = PromptSignals()
    let before = try settings()
    try set(before.forKeys)
    defer { try? set(before) }  // Nothing more can be done where it fails.
    try typing.showQuestion { bytes throws(SecretError) in try write(bytes) }
    while typing.progress == .typing {
      Wakeup.waitForInput(descriptor)
      if let signal = signals.arrived {
        try write([UInt8(ascii: "\n")].span)
        guard signal == SIGTSTP else { throw .interrupted(signal: signal) }
        return false
      }
      guard let keys = try readKeys() else { continue }
      guard keys.count > 0 else { throw .nothingReceived(.phrase) }
      try typing.take(keys) { bytes throws(SecretError) in try write(bytes) }
    }
    if typing.progress == .ended { try write([UInt8(ascii: "\n")].span) }
    return true
  }

  /// Everything that has arrived: none at the end of input, nil if there was nothing to read yet.
  private func readKeys() throws(SecretError) -> SecretBytes? {
    var keys = try SecretBytes.empty(count: Self.chunkByteCount)
    var filled = 0
    repeat {
      let count = keys.read(from: descriptor, at: filled)
      guard count >= 0 else {
        guard -count == EINTR else { throw .terminal(ErrorCode(rawValue: -count)) }
        break
      }
      guard count > 0 else {
        keys.shorten(to: filled)
        return keys
      }
      filled += Int(count)
    } while filled < keys.count && hasMoreKeys
    guard filled > 0 else { return nil }
    keys.shorten(to: filled)
    return keys
  }
}

/// A recovery phrase of a vault, from wherever it comes.
package enum PresentPhrase {
  /// What the options named, else what is typed on the terminal.
  /// - Throws: `secret` (`noTerminalFor(.phrase)` where there is no terminal), `store(.phraseUnusable)`.
  package static func take(
    from secrets: inout Secrets, _ console: Console
  ) throws(CommandError) -> VaultSecret {
    if let named = secrets.present.first(where: { $0.kind == .phrase }) {
      do { return try VaultSecret(phrase: named.bytes) } catch { throw .store(error) }
    }
    let words: SecretBytes
    do throws(SecretError) {
      words = try TerminalPrompt(on: console).askPhrase()
    } catch {
      throw .secret(error == .noTerminal ? .noTerminalFor(.phrase) : error)
    }
    do { return try VaultSecret(phrase: words) } catch { throw .store(error) }
  }
}
