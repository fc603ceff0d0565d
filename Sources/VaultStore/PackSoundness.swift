package import VaultFormat

/// What a writer must not build on: an index that is broken or torn, and notes that are not there (spec §7.2).
package enum PackSoundness {
  /// Checks without a key that no segment is broken, and that the index of an only compartment is whole and holds no
  /// conflict. Of several, what is wrong with one is nothing to a writer to another.
  /// - Throws: `indexNotSound`.
  package static func checkIndex(_ snapshot: Snapshot) throws(StoreError) {
    var findings = brokenSegments(snapshot)
    if snapshot.compartments.isEmpty {
      findings.append(Finding(.noIndex, Layout.index, "there is no valid segment"))
    }
    if snapshot.compartments.count == 1 {
      findings += snapshot.compartments.values.flatMap { torn($0) }
    }
    guard findings.isEmpty else { throw .indexNotSound(findings) }
  }

  /// Checks that the indexes of the compartments that will be written to are whole and hold no conflict.
  /// - Throws: `indexNotSound`.
  package static func checkIndex(
    _ snapshot: Snapshot, of compartments: some Sequence<CompartmentID>
  ) throws(StoreError) {
    let closed = snapshot.closedFindings(compartments)
    let findings =
      closed
      + compartments.sorted().compactMap { snapshot.compartments[$0] }
      .flatMap { torn($0) }
    guard findings.isEmpty else { throw .indexNotSound(findings) }
  }

  /// Checks without a key that no segment is broken or may be overlooked.
  /// - Throws: `indexNotSound`.
  package static func checkSegments(_ snapshot: Snapshot) throws(StoreError) {
    let findings = brokenSegments(snapshot)
    guard findings.isEmpty else { throw .indexNotSound(findings) }
  }

  /// Checks with the key that the indexes of the opened compartments are whole and hold no conflict, that every note can
  /// be told what and where it is, and that none of them lies in a compartment that ended.
  /// - Throws: `indexNotSound`.
  package static func check(_ unlocked: UnlockedVault) throws(StoreError) {
    let opened = unlocked.compartments.map(\.index.compartment)
    let closed =
      opened.isEmpty
      ? unlocked.findings.filter { $0.code == .closedCompartment }
      : unlocked.snapshot.closedFindings(opened)
    let findings =
      closed
      + unlocked.compartments.flatMap { compartment in
        torn(compartment.index) + compartment.table.findings.filter { $0.severity == .error }
      }
    guard findings.isEmpty else { throw .indexNotSound(findings) }
  }

  /// Files that are a segment, or may be one: a writer that overlooks it would go on from an older state.
  private static func brokenSegments(_ snapshot: Snapshot) -> [Finding] {
    snapshot.findings.filter { finding in
      guard finding.severity == .error else { return false }
      switch finding.code {
      case .tooMany, .headerDiffers: return true
      case .notDownloaded: return finding.path.starts(with: Layout.index)
      default: return finding.path.suffix(4).elementsEqual(".seg".utf8)
      }
    }
  }

  private static func torn(_ index: CompartmentIndex) -> [Finding] {
    var findings: [Finding] = []
    for missing in index.graph.missing {
      findings.append(
        Finding(
          .segmentMissing, Layout.path(Layout.index, Layout.segment(missing.segment)),
          "segment \(missing.namedBy.hex) builds on it, and it is not there"))
    }
    for (id, register) in index.notes.sorted(by: { $0.key < $1.key })
    where register.onlyCurrent == nil {
      findings.append(
        Finding(.noteConflict, Layout.notePath(id), "two branches changed it; a person decides"))
    }
    return findings
  }

  /// Checks without a key that every note of the compartments has a file of the listed byte count; reads none.
  /// - Throws: `noteNotAsListed` with `noteMissing`, `notDownloaded`, `notARegularFile` or `noteChanged`; `system`.
  package static func checkPresence(
    _ snapshot: Snapshot, of vault: VaultFolder, in compartments: some Sequence<CompartmentID>
  ) throws(StoreError) {
    // Where an unfinished run is about to be completed, its files are not in place yet.
    guard try StagedRuns.readable(in: vault, snapshot).isEmpty else { return }
    var listed: [(id: NoteID, byteCount: UInt64)] = []
    for index in compartments.compactMap({ snapshot.compartments[$0] }) {
      for (id, register) in index.notes {
        if case .file(_, let byteCount) = register.onlyCurrent { listed.append((id, byteCount)) }
      }
    }
    guard !listed.isEmpty else { return }
    listed.sort { $0.id < $1.id }
    let notes = try vault.subfolder(Layout.notes)
    guard let notes else {
      throw .noteNotAsListed(path: Layout.notePath(listed[0].id), .noteMissing)
    }
    var start = listed.startIndex
    while start < listed.endIndex {
      let folder = listed[start].id.firstByte
      let end = listed[start...].firstIndex { $0.id.firstByte != folder } ?? listed.endIndex
      try checkPresence(listed[start..<end], in: notes)
      start = end
    }
  }

  /// Checks the notes of one folder of `notes/`.
  private static func checkPresence(
    _ listed: ArraySlice<(id: NoteID, byteCount: UInt64)>, in notes: borrowing Directory
  ) throws(StoreError) {
    guard let first = listed.first else { return }
    let folder: Directory
    do { folder = try Directory(opening: FileNameHex.folder(of: first.id), in: notes) } catch {
      throw missing(first.id, error)
    }
    for (id, byteCount) in listed {
      let name = FileNameHex.name(of: id)
      var path: [UInt8] { Layout.notePath(id) }
      let status: FileStatus?
      let placeholder: FileStatus?
      do {
        status = try folder.status(of: name)
        placeholder = status == nil ? try folder.status(of: Self.placeholder(name)) : nil
      } catch {
        throw .system(error, path: path)
      }
      guard let status else {
        throw .noteNotAsListed(path: path, placeholder == nil ? .noteMissing : .notDownloaded)
      }
      guard status.kind == .regular else { throw .noteNotAsListed(path: path, .notARegularFile) }
      guard status.byteCount == byteCount else { throw .noteNotAsListed(path: path, .noteChanged) }
    }
  }

  private static func missing(_ id: NoteID, _ error: SystemError) -> StoreError {
    error.code == .notFound
      ? .noteNotAsListed(path: Layout.notePath(id), .noteMissing)
      : .system(error, path: Layout.notePath(id))
  }

  private static func placeholder(_ name: [UInt8]) -> [UInt8] {
    [UInt8(ascii: ".")] + name + Array(".icloud".utf8)
  }
}
