import Glibc
package import VaultCrypto

/// The secrets that a command line names a source for.
package struct SecretSources: Equatable, Sendable {
  /// The options of every command that opens a vault.
  package static let options = passphraseOptions + phraseOptions
  /// Of these, the ones for commands that only a passphrase will do for.
  package static let passphraseOptions = [passphraseFile, passphraseFD, passphraseCommand]
  /// And for commands that only a recovery phrase will do for.
  package static let phraseOptions = [phraseFile, phraseFD]
  /// The further options of commands that set a passphrase.
  package static let newPassphraseOptions = [
    newPassphraseFile, newPassphraseFD, newPassphraseCommand,
  ]
  /// The further options of commands that set a secret.
  package static let newOptions = newPassphraseOptions + [newPhraseFile, newPhraseFD]

  package let passphrase: SecretSource?
  package let phrase: SecretSource?
  package let newPassphrase: SecretSource?
  package let newPhrase: SecretSource?

  /// Takes the sources out of the arguments; reads nothing.
  ///
  /// - Throws: `conflictingOptions` for two sources of one secret, `invalidValue` for a descriptor
  ///   that is no number or not open.
  package init(parsing arguments: ArgumentReader) throws(UsageError) {
    passphrase = try Self.source(
      in: arguments, Self.passphraseFile, Self.passphraseFD, Self.passphraseCommand)
    phrase = try Self.source(in: arguments, Self.phraseFile, Self.phraseFD, nil)
    newPassphrase = try Self.source(
      in: arguments, Self.newPassphraseFile, Self.newPassphraseFD, Self.newPassphraseCommand)
    newPhrase = try Self.source(in: arguments, Self.newPhraseFile, Self.newPhraseFD, nil)
  }

  package init(
    passphrase: SecretSource? = nil, phrase: SecretSource? = nil,
    newPassphrase: SecretSource? = nil, newPhrase: SecretSource? = nil
  ) {
    self.passphrase = passphrase
    self.phrase = phrase
    self.newPassphrase = newPassphrase
    self.newPhrase = newPhrase
  }

  /// Reads every source once. A file or descriptor that serves several secrets holds one line for
  /// each, in the order passphrase, phrase, new passphrase, new phrase; each keeps its line end.
  ///
  /// - Throws: as `SecretSource.read`; `wrongLineCount`.
  package func read() throws(SecretError) -> Secrets {
    var secrets = Secrets()
    var isRead: Set<SecretKind> = []
    let named = all
    for (kind, source) in named where !isRead.contains(kind) {
      let sharing = named.filter { $0.source == source }.map(\.kind)
      if sharing.count == 1 || source.isCommand {
        secrets.set(try source.read(as: kind), for: kind)
        isRead.insert(kind)
      } else {
        let whole = try source.read(as: kind)
        for (index, kind) in sharing.enumerated() {
          secrets.set(try source.line(index, for: sharing, of: whole), for: kind)
        }
        isRead.formUnion(sharing)
      }
    }
    return secrets
  }

  private var all: [(kind: SecretKind, source: SecretSource)] {
    [
      (SecretKind.passphrase, passphrase), (.phrase, phrase), (.newPassphrase, newPassphrase),
      (.newPhrase, newPhrase),
    ].compactMap { kind, source in source.map { (kind, $0) } }
  }
}

/// The secrets that were read; nil where no source was named. Whoever needs one takes it.
package struct Secrets: ~Copyable {
  package var passphrase: SecretBytes?
  package var phrase: SecretBytes?
  package var newPassphrase: SecretBytes?
  package var newPhrase: SecretBytes?

  fileprivate mutating func set(_ secret: consuming SecretBytes, for kind: SecretKind) {
    switch kind {
    case .passphrase: passphrase = consume secret
    case .phrase: phrase = consume secret
    case .newPassphrase: newPassphrase = consume secret
    case .newPhrase: newPhrase = consume secret
    }
  }
}

extension SecretSource {
  fileprivate var isCommand: Bool { if case .command = self { true } else { false } }

  /// One line of a source that serves several secrets, with its line end.
  fileprivate func line(
    _ index: Int, for kinds: [SecretKind], of whole: borrowing SecretBytes
  ) throws(SecretError) -> SecretBytes {
    try whole.withBytes { bytes throws(SecretError) in
      var ends = bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
      if ends.last ?? 0 < bytes.count { ends.append(bytes.count) }
      guard ends.count == kinds.count else {
        throw .wrongLineCount(self, expected: kinds.count, found: ends.count)
      }
      let line = bytes.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index])
      guard !isBlank(line) else { throw .nothingReceived(kinds[index]) }
      return try SecretBytes.copy(of: line)
    }
  }
}

// MARK: - Options

extension SecretSources {
  static let passphraseFile = OptionSpec.value(
    "passphrase-file", "FILE", group: .secrets,
    help: "The passphrase is the content of FILE less a final line end; '-' is standard input.")
  static let passphraseFD = OptionSpec.value(
    "passphrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")
  static let passphraseCommand = OptionSpec.value(
    "passphrase-command", "CMD", group: .secrets,
    help: "The same from the output of /bin/sh -c CMD.")
  static let phraseFile = OptionSpec.value(
    "phrase-file", "FILE", group: .secrets,
    help: "The recovery phrase from FILE, in place of the passphrase.")
  static let phraseFD = OptionSpec.value(
    "phrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")
  static let newPassphraseFile = OptionSpec.value(
    "new-passphrase-file", "FILE", group: .secrets,
    help: "The new passphrase. A FILE that also holds the present secret has that on its first "
      + "line and this on the second.")
  static let newPassphraseFD = OptionSpec.value(
    "new-passphrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")
  static let newPassphraseCommand = OptionSpec.value(
    "new-passphrase-command", "CMD", group: .secrets,
    help: "The same from the output of /bin/sh -c CMD.")
  static let newPhraseFile = OptionSpec.value(
    "new-phrase-file", "FILE", group: .secrets, help: "The new recovery phrase.")
  static let newPhraseFD = OptionSpec.value(
    "new-phrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")

  private static func source(
    in arguments: ArgumentReader, _ file: OptionSpec, _ descriptor: OptionSpec,
    _ command: OptionSpec?
  ) throws(UsageError) -> SecretSource? {
    let given = [file, descriptor, command].compactMap { $0 }
      .filter { arguments.spec.options.contains($0) && arguments.has($0) }
    guard let option = given.first, let value = arguments.value(of: option) else { return nil }
    guard given.count == 1 else { throw .conflictingOptions(given[0].name, given[1].name) }
    if option == command { return .command(value) }
    if option == file { return value == Array("-".utf8) ? .descriptor(0) : .file(value) }
    return .descriptor(try number(in: value, of: option))
  }

  /// Checked here, because later the number could be that of a file we opened ourselves.
  private static func number(in value: [UInt8], of option: OptionSpec) throws(UsageError) -> CInt {
    guard let number = CInt(String(decoding: value, as: UTF8.self)), number == 0 || number > 2,
      fcntl(number, F_GETFD) != -1
    else {
      throw .invalidValue(option: option.name, expected: "the number of a descriptor open to read")
    }
    return number
  }
}
