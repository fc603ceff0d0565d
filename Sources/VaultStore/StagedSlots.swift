internal import VaultFormat
internal import VaultSealing

/// The slots that a run without a commit has put into `index/` and `spare/` (spec §9.1).
struct StagedSlots {
  /// A slot file of such a run.
  struct File: Hashable {
    let folder: [UInt8]
    let name: [UInt8]
  }

  let files: [File]
  private let vault: VaultFolder

  /// Only a segment that still lies in the folder of its run, and is valid, can tell: it has not been committed. Its slots
  /// are leftovers while the compartment has another that is listed and there, or where they are the first of all.
  /// - Throws: `system`, `crypto`.
  init(of run: StagedRuns.Run, in vault: VaultFolder, _ snapshot: Snapshot) throws(StoreError) {
    self.vault = vault
    guard let segment = try Self.segment(of: run, in: vault),
      Self.isDispensable(segment, snapshot)
    else {
      files = []
      return
    }
    var listed: [Locator: SmallList<State>] = [:]
    for entry in segment.lists.entries {
      if case .slot(let locator) = entry.id { listed[locator] = entry.states }
    }
    for index in snapshot.compartments.values {
      for locator in index.slots.keys { listed[locator] = nil }
    }
    files = snapshot.slots.filter { listed[$0.locator]?.contains($0.state) ?? false }.map {
      File(folder: $0.isSpare ? Layout.spare : Layout.index, name: Layout.slot($0.locator))
    }
  }

  private static func segment(
    of run: StagedRuns.Run, in vault: VaultFolder
  ) throws(StoreError) -> VerifiedSegment? {
    guard !run.isCommitted, let staging = try vault.subfolder(Layout.staging),
      // What cannot be read, or is no segment, says nothing about slots.
      let folder = try? Directory(opening: run.name, in: staging),
      let bytes = try readSegment(in: folder, of: vault)
    else { return nil }
    do {
      return try SegmentOpening.verify(bytes.span, vaultID: vault.header.vaultID)
    } catch {
      if case .crypto(let error) = error { throw .crypto(error) }
      return nil
    }
  }

  /// A large one is checked in pieces before it is loaded: a planted file takes no memory.
  private static func readSegment(
    in folder: borrowing Directory, of vault: VaultFolder
  ) throws(StoreError) -> [UInt8]? {
    var limit = LargeSegment.thresholdByteCount
    do throws(StoreError) {
      guard let file = try? folder.openFile(Layout.stagedSegment),
        let byteCount = try? file.status().byteCount
      else { return nil }
      if byteCount > UInt64(limit) {
        guard byteCount <= UInt64(SegmentFile.mostByteCount) else { return nil }
        let segment = try LargeSegment(file, path: Layout.stagedSegment)
        _ = try segment.verify(try segment.head(), vaultID: vault.header.vaultID)
        limit = segment.byteCount
      }
    } catch {
      if case .crypto = error { throw error }
      return nil
    }
    return try? folder.readWhole(Layout.stagedSegment, limit: limit)
  }

  private static func isDispensable(_ segment: VerifiedSegment, _ snapshot: Snapshot) -> Bool {
    guard let index = snapshot.compartments[segment.file.head.compartment] else {
      if segment.file.head.isHandOver { return true }
      return segment.lists.parents.isEmpty && segment.lists.replaces.isEmpty
    }
    return snapshot.slots.contains { file in
      !file.isSpare && index.slots[file.locator]?.current.contains(file.state) ?? false
    }
  }

  /// Removes the files.
  /// - Returns: whether there were any.
  /// - Throws: `system`.
  func remove() throws(StoreError) -> Bool {
    for file in files {
      do {
        try Directory(opening: file.folder, in: vault.root).unlink(file.name)
      } catch {
        throw .system(error, path: Layout.path(file.folder, file.name))
      }
    }
    return !files.isEmpty
  }
}
