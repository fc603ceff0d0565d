internal import VaultFormat

/// The notes that a person asked for by their paths (spec §8).
package struct PathSelection: Sendable {
  /// In the order of their shown paths; each once.
  package let notes: [NoteInfo]

  /// The notes at each path or below it, by exact bytes; all notes for no path. A `/` at the end is passed over.
  /// - Throws: `noSuchNote` for the first path with nothing at or below it, with one that looks the same where there
  ///   is one: in another normal form or with other letter case.
  package init(_ paths: [[UInt8]], of vault: UnlockedVault) throws(StoreError) {
    guard !paths.isEmpty else {
      notes = vault.notes
      return
    }
    var chosen = Set<NoteID>()
    for path in paths {
      let found = vault.notes(atOrBelow: Self.trimmed(path))
      if found.isEmpty {
        throw .noSuchNote(path: path, near: Self.twin(of: Self.trimmed(path), in: vault))
      }
      chosen.formUnion(found.lazy.map(\.id))
    }
    notes = vault.notes.filter { chosen.contains($0.id) }
  }

  /// The one note with content at a path.
  /// - Throws: `noSuchNote`; `isAFolder` where a folder has the path.
  package static func note(at path: [UInt8], of vault: UnlockedVault) throws(StoreError) -> NoteInfo
  {
    if let note = vault.note(at: path) { return note }
    let isFolder = !vault.notes(atOrBelow: trimmed(path)).isEmpty
    if isFolder { throw .isAFolder(path: path) }
    throw .noSuchNote(path: path, near: twin(of: trimmed(path), in: vault))
  }

  private static func trimmed(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard let end = path.lastIndex(where: { $0 != slash }) else { return path }
    return Array(path[...end])
  }

  /// A path of the vault, of a note or of a folder above one, that looks like `path`.
  private static func twin(of path: [UInt8], in vault: UnlockedVault) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    let dot = [UInt8(ascii: "."), slash]
    let path = path.starts(with: dot) ? Array(path.dropFirst(2)) : path
    let wanted = FoldedPath(path)
    let depth = path.count { $0 == slash } + 1
    for note in vault.notes {
      let parts = note.shownPath.split(separator: slash, omittingEmptySubsequences: false)
      guard parts.count >= depth else { continue }
      let candidate = Array(parts.prefix(depth).joined(separator: [slash]))
      if FoldedPath(candidate) == wanted { return candidate }
    }
    return nil
  }
}

/// A path as file systems see it that ignore letter case and normal form: two notes with equal ones may not both find
/// room there.
struct FoldedPath: Hashable {
  private enum Form: Hashable {
    case bytes([UInt8])
    /// Strings are equal when they are canonically equivalent.
    case text(String)
  }

  private let form: Form

  init(_ path: [UInt8]) {
    if path.allSatisfy({ $0 < 0x80 }) {
      let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
      form = .bytes(path.map { letters.contains($0) ? $0 | 0x20 : $0 })
    } else if let text = String(validating: path, as: UTF8.self)?.lowercased() {
      form = text.utf8.allSatisfy { $0 < 0x80 } ? .bytes(Array(text.utf8)) : .text(text)
    } else {
      form = .bytes(path)
    }
  }
}
