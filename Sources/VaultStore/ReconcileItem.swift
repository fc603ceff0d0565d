package import VaultFormat

/// One thing on which index and disk do not agree, and what would settle it (spec §7.6).
package struct ReconcileItem: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case note(NoteID)
    case slot(Locator)
    case companion([UInt8])
    case segment(SegmentID)
  }

  /// What a reconciliation can do; all but `removeFile` is said in one new segment.
  package enum Step: String, Sendable {
    /// Seals what lies on the disk again and states it over every current state.
    case reseal
    /// States that it is deleted.
    case delete
    /// States the bytes on the disk, of a slot or companion.
    case list
    /// States that the segment is not there.
    case excuse
    /// Removes the file of a slot that was ended.
    case removeFile = "remove-file"
    /// Nothing here can settle it.
    case none
  }

  package let compartment: CompartmentID
  package let subject: Subject
  /// What `verify` calls it.
  package let code: Finding.Code
  package let step: Step
  /// Whether it is a conflict that a person has decided by what lies on the disk: nothing else is done without a word.
  package let isAutomatic: Bool
  /// The path of a note as its owner sees it, where that is known.
  package let name: [UInt8]?
  /// Why it is so, or why nothing can be done.
  package let reason: String

  /// The file in the vault.
  package var path: [UInt8] {
    switch subject {
    case .note(let id): Layout.notePath(id)
    case .slot(let locator): Layout.path(Layout.index, Layout.slot(locator))
    case .companion(let path): path
    case .segment(let id): Layout.path(Layout.index, Layout.segment(id))
    }
  }

  /// The id in hex, or a companion's path.
  package var id: [UInt8] {
    switch subject {
    case .note(let id): Array(id.hex.utf8)
    case .slot(let locator): Array(locator.hex.utf8)
    case .companion(let path): path
    case .segment(let id): Array(id.hex.utf8)
    }
  }
}

/// Everything on which index and disk of the opened compartments do not agree.
package struct ReconcilePlan: Sendable {
  /// By compartment; in each notes, slots, companions and segments, ascending.
  package internal(set) var items: [ReconcileItem] = []
  /// What the keys opened when it was planned.
  let unlocked: UnlockedVault
  /// The notes on the disk that would be sealed again.
  var found: [NoteID: AuthenticNote] = [:]

  /// Findings about slots and boxes that were met on the way.
  package var findings: [Finding] { unlocked.findings }

  init(of unlocked: UnlockedVault) { self.unlocked = unlocked }
}
