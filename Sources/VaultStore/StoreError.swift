package import VaultCrypto
package import VaultFormat
package import VaultSealing

/// Why the store could not do what it was asked for, as facts; a command adds what to do next.
package enum StoreError: Error, Equatable {
  /// The system refused a call on this path.
  case system(SystemError, path: [UInt8])
  /// A file of the vault breaks the format. Paths are relative to the vault.
  case damaged(path: [UInt8], FormatError)
  /// A file of the vault could not be opened with its key.
  case sealing(SealingError, path: [UInt8])
  /// libcrypto failed, or memory for a secret could not be had.
  case crypto(CryptoError)
  /// There is no vault at this path.
  case notAVault(path: [UInt8])
  /// A directory for a new vault holds something.
  case notEmpty(path: [UInt8])
  /// Another process writes to the vault.
  case busy
  /// The secret opens none of the vault's slots; `notTried` were passed over.
  case secretRefused(notTried: Int)
  /// The same of a recovery phrase: its checksum holds, so it was not mistyped.
  case phraseRefused(notTried: Int)
  /// What is wrong with one of several secrets, and where that came from, for people.
  indirect case ofSecret(origin: String, StoreError)
  /// The secret opens none of the slots that can be read, and these cannot.
  case slotsUnreadable([Finding])
  /// Not one slot can be read, so that no secret opens anything; why not, as far as files are there.
  case noReadableSlot([Finding])
  /// Every slot names another vault than `VAULT` does: `VAULT` was changed, or the slots belong elsewhere.
  case slotsOfAnotherVault
  /// The typed passphrase or phrase cannot be one.
  case passphraseUnusable(PassphraseError)
  case phraseUnusable(PhraseError)
  /// The vault's index has findings that a writer must not build on.
  case indexNotSound([Finding])
  /// Notes would be removed or replaced and nobody said yes.
  case needsConfirmation(removed: Int, replaced: Int)
  /// So much of a vault's structure would be repaired and nobody said yes.
  case repairNeedsConfirmation(actionCount: Int)
  /// The vault changed while a run was under way; nothing was committed.
  case changedMeanwhile
  /// A note is not what the index lists.
  case noteNotAsListed(path: [UInt8], Finding.Code)
  /// A requested path is not in the vault; `near` is one that looks the same.
  case noSuchNote(path: [UInt8], near: [UInt8]?)
  /// A note was asked for and a folder has the path.
  case isAFolder(path: [UInt8])
  /// The target is the vault, or lies in it.
  case targetInVault
  /// Something is in the way at this path of the target.
  case exists(path: [UInt8])
  /// The source is, or holds, or lies in the vault.
  case sourceOverlapsVault
  /// The compartment has no slot of this name, or it is another's.
  case noSuchSlot(Locator)
  /// No slot would be left that opens the compartment.
  case lastSlot
  /// The vault would have more slots than the format allows.
  case tooManySlots
  /// A new slot that was just written could not be opened again; nothing was committed.
  case slotNotProved(path: [UInt8])
  /// A signal asked the run to end.
  case interrupted
}
