import VaultCrypto
import VaultSealing
package import VaultStore

/// A new recovery phrase on its way to its owner: shown once on the terminal with two words asked
/// back, or written to the new file that `--phrase-out` names.
package struct NewPhrase: Sendable {
  package static let out = OptionSpec.value(
    "phrase-out", "FILE",
    help: "Write the recovery phrase to a new FILE of mode 0600 instead of showing it.")

  /// The file; nil for the terminal.
  private let file: [UInt8]?
  private let console: Console

  /// Checks, before anything is asked or made, that the phrase can be handed over.
  /// - Parameter vault: the path of the vault, which may still have to be made.
  /// - Throws: `usage` where there is neither a terminal nor `--phrase-out`, and for `-` or a file that exists or lies in a
  ///   vault.
  package init(
    _ arguments: ArgumentReader, _ console: Console, vault: [UInt8]
  ) throws(CommandError) {
    file = arguments.value(of: Self.out)
    self.console = console
    guard let file else {
      guard Self.canAsk(console) else {
        throw .usage(
          .refused("there is no terminal to show the recovery phrase on; give --phrase-out FILE"))
      }
      return
    }
    if file.elementsEqual("-".utf8) {
      throw .usage(
        .refused(
          "--phrase-out takes the name of a new file; the phrase is never printed to a stream"))
    }
    try PhraseFile.requireNone(at: file)
    let isInVault: Bool
    do { isInVault = try VaultFolder.holds(file, vault: vault) } catch { throw .store(error) }
    if isInVault {
      throw .usage(
        .refused(
          "\(DisplayName(file)) lies in a vault; the recovery phrase in plain text must not be copied along with it"
        ))
    }
  }

  /// Makes a phrase, hands it over, and then does the work that puts it into the vault.
  /// - Parameter work: throws only while the vault does not have the phrase yet; then the file is removed again.
  /// - Throws: what `work` throws; `secret` when no one could or would take the phrase; `usage`, `store`.
  package func make<Result: ~Copyable>(
    then work: (consuming VaultSecret) throws(CommandError) -> Result
  ) throws(CommandError) -> Result {
    let words = try Self.words()
    if let file { try PhraseFile.write(words, to: file) } else { try show(words) }
    do {
      let result = try work(try Self.secret(words))
      if let file {
        console.note(
          "the recovery phrase is in \(DisplayName(file)): put it on paper and delete the file")
      }
      return result
    } catch {
      if let file { PhraseFile.remove(file) } else { sayThatItIsVoid() }
      throw error
    }
  }

  private static func canAsk(_ console: Console) -> Bool {
    do {
      _ = try TerminalPrompt(on: console)
      return true
    } catch {
      return false
    }
  }

  private static func words() throws(CommandError) -> SecretBytes {
    let entropy: SecretBytes
    do { entropy = try Random.secret(RecoveryPhrase.entropyByteCount) } catch {
      throw .store(.crypto(error))
    }
    do { return try RecoveryPhrase.words(fromEntropy: entropy) } catch {
      throw .store(.phraseUnusable(error))
    }
  }

  private static func secret(_ words: borrowing SecretBytes) throws(CommandError) -> VaultSecret {
    do { return try VaultSecret(phrase: words) } catch { throw .store(error) }
  }

  /// Shows the phrase once and asks two of its words back.
  private func show(_ words: borrowing SecretBytes) throws(CommandError) {
    let positions = try Self.twoPositions()
    do throws(SecretError) {
      try PhraseCeremony(TerminalPrompt(on: console)).run(words, askingFor: positions)
    } catch {
      sayThatItIsVoid()
      throw .secret(error)
    }
  }

  private func sayThatItIsVoid() {
    console.warn(
      "the phrase that was shown opens nothing: strike it out; a phrase of before still counts")
  }

  /// Two different positions from 1, in ascending order.
  private static func twoPositions() throws(CommandError) -> [Int] {
    let count = RecoveryPhrase.wordCount
    do {
      let random = try Random.bytes(2)
      let first = Int(random[0]) % count
      let second = (first + 1 + Int(random[1]) % (count - 1)) % count
      return [first + 1, second + 1].sorted()
    } catch {
      throw .store(.crypto(error))
    }
  }
}
