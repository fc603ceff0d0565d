internal import VaultFormat
internal import VaultSealing
package import VaultStore

extension StoreError {
  /// How the run ends.
  package var exitCode: ExitCode {
    switch self {
    case .system, .crypto, .notAVault, .notEmpty, .needsConfirmation, .repairNeedsConfirmation,
      .changedMeanwhile, .noSuchNote, .isAFolder, .targetInVault, .exists, .sourceOverlapsVault,
      .noSuchSlot, .lastSlot, .tooManySlots, .slotNotProved:
      .failed
    case .damaged(_, let error): error.isNewer ? .newerVersion : .damaged
    case .sealing(let error, _):
      if case .crypto = error { .failed } else { .damaged }
    case .busy: .busy
    case .secretRefused, .phraseRefused, .passphraseUnusable, .phraseUnusable: .secretRefused
    case .ofSecret(_, let error): error.exitCode
    case .noReadableSlot(let findings):
      !findings.isEmpty && findings.allSatisfy { $0.code == .newerVersion }
        ? .newerVersion : .damaged
    case .indexNotSound, .noteNotAsListed, .slotsOfAnotherVault, .slotsUnreadable: .damaged
    case .interrupted: .interrupted(signal: Interruption.signal ?? 2)
    }
  }

  /// What happened and where, without a full stop.
  package var text: String {
    switch self {
    case .system(let error, let path):
      path.isEmpty ? "\(error)" : "\(DisplayName(path)): \(error)"
    case .damaged(let path, let error): "\(DisplayName(path)): \(error)"
    case .sealing(let error, let path):
      path.isEmpty ? "\(error)" : "\(DisplayName(path)): \(error)"
    case .crypto(let error): "\(error)"
    case .notAVault(let path):
      "there is no vault at \(DisplayName(path)): no such folder, or no file VAULT in it"
    case .notEmpty(let path): "\(DisplayName(path)) is not empty"
    case .busy: "another process writes to the vault"
    case .secretRefused(let notTried):
      notTried == 0
        ? "the secret does not open this vault"
        : "the secret does not open this vault; \(notTried) costly slots were not tried"
    case .phraseRefused(let notTried):
      "a sound phrase, but not this vault's"
        + (notTried == 0 ? "" : "; \(notTried) costly slots were not tried")
    case .ofSecret(let origin, let error): "the secret from \(origin): \(error.text)"
    case .slotsUnreadable(let findings):
      "the secret opens no slot that can be read, and some cannot: "
        + (findings.first.map { "\(DisplayName($0.path)): \($0.message)" } ?? "")
    case .noReadableSlot(let findings):
      "no key slot can be read, and without one no passphrase or phrase gives a key: "
        + (findings.first.map { "\(DisplayName($0.path)): \($0.message)" } ?? "")
    case .slotsOfAnotherVault: "VAULT and the vault's slots name different vaults"
    case .passphraseUnusable(let error): "the passphrase cannot be used: \(error)"
    case .phraseUnusable(let error): "the recovery phrase cannot be used: \(error)"
    case .indexNotSound(let findings):
      "the vault's index is not sound: "
        + (findings.first.map { "\($0.code.rawValue), \($0.message)" } ?? "")
    case .needsConfirmation(let removed, let replaced):
      "\(removed) notes would be removed and \(replaced) replaced, and nobody said yes"
    case .repairNeedsConfirmation(let count):
      count == 1
        ? "one thing would be repaired, and nobody said yes"
        : "\(count) things would be repaired, and nobody said yes"
    case .changedMeanwhile: "the vault was changed by something else meanwhile; nothing was written"
    case .noteNotAsListed(let path, let code):
      "\(DisplayName(path)) is not what the index lists (\(code.rawValue))"
    case .noSuchNote(let path, _): "no note at \(DisplayName(path).quoted)"
    case .isAFolder(let path): "\(DisplayName(path).quoted) is a folder"
    case .targetInVault: "the target lies in the vault, or is the vault"
    case .exists(let path): "\(DisplayName(path)) exists"
    case .sourceOverlapsVault: "the source lies in the vault, or is the vault"
    case .noSuchSlot(let locator): "the compartment has no slot \(locator.hex)"
    case .lastSlot: "no slot would be left that opens the compartment"
    case .tooManySlots: "the vault would have more slots than the format allows (64)"
    case .slotNotProved(let path):
      "\(DisplayName(path)): the new slot could not be opened again after writing it; nothing was changed"
    case .interrupted: "interrupted"
    }
  }

  /// What to do next, where there is something better than reading the message.
  package var hint: String? {
    switch self {
    case .system(let error, _): error.hint
    case .damaged(_, let error):
      error.isNewer
        ? "install a newer vaulttool; this one reads version 1"
        : "run 'vaulttool verify' to see all that is wrong; restore the file from a copy or from git"
    case .sealing: "run 'vaulttool verify --unlock' to see all that is wrong"
    case .crypto: nil
    case .notAVault:
      "name the directory that holds the file VAULT; if VAULT alone is missing, 'vaulttool verify --repair' rebuilds it"
    case .notEmpty: "name a directory that does not exist yet, or an empty one"
    case .busy: "wait until it has ended and run the command again"
    case .secretRefused: "check the spelling, the keyboard layout and that this is the right vault"
    case .phraseRefused:
      "it is another vault's, or was replaced by a newer one: check that this is the right vault and "
        + "the newest paper"
    case .ofSecret(_, let error): error.hint
    case .slotsUnreadable:
      "restore index/ and spare/ from a copy or from git; 'vaulttool verify' names every damaged slot"
    case .noReadableSlot:
      "put any slot file of this vault, of index/ or spare/, back from a copy or from git: one of any age whose secret is known is enough"
    case .slotsOfAnotherVault:
      "one of them was changed or comes from another vault: restore VAULT, or the slots, from a copy or from git"
    case .passphraseUnusable, .phraseUnusable: nil
    case .indexNotSound(let findings):
      findings.contains { [.noteConflict, .segmentMissing].contains($0.code) }
        ? "run 'vaulttool git reconcile'; 'vaulttool verify' shows all that is wrong"
        : "run 'vaulttool verify' to see all that is wrong, and settle that first"
    case .needsConfirmation: "look at it with '--dry-run --verbose', then run it with '--yes'"
    case .repairNeedsConfirmation: "look at it with '--dry-run', then run it with '--yes'"
    case .changedMeanwhile: "run the command again"
    case .noteNotAsListed: "run 'vaulttool verify'; restore the file from a copy or from git"
    case .noSuchNote(_, let near):
      near.map { "did you mean \(DisplayName($0).quoted)?" } ?? "'vaulttool ls' shows all paths"
    case .isAFolder: "name a file or link; 'vaulttool ls' shows what is in the folder"
    case .targetInVault: "name a target outside the vault: it must not hold plain notes"
    case .exists: "use '--overwrite' to replace it or '--skip-existing' to leave it"
    case .sourceOverlapsVault: "name a source outside the vault"
    case .noSuchSlot: "'vaulttool slot list' shows the slots"
    case .lastSlot: "add another slot first"
    case .tooManySlots: "remove a slot that nobody needs any more"
    case .slotNotProved: "check the disk, and run the command again"
    case .interrupted: nil
    }
  }
}

extension FormatError {
  /// Whether a newer version of the tool is what is missing.
  var isNewer: Bool {
    switch self {
    case .newerVersion, .newerSuite, .newerFeature: true
    default: false
    }
  }
}

extension SystemError {
  var hint: String? {
    switch code {
    case .noSpace, .quota: "the disk is full; make room and run the command again"
    case .accessDenied, .notPermitted: "check the permissions"
    case .readOnly: "the file system is read-only"
    case .tooManyOpenFiles: "raise the limit of open files ('ulimit -n')"
    default: nil
    }
  }
}
