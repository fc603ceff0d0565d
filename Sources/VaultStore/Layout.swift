package import VaultFormat

/// The names of a vault's files and folders (spec §2): the one place where they are spelt.
package enum Layout {
  package static let header = bytes("VAULT")
  package static let index = bytes("index")
  package static let spare = bytes("spare")
  package static let notes = bytes("notes")
  package static let staging = bytes("staging")
  package static let local = bytes("local")
  package static let kit = bytes("kit")
  package static let plan = bytes("plan")
  package static let stagedSegment = bytes("segment")
  package static let git = bytes(".git")

  /// Companions that stand directly in the vault's folder.
  package static let topCompanions = ["README.md", ".gitattributes", ".gitignore"].map(bytes)
  /// Names that are passed over in silence, only directly in the vault's folder.
  package static let passedOver = Set(
    [".git", ".gitmodules", ".DS_Store", "Thumbs.db", "desktop.ini"].map(bytes))
  /// Names that belong to a repository whose root the vault's folder is; listed as not checked.
  package static let repositoryNames = Set(
    [".github", ".gitlab-ci.yml", ".pre-commit-config.yaml"].map(bytes))

  package static func segment(_ id: SegmentID) -> [UInt8] { bytes(id.hex + ".seg") }
  package static func slot(_ locator: Locator) -> [UInt8] { bytes(locator.hex + ".slot") }
  package static func sealedFile(_ id: NoteID) -> [UInt8] { bytes(id.hex + ".sealed") }
  /// The folder of a sealed file: the first byte of its id, in hex.
  package static func noteFolder(_ id: NoteID) -> [UInt8] { Array(id.hex.utf8.prefix(2)) }
  /// The folder of a run that has not committed.
  package static func runFolder(_ run: NoteID) -> [UInt8] { bytes(run.hex + ".part") }

  /// A path of the vault as one byte string, for findings and messages.
  package static func path(_ parts: [UInt8]...) -> [UInt8] {
    Array(parts.joined(separator: [UInt8(ascii: "/")]))
  }

  /// Where a note's sealed file lies, relative to the vault.
  package static func notePath(_ id: NoteID) -> [UInt8] {
    path(notes, noteFolder(id), sealedFile(id))
  }

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The id in a name of `digits` hex digits and an ending, or nil when it is another name.
  static func hex(_ name: [UInt8], ending: String, digits: Int) -> ArraySlice<UInt8>? {
    guard name.count == digits + ending.utf8.count,
      name.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    else { return nil }
    return name.prefix(digits)
  }
}
