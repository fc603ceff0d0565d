import Glibc
package import VaultCrypto
package import VaultStore

/// The secrets that a command line names a source for.
package struct SecretSources: Equatable, Sendable {
  /// A secret that exists already.
  package struct Present: Equatable, Sendable {
    /// `passphrase` or `phrase`.
    package let kind: SecretKind
    package let source: SecretSource

    package init(kind: SecretKind, source: SecretSource) {
      self.kind = kind
      self.source = source
    }
  }

  /// The options of a command that one secret opens a vault for.
  package static let options = passphraseOptions + phraseOptions
  /// Of these, the ones for commands that only a passphrase will do for.
  package static let passphraseOptions = [passphraseFile, passphraseFD, passphraseCommand]
  /// And for commands that only a recovery phrase will do for.
  package static let phraseOptions = [phraseFile, phraseFD]
  /// The same for a command that takes several secrets, each of which opens its compartments.
  package static let severalOptions = options.map(\.repeatable)
  /// The further options of commands that set a passphrase.
  package static let newPassphraseOptions = [
    newPassphraseFile, newPassphraseFD, newPassphraseCommand,
  ]
  /// The further options of commands that set a secret.
  package static let newOptions = newPassphraseOptions + [newPhraseFile, newPhraseFD]

  /// In the order in which their options stand.
  package let present: [Present]
  package let newPassphrase: SecretSource?
  package let newPhrase: SecretSource?

  /// Takes the sources out of the arguments; reads nothing.
  ///
  /// - Throws: `conflictingOptions` for two sources of one secret, `invalidValue` for a descriptor
  ///   that is no number or not open.
  package init(parsing arguments: ArgumentReader) throws(UsageError) {
    let own = arguments.spec.options
    let options = (Self.options + Self.severalOptions).filter(own.contains)
    present = try Self.sources(in: arguments, options).map { option, source in
      Present(kind: option.name.starts(with: "phrase") ? .phrase : .passphrase, source: source)
    }
    let newPassphrases = Self.newPassphraseOptions.filter(own.contains)
    newPassphrase = try Self.sources(in: arguments, newPassphrases).first?.source
    let newPhrases = [Self.newPhraseFile, Self.newPhraseFD].filter(own.contains)
    newPhrase = try Self.sources(in: arguments, newPhrases).first?.source
  }

  package init(
    present: [Present] = [], newPassphrase: SecretSource? = nil, newPhrase: SecretSource? = nil
  ) {
    self.present = present
    self.newPassphrase = newPassphrase
    self.newPhrase = newPhrase
  }

  /// Reads every source once. A file or descriptor that serves several secrets holds one line for
  /// each: first the present ones in the order of their options, then the new passphrase and the
  /// new phrase. Each keeps its line end.
  ///
  /// - Throws: as `SecretSource.read`; `wrongLineCount`.
  package func read() throws(SecretError) -> Secrets {
    let all = self.all
    var secrets = Secrets()
    for (position, one) in all.enumerated() {
      let sharing = all.indices.filter { all[$0].source == one.source }
      guard sharing.count > 1, !one.source.isCommand else {
        secrets.add(try one.source.read(as: one.kind), one, "\(one.source)", at: position)
        continue
      }
      guard sharing.first == position else { continue }
      let whole = try one.source.read(as: one.kind)
      let kinds = sharing.map { all[$0].kind }
      for (line, position) in sharing.enumerated() {
        secrets.add(
          try one.source.line(line, for: kinds, of: whole), all[position],
          "line \(line + 1) of \(one.source)", at: position)
      }
    }
    return secrets
  }

  private var all: [Present] {
    present
      + [(SecretKind.newPassphrase, newPassphrase), (.newPhrase, newPhrase)].compactMap {
        kind, source in source.map { Present(kind: kind, source: $0) }
      }
  }
}

/// A present secret as it was read, with its line end.
package final class ReadSecret: Sendable {
  package let kind: SecretKind
  /// Where it came from, for people.
  package let origin: String
  package let bytes: SecretBytes
  fileprivate let position: Int

  fileprivate init(
    _ kind: SecretKind, _ origin: String, _ position: Int, _ bytes: consuming SecretBytes
  ) {
    self.kind = kind
    self.origin = origin
    self.position = position
    self.bytes = bytes
  }
}

/// The secrets that were read; nothing where no source was named. Whoever needs a new one takes it.
package struct Secrets: ~Copyable {
  /// In the order in which their options stand.
  package private(set) var present: [ReadSecret] = []
  package var newPassphrase: SecretBytes?
  package var newPhrase: SecretBytes?
  /// The present secrets as they were tried on the slots, typed ones too: no public text may hold one.
  package var held: [HeldSecret] = []

  fileprivate mutating func add(
    _ bytes: consuming SecretBytes, _ one: SecretSources.Present, _ origin: String, at position: Int
  ) {
    switch one.kind {
    case .newPassphrase: newPassphrase = consume bytes
    case .newPhrase: newPhrase = consume bytes
    case .passphrase, .phrase:
      present.append(ReadSecret(one.kind, origin, position, bytes))
      present.sort { $0.position < $1.position }
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
    help: "The recovery phrase from FILE.")
  static let phraseFD = OptionSpec.value(
    "phrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")
  static let newPassphraseFile = OptionSpec.value(
    "new-passphrase-file", "FILE", group: .secrets,
    help:
      "The new passphrase from FILE. Where the command takes a present secret too, FILE may hold that "
      + "on its first line and this on the second.")
  static let newPassphraseFD = OptionSpec.value(
    "new-passphrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")
  static let newPassphraseCommand = OptionSpec.value(
    "new-passphrase-command", "CMD", group: .secrets,
    help: "The same from the output of /bin/sh -c CMD.")
  static let newPhraseFile = OptionSpec.value(
    "new-phrase-file", "FILE", group: .secrets, help: "The new recovery phrase.")
  static let newPhraseFD = OptionSpec.value(
    "new-phrase-fd", "N", group: .secrets, help: "The same from the open descriptor N.")

  /// The sources that stand on the command line, in their order: at most one unless the options may be repeated.
  private static func sources(
    in arguments: ArgumentReader, _ options: [OptionSpec]
  ) throws(UsageError) -> [(option: OptionSpec, source: SecretSource)] {
    let given = arguments.values(of: options)
    if given.count > 1, !given[0].option.isRepeatable {
      throw .conflictingOptions(given[0].option.name, given[1].option.name)
    }
    var sources: [(OptionSpec, SecretSource)] = []
    for (option, value) in given { sources.append((option, try source(option, value))) }
    return sources
  }

  private static func source(
    _ option: OptionSpec, _ value: [UInt8]
  ) throws(UsageError) -> SecretSource {
    switch option.valueName {
    case "CMD": .command(value)
    case "N": .descriptor(try number(in: value, of: option))
    default: value == Array("-".utf8) ? .descriptor(0) : .file(value)
    }
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
