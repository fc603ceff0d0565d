import VaultFormat
import VaultStore

/// Opens a vault with the present secret and derives the key of a new one, side by side where both are named.
enum SecretChange {
  /// What both secrets gave.
  struct Opened: ~Copyable {
    let opened: OpenedSlots
    let key: SlotKey
    /// The lock and the index, read meanwhile; nil where a person was asked, who may take long.
    var session: WriterSession?
  }

  /// Waits for the present secret, and has a new passphrase beside it. Nothing new is asked of a person before the present
  /// secret was found to be right.
  static func passphrase(
    _ pending: consuming VaultAccess.Pending, _ secrets: inout Secrets, _ texts: SlotTexts,
    for writing: SlotWriting
  ) throws(CommandError) -> Opened {
    let (header, console) = (writing.vault.header, writing.console)
    if secrets.newPassphrase != nil {
      let derivation = try begin(&secrets, texts, for: header, console)
      let session = try writing.open()
      let opened = try finish(pending)
      return Opened(opened: opened, key: try finish(derivation), session: session)
    }
    let opened = try finish(pending)
    return Opened(
      opened: opened, key: try finish(try begin(&secrets, texts, for: header, console)),
      session: nil)
  }

  /// Starts to derive the key of a new passphrase, once its public texts are known not to give it away.
  static func begin(
    _ secrets: inout Secrets, _ texts: SlotTexts, for vault: VaultHeader, _ console: Console
  ) throws(CommandError) -> SlotDerivation {
    let new = try NewSecrets.passphrase(.newPassphraseOptions, from: &secrets, console)
    try texts.check(against: new, secrets.held, console)
    for present in secrets.held where present.value.isEqual(to: new) {
      console.warn(
        "the new passphrase is the present one: old copies of the vault open with it too")
      break
    }
    return try derive(new, for: vault)
  }

  static func derive(
    _ secret: consuming VaultSecret, for vault: VaultHeader
  ) throws(CommandError) -> SlotDerivation {
    do { return try SlotDerivation(of: secret, for: vault, costs: .standard) } catch {
      throw .store(error)
    }
  }

  static func finish(_ pending: consuming VaultAccess.Pending) throws(CommandError) -> OpenedSlots {
    do { return try pending.finish() } catch { throw .store(error) }
  }

  static func finish(_ derivation: consuming SlotDerivation) throws(CommandError) -> SlotKey {
    do { return try derivation.finish() } catch { throw .store(error) }
  }
}
