internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing
package import VaultStore

/// Gets from a command line, or a person, to the keys of a vault.
package enum VaultAccess {
  /// How often a person may try a passphrase.
  private static let attempts = 3

  /// Keys that are being derived, or that a person's secret has opened already.
  package enum Pending: ~Copyable {
    case deriving(Unlocking)
    case opened(OpenedSlots)

    /// Waits for the keys.
    package consuming func finish() throws(StoreError) -> OpenedSlots {
      switch consume self {
      case .deriving(let unlocking): try unlocking.finish()
      case .opened(let slots): slots
      }
    }
  }

  /// Who is asked for a secret where no option names one and nothing is unlocked.
  package enum Unnamed: Sendable {
    /// A person at the terminal.
    case person
    /// The passphrase command that git's configuration names, else a person: for commands about git.
    case repositoryThenPerson
    /// The same without a person: for what git starts.
    case repository
  }

  /// Starts to open a vault with the secrets that the options name: together they open what each opens. Where they name
  /// none, what is unlocked counts; else asks on the terminal for one, up to three times, and shows the hint after the
  /// last.
  package static func begin(
    _ vault: VaultFolder, _ snapshot: Snapshot, _ sources: SecretSources, _ console: Console,
    unnamed: Unnamed = .person
  ) throws(CommandError) -> Pending {
    var secrets = try NewSecrets.read(sources)
    return try begin(vault, snapshot, from: &secrets, console, unnamed: unnamed)
  }

  /// The same with secrets that were read, for a command that sets a new one too.
  /// - Parameter keepingMasterKeys: for a command that makes slots; what is unlocked does not count then.
  package static func begin(
    _ vault: VaultFolder, _ snapshot: Snapshot, from secrets: inout Secrets, _ console: Console,
    keepingMasterKeys: Bool = false, unnamed: Unnamed = .person
  ) throws(CommandError) -> Pending {
    let named = try prepared(secrets.present)
    if !named.isEmpty {
      secrets.held = named
      return try begin(vault, snapshot, with: named, keepingMasterKeys: keepingMasterKeys)
    }
    if !keepingMasterKeys, let opened = Session.opened(of: vault, snapshot) {
      return .opened(opened)
    }
    if unnamed != .person, let secret = try repositorySecret(in: vault.path) {
      return try begin(vault, snapshot, with: secret, keepingMasterKeys: keepingMasterKeys)
    }
    if unnamed == .repository { throw .secret(.noTerminal) }
    let prompt: TerminalPrompt
    do { prompt = try TerminalPrompt(on: console) } catch { throw .secret(error) }
    for attempt in 1... {
      let typed: SecretBytes
      do {
        typed = try prompt.askSecret("Passphrase", as: .passphrase)
      } catch {
        throw .secret(error)
      }
      do {
        let secret = HeldSecret(try typedSecret(typed))
        let opened = try Unlocking(
          snapshot.usableSlots, of: vault.header, with: [secret],
          unreadable: snapshot.unreadableSlots, keepingMasterKeys: keepingMasterKeys
        ).finish()
        secrets.held = [secret]
        return .opened(opened)
      } catch {
        guard error.isRefusal, attempt < attempts else {
          if error.isRefusal { showHint(snapshot, console) }
          throw .store(error)
        }
        console.warn("\(error.text); try again")
      }
    }
    throw .secret(.noTerminal)
  }

  /// The same, with the notes read when this returns.
  package static func unlock(
    _ vault: VaultFolder, _ snapshot: Snapshot, _ sources: SecretSources, _ console: Console,
    unnamed: Unnamed = .person
  ) throws(CommandError) -> UnlockedVault {
    let hasSlot = snapshot.usableSlots.contains { $0.head.vaultID == vault.header.vaultID }
    if !hasSlot, !snapshot.findings.isEmpty, Session.opened(of: vault, snapshot) == nil {
      throw .store(.indexNotSound(snapshot.findings))  // no secret could open it
    }
    let pending = try begin(vault, snapshot, sources, console, unnamed: unnamed)
    do { return try pending.finish().read(snapshot, of: vault) } catch { throw .store(error) }
  }

  /// What the passphrase command of git's configuration gives; nil where none is configured.
  /// - Parameter folder: a path in the repository.
  package static func repositorySecret(
    in folder: [UInt8]
  ) throws(CommandError) -> VaultSecret? {
    // Without git, or an answer from it, nothing is configured.
    guard let command = try? RepositorySettings(in: folder).passphraseCommand else { return nil }
    let secret: SecretBytes
    do { secret = try SecretSource.command(command).read(as: .passphrase) } catch {
      throw .secret(error)
    }
    do { return try VaultSecret(passphraseFile: secret, isNew: false) } catch {
      throw .store(error)
    }
  }

  /// Checks that the options name one present secret at most.
  /// - Throws: `usage`.
  package static func requireOneSecret(_ sources: SecretSources) throws(CommandError) {
    if sources.present.count > 1 {
      throw .usage(.refused("give one secret: it chooses the notes that the command is about"))
    }
  }

  /// Prepares present secrets that were read.
  package static func prepared(_ secrets: [ReadSecret]) throws(CommandError) -> [HeldSecret] {
    var prepared: [HeldSecret] = []
    for secret in secrets {
      do throws(StoreError) {
        let value =
          secret.kind == .phrase
          ? try VaultSecret(phrase: secret.bytes)
          : try VaultSecret(passphraseFile: secret.bytes, isNew: false)
        prepared.append(HeldSecret(value, origin: secret.origin))
      } catch {
        throw .store(secrets.count > 1 ? .ofSecret(origin: secret.origin, error) : error)
      }
    }
    return prepared
  }

  /// What was typed: a recovery phrase if it is one, checksum and all; else a passphrase.
  private static func typedSecret(_ typed: borrowing SecretBytes) throws(StoreError) -> VaultSecret
  {
    // What is no phrase is a passphrase; why it is none does not matter then.
    if let phrase = try? VaultSecret(phrase: typed) { return phrase }
    return try VaultSecret(passphrase: typed, isNew: false)
  }

  /// Starts to open a vault with one secret.
  package static func begin(
    _ vault: VaultFolder, _ snapshot: Snapshot, with secret: consuming VaultSecret,
    keepingMasterKeys: Bool
  ) throws(CommandError) -> Pending {
    try begin(
      vault, snapshot, with: [HeldSecret(secret)], keepingMasterKeys: keepingMasterKeys)
  }

  static func begin(
    _ vault: VaultFolder, _ snapshot: Snapshot, with secrets: [HeldSecret], keepingMasterKeys: Bool
  ) throws(CommandError) -> Pending {
    do {
      return .deriving(
        try Unlocking(
          snapshot.usableSlots, of: vault.header, with: secrets,
          unreadable: snapshot.unreadableSlots, keepingMasterKeys: keepingMasterKeys))
    } catch {
      throw .store(error)
    }
  }

  private static func showHint(_ snapshot: Snapshot, _ console: Console) {
    let hints = Set(snapshot.usableSlots.compactMap(\.head.hint))
    for hint in hints.sorted() {
      console.note("the hint that was set: \(DisplayName(hint).quoted)")
    }
  }

  /// Warns of what a reader met in the vault, and says which status follows from it.
  package static func report(_ findings: [Finding], _ console: Console) -> ExitCode {
    for finding in findings where finding.severity != .note {
      console.warn("\(DisplayName(finding.path)): \(finding.code.rawValue): \(finding.message)")
    }
    let errors = findings.filter { $0.severity == .error }
    if errors.isEmpty { return .done }
    console.hint("run 'vaulttool verify' to see all that is wrong")
    return errors.allSatisfy { $0.code == .newerVersion } ? .newerVersion : .damaged
  }
}

extension StoreError {
  /// Whether the secret was refused, so that another may be tried.
  fileprivate var isRefusal: Bool {
    switch self {
    case .secretRefused, .phraseRefused: true
    default: false
    }
  }
}
