internal import VaultFormat
internal import VaultSealing

/// The files in the folder of a run without a commit that the vault misses in their places: a sealed file that is a
/// current state and not in `notes/`, and a segment that cannot have been left by a run that stopped. Somebody moved them
/// there, and they may be the only copies, so no writer removes them (spec §9, §12.1).
struct StagedNeeds {
  /// Such a file, and where it belongs.
  struct File: Equatable {
    let path: [UInt8]
    let place: [UInt8]
  }

  private(set) var files: [File] = []
  private let vault: VaultFolder
  private let snapshot: Snapshot

  /// - Parameter snapshot: with the notes of all compartments.
  /// - Throws: `system`, `crypto`.
  init(
    in run: StagedRuns.Run, of vault: VaultFolder, _ snapshot: Snapshot
  ) throws(StoreError) {
    self.vault = vault
    self.snapshot = snapshot
    guard let staging = try vault.subfolder(Layout.staging) else { return }
    let path = Layout.path(Layout.staging, run.name)
    let folder: Directory
    do { folder = try Directory(opening: run.name, in: staging) } catch {
      throw .system(error, path: path)
    }
    let names: [[UInt8]]
    do { names = try folder.entries().map(\.name) } catch { throw .system(error, path: path) }
    for name in names {
      let place: [UInt8]?
      if let note = FileNameHex.noteID(name) {
        place = try isNeeded(note, name, in: folder) ? Layout.notePath(note) : nil
      } else if name == Layout.stagedSegment {
        place = try segment(name, of: run, in: folder)
          .map { Layout.path(Layout.index, Layout.segment($0)) }
      } else {
        place = nil
      }
      if let place {
        files.append(File(path: Layout.path(Layout.staging, run.name, name), place: place))
      }
    }
  }

  // MARK: - Notes

  private func isNeeded(
    _ note: NoteID, _ name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> Bool {
    let current = snapshot.compartments.values.flatMap { $0.notes[note]?.current ?? [] }
    // What a run staged is most often of another size than what is current, or of a new note.
    guard !current.isEmpty, let status = try? folder.status(of: name), status.kind == .regular,
      current.contains(where: { $0.fileByteCount == status.byteCount })
    else { return false }
    var hasher = try NoteHasher()
    // What does not open as a sealed file is no state.
    guard let file = try? folder.openFile(name),
      let state = try? hasher.state(of: file, note: note, path: name), current.contains(state)
    else { return false }
    return NoteFiles.state(of: note, in: vault) != state
  }

  // MARK: - Segments

  /// The id of the segment where it has to stay.
  private func segment(
    _ name: [UInt8], of run: StagedRuns.Run, in folder: borrowing Directory
  ) throws(StoreError) -> SegmentID? {
    let reader = RepairFileReader(vaultID: vault.header.vaultID, bounds: .standard)
    guard let segment = try reader.liveSegment(name, in: folder) else { return nil }
    let (id, compartment) = (segment.id, segment.verified.file.head.compartment)
    let indexes = snapshot.compartments.values
    if indexes.contains(where: { $0.graph.knows(id) }) || snapshot.isClosed(compartment) {
      return nil
    }
    if indexes.contains(where: { $0.graph.missing.contains { $0.segment == id } }) { return id }
    if snapshot.compartments[compartment] == nil {
      // A new compartment is made with a segment that has no parents, and with slots that the run announces.
      let announced = try StagedSlots.announced(by: run, in: vault)
      let hasOtherSlot = snapshot.usableSlots.contains {
        $0.head.compartment == compartment && !announced.contains($0.head.locator)
      }
      if compartment == vault.header.firstCompartment || !segment.lists.parents.isEmpty
        || hasOtherSlot
      {
        return id
      }
    }
    return hasPlacedNote(segment) ? id : nil
  }

  /// Whether a note that only this segment lists lies in `notes/`: files come there after the commit.
  private func hasPlacedNote(_ segment: LiveSegment) -> Bool {
    segment.lists.entries.contains { entry in
      guard case .note(let note) = entry.id, entry.states.contains(where: \.isFile),
        snapshot.compartments.values.allSatisfy({ $0.notes[note] == nil })
      else { return false }
      return NoteFiles.state(of: note, in: vault).map { entry.states.contains($0) } ?? false
    }
  }
}

extension State {
  /// Byte count of the file; nil for a grave.
  fileprivate var fileByteCount: UInt64? {
    if case .file(_, let byteCount) = self { byteCount } else { nil }
  }
}
