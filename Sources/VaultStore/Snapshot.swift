package import VaultFormat

/// One slot file as it lies in `index/` or `spare/`.
package struct SlotFile: Sendable {
  package let locator: Locator
  package let isSpare: Bool
  /// Nil where the file does not parse; then there is a finding.
  package let slot: KeySlot?
  /// SHA-256 and byte count of the file.
  package let state: State
}

/// What anyone can read of a vault's index at one moment: its slots, its valid segments folded into one index for each
/// compartment, and findings about the rest (spec §7.2).
package struct Snapshot: Sendable {
  package let slots: [SlotFile]
  package internal(set) var compartments: [CompartmentID: CompartmentIndex]
  /// Compartments that were handed over to one of `compartments`.
  package let handOvers: HandOvers
  /// Segment files of compartments that were handed over whole; they can go.
  package let handedOverSegments: [SegmentID]
  /// All names in `index/` when it was listed; a writer lists again before it commits.
  package let indexNames: [[UInt8]]
  /// What is wrong with files of `index/` and `spare/`, each by itself.
  package let findings: [Finding]
  /// Segment files in `index/`, valid or not.
  package let segmentCount: Int
  /// Files of `index/` and `spare/` that were read, and their bytes.
  package let readFileCount: Int
  package let readByteCount: UInt64

  /// Reads everything; starts again when a file vanishes meanwhile, at most 8 times.
  /// - Throws: `system` when `index/` cannot be listed, `changedMeanwhile`, `crypto`.
  package static func load(
    _ vault: VaultFolder, bounds: KDFBounds
  ) throws(StoreError) -> Snapshot {
    try load(vault, bounds: bounds, reading: .all)
  }

  /// Reads the slots and says nothing of compartments, so that a derivation can start before the index is read. Only
  /// where there are more slots than the format allows it reads all, to know which come first.
  /// - Throws: as `load`.
  package static func loadSlots(
    _ vault: VaultFolder, bounds: KDFBounds
  ) throws(StoreError) -> Snapshot {
    try load(vault, bounds: bounds, reading: .slots)
  }

  /// How much of a vault is read.
  enum Reading {
    case all
    /// All is checked, but of the notes nothing is kept.
    case slotsAndGraph
    /// No segment, while all slots can be read without knowing what segments list.
    case slots
  }

  static func load(
    _ vault: VaultFolder, bounds: KDFBounds, reading: Reading
  ) throws(StoreError) -> Snapshot {
    for _ in 0..<8 {
      var loader = SnapshotLoader(vault: vault, bounds: bounds, reading: reading)
      do {
        return try loader.load()
      } catch {
        guard case .system(let cause, _) = error, cause.code == .notFound else { throw error }
      }
    }
    throw .changedMeanwhile
  }

  /// Why slots could not be tried: neither copy of one can be read, or there are none, or too many.
  package var unreadableSlots: [Finding] {
    let readable = Set(slots.filter { $0.slot != nil }.map { Layout.slot($0.locator) })
    let found = findings.filter { finding in
      guard finding.severity == .error else { return false }
      let name = finding.path.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
      return finding.code == .tooMany
        || name.suffix(5).elementsEqual(".slot".utf8) && !readable.contains(name)
    }
    if found.isEmpty, slots.isEmpty {
      return [Finding(.slotMissing, Layout.index, "there is no slot in index/ or spare/")]
    }
    return found
  }

  /// The compartment that lists the companions: the first one, or what took over from it (spec §7.5).
  package func companionCompartment(of vault: VaultHeader) -> CompartmentID {
    handOvers.successor(of: vault.firstCompartment)
  }

  /// The valid slots, those of `index/` before their spares, and in each those that are listed as current first.
  package var usableSlots: [KeySlot] { slots.compactMap(\.slot) }
}
