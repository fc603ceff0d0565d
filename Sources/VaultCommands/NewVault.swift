import VaultFormat
package import VaultStore

/// Makes a vault with what the options and a person give; `init` and the first `pack` share it.
package enum NewVault {
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
    do { sources = try SecretSources(parsing: arguments) } catch { throw .usage(error) }
    if sources.present.contains(where: { $0.kind == .phrase }) {
      throw .usage(.refused("a new vault makes its own recovery phrase; give only a passphrase"))
    }
    let texts = try SlotTexts(arguments)
    let newPhrase = try NewPhrase(arguments, console, vault: path)
    try requireEmpty(path)
    var secrets = try NewSecrets.read(sources)
    let passphrase = try NewSecrets.passphrase(.passphraseOptions, from: &secrets, console)
    try texts.check(against: passphrase, [], console)
    var taken: VaultSecret? = consume passphrase
    return try newPhrase.make { phrase throws(CommandError) in
      guard let passphrase = taken.take() else { throw .secret(.noTerminal) }
      do throws(StoreError) {
        let creation = try VaultCreation(
          at: path, passphrase: passphrase, phrase: phrase, label: texts.label, hint: texts.hint,
          costs: .standard, bounds: .standard)
        let opened = creation.opened
        let folder = try creation.write()
        console.note("made the vault \(DisplayName(path))")
        return Made(folder: folder, opened: opened)
      } catch {
        throw .store(error)
      }
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
}
