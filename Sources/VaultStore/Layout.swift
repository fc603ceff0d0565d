package import VaultFormat

/// The names of a vault's files and folders (spec §2); those that are an id in hex are `FileNameHex`'s.
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
  package static let stagedSlot = bytes("new")
  /// The locators of the slots that a run is about to make.
  package static let stagedSlots = bytes("slots")
  /// What a run writes into its folder beside sealed files.
  package static let runFiles = [plan, stagedSegment, stagedSlot, stagedSlots]
  package static let git = bytes(".git")

  /// Companions that stand directly in the vault's folder.
  package static let topCompanions = CompanionPath.topLevel
  /// Names that are passed over in silence, only directly in the vault's folder.
  package static let passedOver = Set(
    [".git", ".gitmodules", ".DS_Store", "Thumbs.db", "desktop.ini"].map(bytes))
  /// Names that belong to a repository whose root the vault's folder is; listed as not checked.
  package static let repositoryNames = Set(
    [".github", ".gitlab-ci.yml", ".pre-commit-config.yaml"].map(bytes))

  package static func segment(_ id: SegmentID) -> [UInt8] { FileNameHex.name(of: id) }
  package static func slot(_ locator: Locator) -> [UInt8] { FileNameHex.name(of: locator) }
  /// The folder of a run that has not committed.
  package static func runFolder(_ run: NoteID) -> [UInt8] { bytes(run.hex + ".part") }

  /// A path of the vault as one byte string, for findings and messages.
  package static func path(_ parts: [UInt8]...) -> [UInt8] {
    Array(parts.joined(separator: [UInt8(ascii: "/")]))
  }

  /// The names that a path of the vault consists of.
  static func parts(of path: [UInt8]) -> [[UInt8]] {
    path.split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  /// Where a note's sealed file lies, relative to the vault.
  package static func notePath(_ id: NoteID) -> [UInt8] {
    path(notes, FileNameHex.folder(of: id), FileNameHex.name(of: id))
  }

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
