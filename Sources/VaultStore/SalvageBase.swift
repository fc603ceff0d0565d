internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// What a salvage stands on: the slots, and what is left of `VAULT` and the index (spec §12.2).
package struct SalvageBase: Sendable {
  package let vault: VaultFolder
  package let snapshot: Snapshot
  /// About `VAULT`, `index/` and `spare/`, for a warning.
  package let findings: [Finding]

  /// Reads `VAULT`, the slots and the segments. Where `VAULT` is lost or names another vault than the slots, the slots
  /// say which vault this is.
  /// - Throws: `notAVault`, `noReadableSlot`, `changedMeanwhile`, `crypto`, `system` for the vault's folder itself.
  package static func load(path: [UInt8], bounds: KDFBounds) throws(StoreError) -> SalvageBase {
    let base = try VerifyBase.load(path: path, bounds: bounds)
    guard let vault = base.vault else {
      throw .noReadableSlot(try unreadableSlots(of: base))
    }
    if base.snapshot.usableSlots.contains(where: { $0.head.isOf(vault.header) }) {
      return SalvageBase(vault: vault, snapshot: base.snapshot, findings: base.findings)
    }
    guard
      let header = VerifyVaultFile.repeated(bySlotsIn: base.root.folder, bounds: bounds)
    else {
      throw .noReadableSlot(base.snapshot.unreadableSlots)
    }
    let other = try folder(base.root, path, header)
    return SalvageBase(
      vault: other, snapshot: try Snapshot.load(other, bounds: bounds), findings: base.findings)
  }

  /// Why no slot could be read, where not even `VAULT` can.
  private static func unreadableSlots(of base: VerifyBase) throws(StoreError) -> [Finding] {
    let found = base.snapshot.unreadableSlots
    return base.snapshot.slots.isEmpty || found.isEmpty ? base.findings + found : found
  }

  private static func folder(
    _ root: SharedFolder, _ path: [UInt8], _ header: VaultHeader
  ) throws(StoreError) -> VaultFolder {
    do {
      return VaultFolder(
        root: try root.folder.reopened(), path: path, header: header,
        headerDigest: Digest(try SHA256.digest(header.encoded().span)))
    } catch let error as SystemError {
      throw .system(error, path: path)
    } catch {
      throw .crypto(error as? CryptoError ?? .authenticationFailed)
    }
  }
}

extension KeySlotHead {
  /// Whether the slot belongs to the vault that a header names.
  fileprivate func isOf(_ header: VaultHeader) -> Bool {
    vaultID == header.vaultID && vaultSalt == header.vaultSalt
  }
}
