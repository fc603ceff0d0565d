package import VaultFormat

/// One thing that a repair does. Paths are relative to the vault.
package enum RepairAction: Hashable, Sendable {
  /// `VAULT` is written as the slots repeat it.
  case rebuildHeader(VaultHeader, HeaderProof, isReplacing: Bool)
  /// A file gets the name that its own bytes ask for; what it replaces is a damaged or older form of it.
  case moveIntoPlace(from: [UInt8], to: [UInt8], RepairFile, isReplacing: Bool)
  /// A file that equals the proper one goes.
  case removeCopy([UInt8], of: [UInt8])
  /// A folder of copies that all went is removed.
  case removeFolder([UInt8])
  /// A segment goes that a valid one replaces.
  case removeSegment(SegmentID)
  /// One copy of a slot is written again from the other.
  case restoreSlot([UInt8], from: [UInt8], State, isReplacing: Bool)
  /// A plain file that vaulttool writes is written again.
  case restoreCompanion([UInt8], isReplacing: Bool)
  /// A committed run is completed.
  case completeRun([UInt8])
  /// What a run left that did not commit is removed.
  case removeLeftover([UInt8])
  /// A segment that is missing is excused.
  case excuseSegment(SegmentID, CompartmentID)
  /// A note that no segment lists is listed, as its header says.
  case listNote(NoteID, CompartmentID, path: [UInt8], State)
  /// A slot is listed in a new index; `isOpened` is whether the secret opens it.
  case listSlot(Locator, CompartmentID, State, isOpened: Bool)
  /// A companion is listed in a new index; `isOurs` is whether it has the bytes that vaulttool writes.
  case listCompanion([UInt8], CompartmentID, State, isOurs: Bool)

  /// What says that `VAULT` was so.
  package enum HeaderProof: Hashable, Sendable {
    /// The segments name exactly these bytes.
    case segments
    /// There is no segment; the secret opens a slot, and with it goes what the slot repeats.
    case openedSlot
  }

  /// What is done, as JSON and texts name it.
  package enum Kind: String, Sendable, CaseIterable {
    case rebuildHeader = "rebuild-header"
    case moveIntoPlace = "move"
    case removeCopy = "remove-copy"
    case removeFolder = "remove-folder"
    case removeSegment = "remove-segment"
    case restoreSlot = "restore-slot"
    case restoreCompanion = "restore-companion"
    case completeRun = "complete-run"
    case removeLeftover = "remove-leftover"
    case excuseSegment = "excuse-segment"
    case listNote = "list-note"
    case listSlot = "list-slot"
    case listCompanion = "list-companion"
  }

  package var kind: Kind {
    switch self {
    case .rebuildHeader: .rebuildHeader
    case .moveIntoPlace: .moveIntoPlace
    case .removeCopy: .removeCopy
    case .removeFolder: .removeFolder
    case .removeSegment: .removeSegment
    case .restoreSlot: .restoreSlot
    case .restoreCompanion: .restoreCompanion
    case .completeRun: .completeRun
    case .removeLeftover: .removeLeftover
    case .excuseSegment: .excuseSegment
    case .listNote: .listNote
    case .listSlot: .listSlot
    case .listCompanion: .listCompanion
    }
  }

  /// The file or folder that is written, removed or listed.
  package var path: [UInt8] {
    switch self {
    case .rebuildHeader: Layout.header
    case .moveIntoPlace(_, let path, _, _), .removeCopy(let path, _), .removeFolder(let path),
      .restoreSlot(let path, _, _, _), .restoreCompanion(let path, _),
      .listCompanion(let path, _, _, _):
      path
    case .removeSegment(let id), .excuseSegment(let id, _):
      Layout.path(Layout.index, Layout.segment(id))
    case .completeRun(let name), .removeLeftover(let name): Layout.path(Layout.staging, name)
    case .listNote(let id, _, _, _): Layout.notePath(id)
    case .listSlot(let locator, _, _, _): Layout.path(Layout.index, Layout.slot(locator))
    }
  }

  /// Where the bytes come from, or the file that the removed one equals.
  package var from: [UInt8]? {
    switch self {
    case .moveIntoPlace(let path, _, _, _), .removeCopy(_, let path),
      .restoreSlot(_, let path, _, _):
      path
    default: nil
    }
  }

  /// The path of the note that is listed, as its header gives it.
  package var note: [UInt8]? {
    if case .listNote(_, _, let path, _) = self { path } else { nil }
  }

  /// The compartment that gets a segment by this.
  var compartment: CompartmentID? {
    switch self {
    case .excuseSegment(_, let id), .listNote(_, let id, _, _), .listSlot(_, let id, _, _),
      .listCompanion(_, let id, _, _):
      id
    default: nil
    }
  }

  /// Whether it has to be done before the vault can be locked.
  var isAboutHeader: Bool { path == Layout.header }
}

extension RepairAction {
  /// Why it is done, in a few words without a full stop.
  package var reason: String {
    switch self {
    case .rebuildHeader(_, let proof, let isReplacing):
      "VAULT is \(isReplacing ? "damaged" : "missing"); the slots repeat it, and "
        + (proof == .segments ? "the segments name these bytes" : "the secret opens one")
    case .moveIntoPlace(_, _, _, let isReplacing):
      isReplacing
        ? "its bytes belong there; what is there is a damaged or older form of them"
        : "its bytes belong there, and nothing is there"
    case .removeCopy: "it is a copy of the proper file, byte for byte"
    case .removeFolder: "nothing is left in it"
    case .removeSegment: "another segment replaces it"
    case .restoreSlot(_, _, _, let isReplacing):
      "this copy of the slot is \(isReplacing ? "damaged" : "missing"); the other is as listed"
    case .restoreCompanion(_, let isReplacing):
      "it is \(isReplacing ? "changed" : "missing"), and this version writes exactly the bytes that are listed"
    case .completeRun: "the run stopped after its commit"
    case .removeLeftover: "the run stopped before its commit"
    case .excuseSegment: "the segment is not there; what only it said stays unknown"
    case .listNote: "it is authentic, and no segment lists it"
    case .listSlot(_, _, _, let isOpened):
      isOpened
        ? "the secret opens it, and no segment lists it"
        : "no segment lists it; whether it opens cannot be told with this secret"
    case .listCompanion(_, _, _, let isOurs):
      isOurs
        ? "no segment lists it; its bytes are those that this version writes"
        : "no segment lists it; its bytes are not those that this version writes: read it first"
    }
  }
}
