internal import VaultCrypto
package import VaultFormat

/// One run of a writer: stages files, commits them with one rename, and puts them in place (spec §9).
///
/// A run that is dropped before `commit` removes what it staged.
package struct StagingRun: ~Copyable {
  private let root: Directory
  private let staging: Directory
  /// Where sealed files are written, under their final names.
  package let folder: Directory
  private var name: [UInt8]
  private var mayBeCommitted = false
  /// Slot files that the run put into the vault; they go with it.
  private var placed: [(folder: [UInt8], name: [UInt8])] = []

  /// Makes the folder of a new run.
  /// - Throws: `system`.
  package init(in root: borrowing Directory, id: NoteID) throws(StoreError) {
    let name = Layout.runFolder(id)
    do throws(SystemError) {
      let root = try root.reopened()
      if try root.status(of: Layout.staging) == nil {
        try root.makeDirectory(Layout.staging, mode: 0o777)
      }
      let staging = try Directory(opening: Layout.staging, in: root)
      do throws(SystemError) {
        try staging.makeDirectory(name, mode: 0o777)
      } catch {
        // Goes only if it is empty.
        try? root.removeDirectory(Layout.staging)
        throw error
      }
      let folder = try Directory(opening: name, in: staging)
      self.root = root
      self.staging = staging
      self.folder = folder
      self.name = name
    } catch {
      throw .system(error, path: Layout.staging)
    }
  }

  /// The folder for several threads.
  /// - Throws: `system`.
  func sharedFolder() throws(StoreError) -> SharedFolder {
    do { return SharedFolder(try folder.reopened()) } catch {
      throw .system(error, path: Layout.path(Layout.staging, name))
    }
  }

  deinit {
    if mayBeCommitted { return }
    // Nobody is left to tell; what stays is a leftover, which `verify` names and the next writer removes.
    for file in placed { try? Directory(opening: file.folder, in: root).unlink(file.name) }
    try? StagedRuns.remove(name, in: root)
  }

  /// Steps 2 and 4 of the protocol: the plan, one sync for everything, then the segment. When this returns the change
  /// has happened; when it throws it has not, unless only the sync after the last rename failed: then the segment is in
  /// `index/` and the next writer puts the staged files in place.
  /// - Parameters:
  ///   - slots: new slots that the segment lists.
  ///   - isStillValid: step 3, called after the sync and right before the commit.
  /// - Throws: `system`, `slotNotProved`, or what `isStillValid` throws.
  mutating func commit(
    plan: CommitPlan, segment: [UInt8], id: SegmentID, slots: [NewSlot] = [],
    isStillValid: () throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(SystemError) {
      if !plan.items.isEmpty {
        try Self.write(plan.encoded(), as: Layout.plan, in: folder)
        try folder.syncFileSystem()
      }
      try Self.write(segment, as: Layout.stagedSegment, in: folder)
    } catch {
      throw .system(error, path: Layout.path(Layout.staging, name))
    }
    if !slots.isEmpty { try place(slots) }
    try isStillValid()
    do throws(SystemError) {
      let committed = Array(id.hex.utf8)
      try staging.rename(name, to: staging, committed, replacing: .forbidden)
      name = committed
      try staging.sync()
      let index = try Directory(opening: Layout.index, in: root)
      // From here on only a look at `index/` can tell, and the staged files must not be lost.
      mayBeCommitted = true
      do throws(SystemError) {
        try folder.rename(
          Layout.stagedSegment, to: index, Layout.segment(id), replacing: .forbidden)
      } catch {
        if try index.status(of: Layout.segment(id)) == nil { mayBeCommitted = false }
        throw error
      }
      try index.sync()
    } catch {
      throw .system(error, path: Layout.path(Layout.index, Layout.segment(id)))
    }
  }

  /// Steps 1 and 2 of §9.1: what tells whose the slots are is on the disk before them; then each slot and its spare, which
  /// are read back and opened.
  private mutating func place(_ slots: [NewSlot]) throws(StoreError) {
    do {
      try Self.write(StagedSlots.announcement(of: slots), as: Layout.stagedSlots, in: folder)
      try folder.sync()
      try staging.sync()
      try root.sync()
    } catch {
      throw .system(error, path: Layout.path(Layout.staging, name))
    }
    for folderName in [Layout.index, Layout.spare] {
      do throws(SystemError) {
        if try root.status(of: folderName) == nil {
          try root.makeDirectory(folderName, mode: 0o777)
          try root.sync()
        }
        let target = try Directory(opening: folderName, in: root)
        for slot in slots { try place(slot, folderName, target) }
        try target.sync()
      } catch {
        throw .system(error, path: folderName)
      }
    }
    for folderName in [Layout.index, Layout.spare] {
      for slot in slots {
        let path = Layout.path(folderName, slot.name)
        let bytes: [UInt8]
        do {
          bytes = try Directory(opening: folderName, in: root)
            .readWhole(slot.name, limit: Limits.slotFileByteCount)
        } catch {
          throw .system(error, path: path)
        }
        guard try slot.isProved(by: bytes) else { throw .slotNotProved(path: path) }
      }
    }
  }

  private mutating func place(
    _ slot: NewSlot, _ folderName: [UInt8], _ target: borrowing Directory
  ) throws(SystemError) {
    try Self.write(slot.bytes, as: Layout.stagedSlot, in: folder)
    // A rename that is reported as failed may have happened.
    placed.append((folderName, slot.name))
    do {
      try folder.rename(Layout.stagedSlot, to: target, slot.name, replacing: .forbidden)
    } catch {
      // What has the name already is not the run's.
      if error.code == .exists { placed.removeLast() }
      throw error
    }
  }

  /// New slots of a compartment that has no segment to list them (spec §9.1): they stay, and the run's folder goes.
  /// - Throws: `system`, `slotNotProved`; then no slot stays.
  mutating func placeUnlisted(_ slots: [NewSlot]) throws(StoreError) {
    try place(slots)
    placed = []
  }

  private static func write(
    _ bytes: [UInt8], as name: [UInt8], in folder: borrowing Directory
  ) throws(SystemError) {
    let file = try folder.createFile(name, mode: 0o666)
    try file.write(bytes.span, at: 0)
    try file.sync()
    try file.close()
  }
}
