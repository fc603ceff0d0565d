internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// What is asked of a new slot: whose secret opens it, and what anyone can read in it.
package struct SlotRequest: Sendable {
  package let key: SlotKey
  package let label: String?
  package let hint: String?

  package init(_ key: SlotKey, label: String?, hint: String?) {
    self.key = key
    self.label = label
    self.hint = hint
  }
}

/// A slot that was made and is not on the disk yet.
struct NewSlot: Sendable {
  let slot: KeySlot
  let bytes: [UInt8]
  let state: State
  private let masterKey: MasterKey
  private let key: SlotKey
  private let bounds: KDFBounds

  var name: [UInt8] { Layout.slot(slot.head.locator) }

  /// Wraps the compartment's master key, which the secret must have kept.
  /// - Throws: `sealing`.
  init(
    _ request: SlotRequest, for secret: CompartmentSecret, in vault: VaultHeader, bounds: KDFBounds
  ) throws(StoreError) {
    guard let masterKey = secret.masterKey else {
      preconditionFailure("a slot is made only with a master key that was kept")
    }
    do throws(SealingError) {
      let fresh = try Fresh()
      let terms = SlotTerms(
        purpose: request.key.purpose, iterations: request.key.iterations, slotSalt: fresh.salt,
        label: request.label, hint: request.hint)
      let slot = try SlotSealing.wrap(
        masterKey: masterKey.bytes, derived: request.key.derived, vault: vault, terms: terms,
        nonce: fresh.nonce, bounds: bounds)
      let bytes = slot.encoded()
      state = try Self.state(of: bytes)
      self.slot = slot
      self.bytes = bytes
    } catch {
      throw .sealing(error, path: Layout.index)
    }
    self.masterKey = masterKey
    self.key = request.key
    self.bounds = bounds
  }

  private static func state(of bytes: [UInt8]) throws(SealingError) -> State {
    do {
      return .file(Digest(try SHA256.digest(bytes.span)), byteCount: UInt64(bytes.count))
    } catch {
      throw .crypto(error)
    }
  }

  /// Whether a file holds this slot, and the new secret opens it and gives the same master key.
  /// - Throws: `sealing`.
  func isProved(by file: [UInt8]) throws(StoreError) -> Bool {
    guard file == bytes else { return false }
    do throws(SealingError) {
      return try SlotSealing.opens(
        file, masterKey: masterKey.bytes, derived: key.derived, bounds: bounds)
    } catch {
      throw .sealing(error, path: Layout.index)
    }
  }
}
