import VaultFormat
import VaultStore

/// One state of a vault with its keys: what lies in the folder, or what a commit has.
final class PastVault {
  let vault: UnlockedVault
  /// Nil for what lies in the folder.
  let commit: GitID?
  private let place: GitPlace
  /// What a commit has, by path.
  private let blobs: [[UInt8]: GitID]
  private let files: NoteReaderFiles?

  /// What lies in the folder.
  init(_ vault: UnlockedVault, at place: GitPlace) throws(CommandError) {
    self.vault = vault
    self.place = place
    commit = nil
    blobs = [:]
    do { files = try NoteReaderFiles(vault.vault) } catch { throw .store(error) }
  }

  /// What a commit has.
  init(_ vault: UnlockedVault, _ files: [GitFile], of commit: GitID, at place: GitPlace) {
    self.vault = vault
    self.place = place
    self.commit = commit
    self.files = nil
    let regular = files.filter { $0.kind == .regular && $0.path.starts(with: Layout.notes) }
    blobs = Dictionary(regular.map { ($0.path, $0.id) }) { first, _ in first }
  }

  /// Decrypts a note; nil for one that is too long to be compared.
  func content(
    of note: NoteInfo, with reader: inout NoteReader, forTerminal: Bool
  ) throws(CommandError) -> PlainNote? {
    guard PlainNote.canHold(note) else { return nil }
    let file = try open(note)
    do throws(StoreError) {
      guard let compartment = vault.compartment(of: note) else {
        throw .noSuchNote(path: note.shownPath, near: nil)
      }
      return try PlainNote(
        note, from: file, in: compartment, with: &reader, forTerminal: forTerminal)
    } catch {
      throw .store(error)
    }
  }

  private func open(_ note: NoteInfo) throws(CommandError) -> FileDescriptor {
    if let files {
      do { return try files.open(note) } catch { throw .store(error) }
    }
    let path = Layout.notePath(note.id)
    guard let blob = blobs[path] else {
      throw .store(.system(SystemError(call: "openat", code: .notFound), path: path))
    }
    return try SealedBlob.open(blob, at: place)
  }
}

/// A sealed file out of git's objects, in memory.
enum SealedBlob {
  static func open(_ blob: GitID, at place: GitPlace) throws(CommandError) -> FileDescriptor {
    let bytes: [UInt8]
    do {
      bytes = try GitBlobs.content(of: blob, at: place, limit: PlainNote.mostSealedByteCount)
    } catch {
      throw error.asCommandError
    }
    return try file(holding: bytes)
  }

  static func file(holding bytes: [UInt8]) throws(CommandError) -> FileDescriptor {
    do { return try MemoryFile(holding: bytes.span).intoFile() } catch {
      throw .store(.system(error, path: []))
    }
  }
}
