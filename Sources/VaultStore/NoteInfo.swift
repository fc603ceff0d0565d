package import VaultFormat

/// One alive note as its owner sees it.
package struct NoteInfo: Sendable {
  package let id: NoteID
  package let compartment: CompartmentID
  /// The path the index keeps.
  package let path: [UInt8]
  /// The path it is shown under; differs from `path` in a name conflict (spec §8.1).
  package internal(set) var shownPath: [UInt8]
  package let isExecutable: Bool
  package let record: ContentRecord
  /// The state whose content this is: current, and the one on disk where there are several.
  package let digest: Digest
  /// Byte count of the sealed file.
  package let sealedByteCount: UInt64

  package init(
    id: NoteID, compartment: CompartmentID, path: [UInt8], shownPath: [UInt8], isExecutable: Bool,
    record: ContentRecord,
    digest: Digest, sealedByteCount: UInt64
  ) {
    self.id = id
    self.compartment = compartment
    self.path = path
    self.shownPath = shownPath
    self.isExecutable = isExecutable
    self.record = record
    self.digest = digest
    self.sealedByteCount = sealedByteCount
  }
}
