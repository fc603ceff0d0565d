import VaultFormat
import VaultStore

/// The history of the notes of one name: the commits that touched them, and what those did.
struct NoteLog {
  /// A commit with what happened to the notes in it.
  struct Entry {
    let commit: GitID
    let events: [NoteHistory.Event]
  }

  /// The newest first.
  private(set) var entries: [Entry] = []
  private(set) var history = NoteHistory()
  /// Segments of the history that say nothing, because they are damaged.
  private(set) var unusableCount = 0
  private let access: PastAccess
  private let walk: LogWalk

  /// - Throws: `noSuchNote` where no state of the history has a note of this name.
  init(of path: [UInt8], from head: GitID, _ access: PastAccess) throws(CommandError) {
    self.access = access
    do { walk = try LogWalk(from: head, at: access.place) } catch { throw error.asCommandError }
    let folder = try access.folder()
    var notes = Set(folder.vault.notes.filter { $0.shownPath == path }.map(\.id))
    if notes.isEmpty {
      // A name that a note had earlier, or that of a deleted one.
      try read(about: .path(path)) { step, _ in notes.insert(step.note) }
    }
    guard !notes.isEmpty else {
      do { _ = try PathSelection([path], of: folder.vault) } catch { throw .store(error) }
      throw .store(.isAFolder(path: path))
    }
    try fill(notes)
  }

  private mutating func fill(_ notes: Set<NoteID>) throws(CommandError) {
    unusableCount = 0
    var events: [Int: [NoteHistory.Event]] = [:]
    var history = NoteHistory()
    try read(about: .notes(notes)) { step, commit in
      events[commit, default: []] += history.take(step)
    }
    self.history = history
    entries = events.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
      .map { Entry(commit: walk.commits[$0.key], events: $0.value) }
  }

  /// Reads all segments of the history, the oldest first, one at a time.
  private mutating func read(
    about wanted: NoteHistoryReader.Wanted,
    taking take: (_ step: NoteHistoryStep, _ commit: Int) -> Void
  ) throws(CommandError) {
    let added = Array(walk.added.reversed())
    var reader: NoteHistoryReader
    do { reader = try NoteHistoryReader(access.opened, of: access.present.header) } catch {
      throw .store(error)
    }
    var bytes: [UInt8] = []
    var current = 0
    var unusable = 0
    do throws(GitStateError) {
      try GitBlobs.read(added.map(\.blob), at: access.place) {
        (index, byteCount) throws(GitStateError) in
        guard byteCount <= SegmentFile.mostByteCount else { throw .tooLarge }
        if Interruption.isRequested { throw .store(.interrupted) }
        current = index
        bytes.removeAll(keepingCapacity: true)
      } take: { (piece) throws(GitStateError) in
        bytes += [UInt8](copying: piece)
      } end: {
        let segment = added[current]
        do throws(NoteHistoryReader.Silence) {
          for step in try reader.steps(in: bytes.span, named: segment.segment, about: wanted) {
            take(step, segment.commit)
          }
        } catch {
          if error == .unusable { unusable += 1 }
        }
      }
    } catch {
      throw error.asCommandError
    }
    unusableCount = unusable
  }
}

extension NoteLog {
  /// The content that a note had in a commit, or before it.
  struct Version {
    let note: NoteInfo
    let content: PlainNote?
  }

  /// What changed in one note in one commit, by the files that the commit and its first parent have.
  func version(
    of note: NoteID, in revision: [UInt8], path: [UInt8], with reader: inout NoteReader,
    forTerminal: Bool
  ) throws(CommandError) -> Version? {
    let place = access.place
    let name = revision + [UInt8(ascii: ":")] + place.prefix + Layout.notePath(note)
    let blob: GitID?
    do { blob = try place.id(named: name) } catch { throw error.asCommandError }
    guard let blob else { return nil }
    let bytes: [UInt8]
    do {
      bytes = try GitBlobs.content(of: blob, at: place, limit: PlainNote.mostSealedByteCount)
    } catch {
      throw error.asCommandError
    }
    do throws(StoreError) {
      var hasher = try NoteHasher()
      let state = try hasher.state(
        of: try Self.file(bytes), note: note, path: Layout.notePath(note))
      guard let info = history.note(note, in: state, at: path),
        let compartment = try NoteHistoryReader(access.opened, of: access.present.header)
          .compartment(info.compartment)
      else { throw .noteNotAsListed(path: Layout.notePath(note), .noteChanged) }
      guard PlainNote.canHold(info) else { return Version(note: info, content: nil) }
      let content = try PlainNote(
        info, from: try Self.file(bytes), in: compartment, with: &reader, forTerminal: forTerminal)
      return Version(note: info, content: content)
    } catch {
      throw .store(error)
    }
  }

  private static func file(_ bytes: [UInt8]) throws(StoreError) -> FileDescriptor {
    do { return try MemoryFile(holding: bytes.span).intoFile() } catch {
      throw .system(error, path: [])
    }
  }
}
