package import VaultFormat
internal import VaultSealing

/// What a writer wants to have stated in one segment, and which sealed files go with it (spec §7.4, §9).
package struct IndexChange: Sendable {
  package private(set) var entries: [IndexEntry] = []
  package private(set) var items: [NoteID: SegmentBody.Item] = [:]
  package private(set) var plan: [CommitPlan.Item] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// A new content: supersedes every state that is current.
  /// - Parameter place: only where the place is new or changes, with its version.
  /// - Throws: `sealing` with what the format refuses.
  package mutating func state(
    _ note: NoteID, _ state: State, record: ContentRecord, over register: Register,
    place: (place: Place, version: UInt64)?, plan item: CommitPlan.Item
  ) throws(StoreError) {
    try add(
      .note(note), states: SmallList(state), over: register,
      item: SegmentBody.Item(records: SmallList(record), place: place?.place),
      placeVersion: place?.version ?? 0)
    plan.append(item)
  }

  /// A deletion: a grave over every state that is current.
  package mutating func bury(
    _ note: NoteID, under grave: Grave, over register: Register, before: Digest
  ) throws(StoreError) {
    try add(
      .note(note), states: SmallList(.grave(grave)), over: register,
      item: SegmentBody.Item(records: SmallList(), place: nil), placeVersion: 0)
    plan.append(CommitPlan.Item(noteID: note, before: before, after: nil))
  }

  /// The same for a note whose file is gone already.
  mutating func bury(
    missing id: EntryID, under grave: Grave, over register: Register
  ) throws(StoreError) {
    try add(
      id, states: SmallList(.grave(grave)), over: register,
      item: SegmentBody.Item(records: SmallList(), place: nil), placeVersion: 0)
  }

  /// A rename or another executable bit: the content is left alone.
  package mutating func move(_ note: NoteID, to place: Place, version: UInt64) throws(StoreError) {
    do {
      entries.append(
        try IndexEntry(
          id: .note(note), states: SmallList(), over: SmallList(), placeVersion: version,
          laterKeys: LaterKeys()))
    } catch {
      throw .sealing(.format(error), path: Layout.index)
    }
    items[note] = SegmentBody.Item(records: SmallList(), place: place)
  }

  /// A slot or companion that is new or has other bytes.
  package mutating func state(
    _ id: EntryID, _ state: State, over register: Register
  ) throws(StoreError) {
    try add(id, states: SmallList(state), over: register, item: nil, placeVersion: 0)
  }

  /// A slot that ends: a grave over every state that is current, and over the bytes that lie on the disk under its name,
  /// damaged ones too, so that whoever removes the files knows them.
  package mutating func bury(
    _ slot: Locator, under grave: Grave, over register: Register, onDisk: [State]
  ) throws(StoreError) {
    var over = Set(register.current.map(\.prefix))
    over.formUnion(onDisk.map(\.prefix))
    do {
      entries.append(
        try IndexEntry(
          id: .slot(slot), states: SmallList(.grave(grave)), over: SmallList(over.sorted()),
          placeVersion: 0, laterKeys: LaterKeys()))
    } catch {
      throw .sealing(.format(error), path: Layout.index)
    }
  }

  private mutating func add(
    _ id: EntryID, states: SmallList<State>, over register: Register, item: SegmentBody.Item?,
    placeVersion: UInt64
  ) throws(StoreError) {
    do {
      entries.append(
        try IndexEntry(
          id: id, states: states,
          over: SmallList(
            register.current.filter { !states.contains($0) }.map(\.prefix).sorted()),
          placeVersion: placeVersion, laterKeys: LaterKeys()))
    } catch {
      throw .sealing(.format(error), path: Layout.index)
    }
    if case .note(let note) = id { items[note] = item }
  }

  /// A note of a compartment that is handed over: its file goes with the plan, and no entry says so.
  mutating func leave(_ note: NoteID, before: Digest) {
    plan.append(CommitPlan.Item(noteID: note, before: before, after: nil))
  }

  /// Entries and plan in the order of the format.
  mutating func sort() {
    entries.sort { $0.id < $1.id }
    plan.sort { $0.noteID < $1.noteID }
  }

  /// The items of the note entries, in their order.
  var body: [SegmentBody.Item] {
    entries.compactMap { entry in
      if case .note(let note) = entry.id { items[note] } else { nil }
    }
  }
}
