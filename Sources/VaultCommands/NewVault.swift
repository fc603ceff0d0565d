import VaultCrypto
import VaultFormat
import VaultSealing
package import VaultStore

/// Makes a vault with what the options and a person give; `init` and the first `pack` share it.
package enum NewVault {
  package static let hint = OptionSpec.value(
    "hint", "TEXT",
    help: "A reminder of the passphrase. It is public: anyone with the vault can read it.")
  package static let label = OptionSpec.value(
    "label", "TEXT", help: "A public name for the passphrase's slot, such as a device.")
  package static let phraseOut = OptionSpec.value(
    "phrase-out", "FILE",
    help: "Write the recovery phrase to a new FILE of mode 0600 instead of showing it.")

  /// A vault that was made, open.
  package struct Made: Sendable {
    package let folder: VaultFolder
    package let opened: OpenedSlots
  }

  /// Asks for the passphrase twice, makes the recovery phrase, hands it over, and writes the vault.
  package static func make(
    at path: [UInt8], _ arguments: ArgumentReader, _ console: Console
  ) throws(CommandError) -> Made {
    let sources: SecretSources
    let hint: String?
    let label: String?
    do {
      sources = try SecretSources(parsing: arguments)
      hint = try text(of: Self.hint, in: arguments, Limits.hintByteCount)
      label =
        arguments.spec.options.contains(Self.label)
        ? try text(of: Self.label, in: arguments, Limits.labelByteCount) : nil
    } catch {
      throw .usage(error)
    }
    let out = arguments.value(of: phraseOut)
    if let out, out.elementsEqual("-".utf8) {
      throw .usage(
        .refused(
          "--phrase-out takes the name of a new file; the phrase is never printed to a stream"))
    }
    if out == nil, console.surroundings.terminalPath == nil || !canAsk(console) {
      throw .usage(
        .refused(
          "\(DisplayName(path)) holds no vault yet, and there is no terminal to show a new one's "
            + "recovery phrase on; give --phrase-out FILE"))
    }
    try requireEmpty(path)
    let passphrase = try newPassphrase(sources, console)
    try check(hint, against: passphrase)
    let words = try makePhrase()
    if let out {
      try PhraseFile.write(words, to: out)
    } else {
      try show(words, console)
    }
    do {
      let phrase = try VaultSecret(phrase: words)
      let creation = try VaultCreation(
        at: path, passphrase: passphrase, phrase: phrase, label: label, hint: hint,
        costs: .standard, bounds: .standard)
      let opened = creation.opened
      return Made(folder: try creation.write(), opened: opened)
    } catch {
      if let out { PhraseFile.remove(out) }
      throw .store(error)
    }
  }

  private static func text(
    of option: OptionSpec, in arguments: ArgumentReader, _ allowed: ClosedRange<Int>
  ) throws(UsageError) -> String? {
    guard let text = try arguments.text(of: option) else { return nil }
    guard allowed.contains(text.utf8.count) else {
      throw .invalidValue(
        option: option.name, expected: "\(allowed.lowerBound) to \(allowed.upperBound) bytes")
    }
    return text
  }

  private static func canAsk(_ console: Console) -> Bool {
    do {
      _ = try TerminalPrompt(on: console)
      return true
    } catch {
      return false
    }
  }

  /// Says early that the directory is not empty: before anything is typed or shown.
  private static func requireEmpty(_ path: [UInt8]) throws(CommandError) {
    do {
      guard try Directory(path: path).entries().isEmpty else {
        throw CommandError.store(.notEmpty(path: path))
      }
    } catch let error as SystemError {
      if error.code != .notFound { throw .store(.system(error, path: path)) }
    } catch {
      throw .store(.notEmpty(path: path))
    }
  }

  private static func newPassphrase(
    _ sources: SecretSources, _ console: Console
  ) throws(CommandError) -> VaultSecret {
    if sources.phrase != nil {
      throw .usage(.refused("a new vault makes its own recovery phrase; give only a passphrase"))
    }
    if sources.passphrase != nil {
      var secrets: Secrets
      do { secrets = try sources.read() } catch { throw .secret(error) }
      guard let content = secrets.passphrase.take() else { throw .secret(.noTerminal) }
      do { return try VaultSecret(passphraseFile: content, isNew: true) } catch {
        throw .store(error)
      }
    }
    let typed: SecretBytes
    do {
      typed = try TerminalPrompt(on: console).askNewSecret("New passphrase", as: .newPassphrase)
    } catch {
      throw .secret(error)
    }
    do { return try VaultSecret(passphrase: typed, isNew: true) } catch { throw .store(error) }
  }

  /// A hint is public, so it must not give the passphrase away.
  private static func check(
    _ hint: String?, against passphrase: borrowing VaultSecret
  ) throws(CommandError) {
    guard let hint else { return }
    let bytes = Array(hint.utf8)
    let isInside = passphrase.prepared.withBytes { secret in
      guard secret.count <= bytes.count else { return false }
      return (0...(bytes.count - secret.count)).contains { start in
        secret.indices.allSatisfy { secret[$0] == bytes[start + $0] }
      }
    }
    if isInside {
      throw .usage(.refused("the hint contains the passphrase, and anyone can read it"))
    }
  }

  private static func makePhrase() throws(CommandError) -> SecretBytes {
    let entropy: SecretBytes
    do { entropy = try Random.secret(RecoveryPhrase.entropyByteCount) } catch {
      throw .store(.crypto(error))
    }
    do { return try RecoveryPhrase.words(fromEntropy: entropy) } catch {
      throw .store(.phraseUnusable(error))
    }
  }

  /// Shows the phrase once and asks two of its words back.
  private static func show(_ words: borrowing SecretBytes, _ console: Console) throws(CommandError)
  {
    let positions = try twoPositions()
    do throws(SecretError) {
      try PhraseCeremony(TerminalPrompt(on: console)).run(words, askingFor: positions)
    } catch {
      throw .secret(error)
    }
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
