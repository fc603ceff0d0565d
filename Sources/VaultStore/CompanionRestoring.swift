internal import VaultFormat

/// The files that tell git about a vault, as `git setup` needs them. They are companions: the index says what they are.
package enum CompanionRestoring {
  /// How one of them was found.
  package enum Found: Equatable, Sendable {
    case asListed
    /// It was not there, and what this version writes is what the index lists.
    case restorable
    /// It is not there, or is another, and only a repair or its owner knows what it should be.
    case needsRepair
  }

  /// `.gitattributes` and `.gitignore`.
  package static let paths = [".gitattributes", ".gitignore"].map(Layout.bytes)

  /// Compares one of `paths` with the index.
  /// - Throws: `system`, `crypto`.
  package static func find(
    _ path: [UInt8], in vault: VaultFolder, _ snapshot: Snapshot
  ) throws(StoreError) -> Found {
    let compartment = snapshot.companionCompartment(of: vault.header)
    let listed = snapshot.compartments[compartment]?.companions[path]?.onlyCurrent
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes =
        try vault.root.status(of: path) == nil
        ? nil : try vault.root.readWhole(path, limit: Limits.companionFileByteCount)
    } catch {
      guard error.code == nil else { throw .system(error, path: path) }
      return .needsRepair
    }
    if let bytes {
      return try RepairFileReader.state(of: bytes) == listed ? .asListed : .needsRepair
    }
    return try RepairFileReader.state(of: content(of: path)) == listed ? .restorable : .needsRepair
  }

  /// Writes one that is not there.
  /// - Throws: `system`.
  package static func restore(_ path: [UInt8], in vault: VaultFolder) throws(StoreError) {
    do {
      try AtomicWrite.save(
        content(of: path).span, as: path, in: vault.root, mode: 0o666,
        temporaryName: path + Layout.bytes(".part"), replacing: .forbidden)
    } catch {
      throw .system(error, path: path)
    }
  }

  private static func content(of path: [UInt8]) -> [UInt8] {
    CompanionFiles.all.first { $0.path == path }?.bytes ?? []
  }
}
