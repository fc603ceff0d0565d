import VaultCrypto
import VaultFormat
import VaultSealing
package import VaultStore

/// What every command shares that sets a passphrase. A new recovery phrase is made by `NewPhrase`.
package enum NewSecrets {
  package static let hint = OptionSpec.value(
    "hint", "TEXT",
    help: "A reminder of the passphrase. It is public: anyone with the vault can read it.")
  package static let label = OptionSpec.value(
    "label", "TEXT", help: "A public name for the passphrase's slot, such as a device.")

  /// The options by which a new passphrase comes.
  package enum Route: Sendable {
    /// `--passphrase-…`: the command takes no present secret.
    case passphraseOptions
    /// `--new-passphrase-…`, beside the present secret.
    case newPassphraseOptions
  }

  /// Reads what the options name, all at once: one source may serve several secrets.
  /// - Throws: `secret`.
  package static func read(_ sources: SecretSources) throws(CommandError) -> Secrets {
    do { return try sources.read() } catch { throw .secret(error) }
  }

  /// The new passphrase: what the options named, else what is typed twice on the terminal.
  /// - Parameter secrets: loses the new one that is used.
  /// - Throws: `secret` (`noTerminal` or `noTerminalFor`, whose hint names the options of the route),
  ///   `store(.passphraseUnusable)`.
  package static func passphrase(
    _ route: Route, from secrets: inout Secrets, _ console: Console
  ) throws(CommandError) -> VaultSecret {
    do throws(StoreError) {
      switch route {
      case .passphraseOptions:
        if let named = secrets.present.first(where: { $0.kind == .passphrase }) {
          return try VaultSecret(passphraseFile: named.bytes, isNew: true)
        }
      case .newPassphraseOptions:
        if let named = secrets.newPassphrase.take() {
          return try VaultSecret(passphraseFile: named, isNew: true)
        }
      }
    } catch {
      throw .store(error)
    }
    let typed: SecretBytes
    do throws(SecretError) {
      typed = try TerminalPrompt(on: console).askNewSecret("New passphrase", as: .newPassphrase)
    } catch {
      if error == .noTerminal, route == .newPassphraseOptions {
        throw .secret(.noTerminalFor(.newPassphrase))
      }
      throw .secret(error)
    }
    do { return try VaultSecret(passphrase: typed, isNew: true) } catch { throw .store(error) }
  }
}

/// The public texts of a new passphrase's slot, as far as the command takes them.
package struct SlotTexts: Sendable {
  package let hint: String?
  package let label: String?

  /// Takes `--hint` and `--label` out of the arguments.
  /// - Throws: `usage` for text that is not UTF-8 or has more bytes than a slot holds.
  package init(_ arguments: ArgumentReader) throws(CommandError) {
    do {
      hint = try Self.text(of: NewSecrets.hint, in: arguments, Limits.hintByteCount)
      label = try Self.text(of: NewSecrets.label, in: arguments, Limits.labelByteCount)
    } catch {
      throw .usage(error)
    }
  }

  /// Says that a hint is public, where one is set; and refuses texts that give a secret away.
  /// - Parameter present: the secrets that the command was given: the vault, or an old copy of it, opens with them.
  /// - Throws: `usage` for a text that contains one of the secrets, whatever its letter case and normal form.
  package func check(
    against passphrase: borrowing VaultSecret, _ present: [HeldSecret], _ console: Console
  ) throws(CommandError) {
    for (text, name) in [(hint, "hint"), (label, "label")] {
      guard let text else { continue }
      if try Self.contains(text, passphrase) {
        throw .usage(.refused("the \(name) contains the passphrase, and anyone can read it"))
      }
      for secret in present where try Self.contains(text, secret.value) {
        throw .usage(
          .refused(
            "the \(name) contains a present passphrase or recovery phrase, and anyone can read it"))
      }
    }
    if hint != nil { console.note("the hint is public: anyone who has the vault can read it") }
  }

  private static func contains(
    _ text: String, _ passphrase: borrowing VaultSecret
  ) throws(CommandError) -> Bool {
    do { return try PassphraseDisclosure.isIn(text, passphrase: passphrase.prepared) } catch {
      throw .store(.crypto(error))
    }
  }

  private static func text(
    of option: OptionSpec, in arguments: ArgumentReader, _ allowed: ClosedRange<Int>
  ) throws(UsageError) -> String? {
    guard arguments.spec.options.contains(option), let text = try arguments.text(of: option) else {
      return nil
    }
    guard allowed.contains(text.utf8.count) else {
      throw .invalidValue(
        option: option.name, expected: "\(allowed.lowerBound) to \(allowed.upperBound) bytes")
    }
    return text
  }
}
