package import VaultFormat
package import VaultSealing

/// The notes of one compartment as its owner sees them, from the boxes of the live segments (spec §7.2, §7.3).
package struct NoteTable: Sendable {
  /// The alive notes in no order, each shown under its own path as long as conflicts are not settled.
  package let notes: [NoteInfo]
  /// What is wrong with the boxes, or with what they say; the notes concerned are left out of `notes`.
  package let findings: [Finding]
  /// Notes with several current states; shown with the one on disk.
  package let conflicted: Set<NoteID>

  /// - Parameter stateOnDisk: asked for notes with several current states only.
  package init(
    _ index: CompartmentIndex, keys: borrowing CompartmentKeys,
    stateOnDisk: (NoteID) -> State?
  ) throws(StoreError) {
    var reading = Reading(index)
    var decompressor: ZstdDecompressor
    do { decompressor = try ZstdDecompressor() } catch { throw .sealing(.zstd(error), path: []) }
    for segment in index.live {
      reading.take(segment, keys: keys, expandingWith: &decompressor)
    }
    var conflicted = Set<NoteID>()
    var found: [(id: NoteID, state: State, record: ContentRecord, place: Place)] = []
    for (id, register) in index.notes where register.isAlive {
      guard let content = reading.contents[id], let place = reading.places[id] else {
        reading.miss(id)
        continue
      }
      if let fault = SafePath.fault(in: place.path) {
        reading.findings.append(
          Finding(
            .unsafePath, Layout.notePath(id), "the note's path must not be used: it \(fault)"))
        continue
      }
      var chosen = content[0]
      if register.isConflicted {
        conflicted.insert(id)
        let onDisk = stateOnDisk(id)
        // Where none is on disk the least, so that nothing depends on how segments were compacted.
        let ascending = content.sorted { $0.state < $1.state }
        chosen = ascending.first { $0.state == onDisk } ?? ascending[0]
      }
      found.append((id, chosen.state, chosen.record, place))
    }
    notes = found.compactMap { note in
      guard case .file(let digest, let byteCount) = note.state else { return nil }
      return NoteInfo(
        id: note.id, compartment: index.compartment, path: note.place.path,
        shownPath: note.place.path, isExecutable: note.place.executable, record: note.record,
        digest: digest, sealedByteCount: byteCount)
    }
    self.conflicted = conflicted
    findings = reading.findings
  }
}

extension NoteTable {
  /// What has been gathered from the boxes so far.
  struct Reading {
    let index: CompartmentIndex
    var contents: [NoteID: [(state: State, record: ContentRecord)]] = [:]
    var places: [NoteID: Place] = [:]
    var findings: [Finding] = []

    init(_ index: CompartmentIndex) {
      self.index = index
      contents.reserveCapacity(index.notes.count)
      places.reserveCapacity(index.notes.count)
    }

    mutating func take(
      _ segment: LiveSegment, keys: borrowing CompartmentKeys,
      expandingWith decompressor: inout ZstdDecompressor
    ) {
      let body: SegmentBody
      do {
        body = try SegmentOpening.openBox(
          of: segment.verified, segment.bytes.span, keys: keys, expandingWith: &decompressor)
      } catch {
        findings.append(
          Finding(
            .sealBroken, Layout.path(Layout.index, Layout.segment(segment.id)), "\(error)"))
        return
      }
      var items = body.items.makeIterator()
      for entry in segment.lists.entries {
        guard case .note(let id) = entry.id, let item = items.next() else { continue }
        take(entry, item, of: id)
      }
    }

    private mutating func take(_ entry: IndexEntry, _ item: SegmentBody.Item, of id: NoteID) {
      guard let register = index.notes[id] else { return }
      var position = 0
      for state in entry.states where state.isFile {
        let record = item.records[position]
        position += 1
        if register.isSuperseded(state.prefix) { continue }
        if contents[id]?.contains(where: { $0.state == state }) == true { continue }
        contents[id, default: []].append((state, record))
      }
      if let place = item.place, entry.placeVersion == register.placeVersion {
        places[id] = max(places[id] ?? place, place)
      }
    }

    mutating func miss(_ id: NoteID) {
      findings.append(
        Finding(
          .recordDiffers, Layout.notePath(id),
          "no segment that can be opened says what this note is or where it belongs"))
    }
  }
}
