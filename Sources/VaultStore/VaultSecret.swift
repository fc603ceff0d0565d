package import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// A prepared passphrase or phrase (spec §5.6, §5.7).
package struct VaultSecret: ~Copyable, Sendable {
  package let purpose: SlotPurpose
  package let prepared: SecretBytes

  /// Prepares what was typed, or what a file held without its last line end.
  /// - Parameter isNew: whether a slot is made for it, which refuses what may not be stable.
  /// - Throws: `passphraseUnusable`.
  package init(passphrase raw: borrowing SecretBytes, isNew: Bool) throws(StoreError) {
    do {
      prepared = try PassphrasePreparation.prepare(raw, for: isNew ? .setting : .opening)
    } catch {
      throw .passphraseUnusable(error)
    }
    purpose = .passphrase
  }

  /// Normalises a recovery phrase and checks its checksum.
  /// - Throws: `phraseUnusable`.
  package init(phrase raw: borrowing SecretBytes) throws(StoreError) {
    do { prepared = try RecoveryPhrase.normalise(raw) } catch { throw .phraseUnusable(error) }
    purpose = .phrase
  }
}

extension VaultSecret {
  /// Whether both open the same slots.
  package borrowing func isEqual(to other: borrowing VaultSecret) -> Bool {
    guard purpose == other.purpose else { return false }
    return prepared.withBytes { own in
      other.prepared.withBytes { own.count == $0.count && ConstantTime.areEqual(own, $0) }
    }
  }
}

extension VaultSecret {
  /// Prepares a passphrase from a file, pipe or command: one final line end goes.
  /// - Throws: `passphraseUnusable`.
  package init(passphraseFile content: borrowing SecretBytes, isNew: Bool) throws(StoreError) {
    let raw: SecretBytes
    do { raw = try PassphraseInput.fromFile(content) } catch { throw .passphraseUnusable(error) }
    try self.init(passphrase: raw, isNew: isNew)
  }
}

/// A secret that several may hold: a closure that runs in another thread, or a list.
package final class HeldSecret: Sendable {
  package let value: VaultSecret
  /// Where it came from, for people; nil for the only one.
  package let origin: String?

  package init(_ value: consuming VaultSecret, origin: String? = nil) {
    self.value = value
    self.origin = origin
  }
}
