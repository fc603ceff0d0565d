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
  private var isCommitted = false

  /// Makes the folder of a new run.
  /// - Throws: `system`.
  package init(in root: borrowing Directory, id: NoteID) throws(StoreError) {
    let name = Layout.runFolder(id)
    do {
      let root = try root.reopened()
      if try root.status(of: Layout.staging) == nil {
        try root.makeDirectory(Layout.staging, mode: 0o777)
      }
      let staging = try Directory(opening: Layout.staging, in: root)
      try staging.makeDirectory(name, mode: 0o777)
      let folder = try Directory(opening: name, in: staging)
      self.root = root
      self.staging = staging
      self.folder = folder
      self.name = name
    } catch {
      throw .system(error, path: Layout.staging)
    }
  }

  deinit {
    guard !isCommitted else { return }
    // What cannot be removed is a leftover, which `verify` reports and the next writer removes.
    for entry in (try? folder.entries()) ?? [] { try? folder.unlink(entry.name) }
    try? staging.removeDirectory(name)
    if let others = try? staging.entries(), others.isEmpty {
      try? root.removeDirectory(Layout.staging)
    }
  }

  /// Steps 2 and 4 of the protocol: the plan, one sync for everything, then the segment. When this returns the change
  /// has happened; when it throws it has not.
  /// - Parameter isStillValid: step 3, called after the sync and right before the commit.
  /// - Throws: `system`, or what `isStillValid` throws.
  package mutating func commit(
    plan: CommitPlan, segment: [UInt8], id: SegmentID, isStillValid: () throws(StoreError) -> Void
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
    try isStillValid()
    do {
      let committed = Array(id.hex.utf8)
      try staging.rename(name, to: staging, committed, replacing: .forbidden)
      name = committed
      try staging.sync()
      let index = try Directory(opening: Layout.index, in: root)
      try folder.rename(
        Layout.stagedSegment, to: index, Layout.segment(id), replacing: .forbidden)
      isCommitted = true
      try index.sync()
    } catch {
      throw .system(error, path: Layout.path(Layout.index, Layout.segment(id)))
    }
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
