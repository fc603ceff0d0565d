package import VaultFormat

/// Something that did not come back whole.
package struct SalvageProblem: Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    /// Written under a changed name; the lost ranges say what is missing.
    case damaged
    /// Written under a changed name; the header is lost as well, and nobody knows where the content ends.
    case damagedWithoutRecord
    /// Listed, and no file of it is there.
    case missing
    /// Listed, and only other versions of it are there.
    case onlyOtherVersions
    /// Not one chunk of it is authentic.
    case nothingAuthentic
    /// A file that is no sealed file any more.
    case unrecognised(FormatError)
    /// A file of a compartment that neither a slot nor a segment names.
    case otherCompartment(CompartmentID)
    /// A file or folder of the vault that the system does not give.
    case unreadable(SystemError)
    /// It could not be written into the target.
    case notWritten(UnpackFault)
  }

  /// What the lost ranges are counted in.
  package enum Unit: String, Sendable {
    case content
    /// The compressed content, as it is in the file beside.
    case payload
  }

  /// Of what was written, below the target; else the note's path, or where its file lies in the vault.
  package let path: [UInt8]
  package let noteID: NoteID?
  package let reason: Reason
  /// Byte ranges, ascending.
  package let lost: [Range<UInt64>]
  package let unit: Unit
  /// The file beside that holds all of the compressed content that is authentic.
  package let payloadPath: [UInt8]?

  init(
    path: [UInt8], noteID: NoteID?, reason: Reason, lost: [Range<UInt64>] = [],
    unit: Unit = .content, payloadPath: [UInt8]? = nil
  ) {
    self.path = path
    self.noteID = noteID
    self.reason = reason
    self.lost = lost
    self.unit = unit
    self.payloadPath = payloadPath
  }

  package var lostByteCount: UInt64 { lost.reduce(0) { $0 + UInt64($1.count) } }
}

/// A whole file that is not the current version of its note, and the name that it was given.
package struct SalvagedVersion: Equatable, Sendable {
  package enum Reason: String, Sendable {
    case superseded
    /// The index never listed it.
    case unlisted
    case deleted
    /// Another version has the note's name.
    case second
  }

  package let path: [UInt8]
  package let noteID: NoteID
  package let reason: Reason
}

/// What became of a vault's notes.
package struct SalvageReport: Equatable, Sendable {
  /// Under their own names.
  package internal(set) var whole = 0
  package internal(set) var damaged = 0
  package internal(set) var versions: [SalvagedVersion] = []
  /// Not brought back.
  package internal(set) var lost = 0
  /// Not tried, because the run ended before; the vault still holds them.
  package internal(set) var untried = 0
  /// Files that another one made unnecessary.
  package internal(set) var copies = 0
  package internal(set) var lockedCompartments: [CompartmentID] = []
  package internal(set) var lockedFiles = 0
  /// Ascending by path.
  package internal(set) var problems: [SalvageProblem] = []
  /// Why the run ended before all was tried.
  package internal(set) var stop: UnpackReport.Stop?
}
