package import VaultFormat
internal import VaultSealing

/// What one segment says about one note.
package struct NoteHistoryStep: Sendable {
  /// A state with what belongs to it; nothing for a grave.
  package struct Stated: Sendable {
    package let state: State
    package let record: ContentRecord?
  }

  package let note: NoteID
  package let compartment: CompartmentID
  package let stated: [Stated]
  package let over: [StatePrefix]
  /// 0 where it says nothing about the place.
  package let placeVersion: UInt64
  package let place: Place?
}

/// Reads segments of a vault's history, one after the other, for what they say about some notes.
package struct NoteHistoryReader: ~Copyable {
  /// Which notes are asked for.
  package enum Wanted: Sendable {
    case notes(Set<NoteID>)
    /// Those that the segment places at this path.
    case path([UInt8])
  }

  /// Why a segment says nothing.
  package enum Silence: Error, Equatable {
    /// It is no valid segment of the vault under this name.
    case unusable
    /// No secret opens its compartment.
    case locked
  }

  private let vaultID: VaultID
  private let secrets: [CompartmentID: CompartmentSecret]
  private var decompressor: ZstdDecompressor

  /// - Parameter opened: with the keys of past compartments.
  package init(_ opened: OpenedSlots, of vault: VaultHeader) throws(StoreError) {
    let decompressor: ZstdDecompressor
    do { decompressor = try ZstdDecompressor() } catch { throw .sealing(.zstd(error), path: []) }
    self.decompressor = decompressor
    vaultID = vault.vaultID
    secrets = opened.secrets
  }

  /// What a segment says, in the order of note ids.
  package mutating func steps(
    in bytes: Span<UInt8>, named id: SegmentID, about wanted: Wanted
  ) throws(Silence) -> [NoteHistoryStep] {
    guard let segment = try? SegmentOpening.verify(bytes, vaultID: vaultID), segment.id == id
    else { throw .unusable }
    let compartment = segment.file.head.compartment
    guard let secret = secrets[compartment] else { throw .locked }
    // A segment that does not name the notes needs not be opened.
    if case .notes(let ids) = wanted, !Self.names(segment.lists.entries, ids) { return [] }
    guard
      let body = try? SegmentOpening.openBox(
        of: segment, bytes, keys: secret.keys, expandingWith: &decompressor)
    else { throw .unusable }
    var steps: [NoteHistoryStep] = []
    var items = body.items.makeIterator()
    for entry in segment.lists.entries {
      guard case .note(let note) = entry.id, let item = items.next() else { continue }
      let isWanted =
        switch wanted {
        case .notes(let ids): ids.contains(note)
        case .path(let path): item.place?.path == path
        }
      if isWanted { steps.append(Self.step(note, compartment, entry, item)) }
    }
    return steps
  }

  /// A compartment for reading its notes' files, also where the present state does not have it.
  package func compartment(_ id: CompartmentID) throws(StoreError) -> UnlockedCompartment? {
    guard let secret = secrets[id] else { return nil }
    let index = CompartmentIndex(compartment: id, signer: secret.keys.signer, segments: [])
    let table = try NoteTable(index, keys: secret.keys) { _ in nil }
    return UnlockedCompartment(secret: secret, index: index, table: table)
  }

  private static func names(_ entries: [IndexEntry], _ notes: Set<NoteID>) -> Bool {
    for entry in entries {
      if case .note(let note) = entry.id, notes.contains(note) { return true }
    }
    return false
  }

  private static func step(
    _ note: NoteID, _ compartment: CompartmentID, _ entry: IndexEntry, _ item: SegmentBody.Item
  ) -> NoteHistoryStep {
    var records = item.records.makeIterator()
    return NoteHistoryStep(
      note: note, compartment: compartment,
      stated: entry.states.map { state in
        .init(state: state, record: state.isFile ? records.next() : nil)
      }, over: Array(entry.over), placeVersion: entry.placeVersion, place: item.place)
  }
}
