import VaultFormat
import VaultStore

/// A new passphrase in place of an old one: what `rewrap` and `recover` share.
struct PassphraseReplacement {
  let writing: SlotWriting
  let result: SlotWriting.Result

  /// Opens the vault, sets the new passphrase, and says so.
  /// - Parameters:
  ///   - several: what to do where several slots could be meant and `--slot` names none.
  ///   - begin: starts to open the vault with the present secret.
  /// - Throws: before anything is written where a secret is refused.
  init(
    at path: [UInt8], _ arguments: ArgumentReader, _ console: Console,
    several: SlotReplacement.Several,
    opening begin: (KeylessVault, inout Secrets) throws(CommandError) -> VaultAccess.Pending
  ) throws(CommandError) {
    let texts = try SlotTexts(arguments)
    let keyless = try KeylessVault(at: path, arguments, reading: .slots)
    var secrets = try keyless.readSecrets()
    let pending = try begin(keyless, &secrets)
    writing = SlotWriting(vault: keyless.folder, console: console)
    var change = try SecretChange.passphrase(pending, &secrets, texts, for: writing)
    let session = change.session.take()
    let opened = change.opened
    result = try writing.replace(
      { listing, opened throws(CommandError) in
        try SlotReplacement(
          of: .passphrase, opened, listing, named: arguments.value(of: SlotReplacement.slot),
          several: several)
      }, with: change.key, texts, openedBy: opened, in: session)
    console.note("the vault now opens with the new passphrase")
    writing.sayWhichHintWent(result.ended, texts)
    if result.isUnlisted { writing.sayThatTheIndexIsLost() }
  }
}
