internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// T of a secret that a new slot is made for (spec §5.2).
package final class SlotKey: Sendable {
  package let purpose: SlotPurpose
  package let iterations: UInt32
  let derived: SecretBytes

  init(_ derived: consuming SecretBytes, purpose: SlotPurpose, iterations: UInt32) {
    self.purpose = purpose
    self.iterations = iterations
    self.derived = derived
  }
}

/// Derives T of a new secret in a thread of its own, so that old and new secret derive side by side.
package struct SlotDerivation: ~Copyable {
  private let task: BackgroundTask<SlotKey, StoreError>

  /// Starts the derivation for a slot of an existing vault.
  /// - Throws: `system` when the system gives no thread.
  package init(
    of secret: consuming VaultSecret, for vault: VaultHeader, costs: VaultCreation.Costs
  ) throws(StoreError) {
    try self.init(of: secret, vaultID: vault.vaultID, vaultSalt: vault.vaultSalt, costs: costs)
  }

  /// The same for a secret that others hold too.
  package init(
    of secret: HeldSecret, for vault: VaultHeader, costs: VaultCreation.Costs
  ) throws(StoreError) {
    try self.init(holding: secret, vaultID: vault.vaultID, vaultSalt: vault.vaultSalt, costs: costs)
  }

  /// The same where the vault's header is still to be made.
  init(
    of secret: consuming VaultSecret, vaultID: VaultID, vaultSalt: Salt, costs: VaultCreation.Costs
  ) throws(StoreError) {
    try self.init(
      holding: HeldSecret(secret), vaultID: vaultID, vaultSalt: vaultSalt, costs: costs)
  }

  private init(
    holding held: HeldSecret, vaultID: VaultID, vaultSalt: Salt, costs: VaultCreation.Costs
  ) throws(StoreError) {
    let purpose = held.value.purpose
    let iterations = costs.iterations(for: purpose)
    do throws(SystemError) {
      task = try BackgroundTask { () throws(StoreError) -> SlotKey in
        do throws(SealingError) {
          let derived = try SlotSecret.derive(
            prepared: held.value.prepared, purpose: purpose, iterations: iterations,
            vaultID: vaultID, vaultSalt: vaultSalt)
          return SlotKey(derived, purpose: purpose, iterations: iterations)
        } catch {
          throw .sealing(error, path: [])
        }
      }
    } catch {
      throw .system(error, path: [])
    }
  }

  /// Waits for T.
  /// - Throws: `sealing` where the library failed.
  package consuming func finish() throws(StoreError) -> SlotKey { try task.wait() }
}
