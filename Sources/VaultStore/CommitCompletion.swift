internal import VaultFormat

/// Step 5 of the commit protocol: staged files go to their place, deleted notes go (spec §9). The same for the run that
/// committed and for a later writer that completes it.
struct CommitCompletion {
  let vault: VaultFolder
  /// The folder in `staging/`, named by the segment.
  let name: [UInt8]
  let plan: CommitPlan
  /// How a digest, or no file where it is nil, stands to the index now; nil where this process has just committed the
  /// run itself and nobody else could touch what it staged.
  let standing: (@Sendable (NoteID, Digest?) -> Standing)?

  /// What the index says of one state of a note.
  enum Standing: Sendable { case current, superseded, neverListed }

  /// Moves and deletes; what is not as it was before the run is left alone, and then the folder stays. A staged file that
  /// a later segment supersedes goes.
  /// - Returns: how many notes were left alone.
  /// - Throws: `system`.
  func run() throws(StoreError) -> Int {
    if plan.items.isEmpty {
      try removeFolder()
      return 0
    }
    let queue = WorkQueue(count: (plan.items.count + Self.batch - 1) / Self.batch)
    let outcome = Monitor(Outcome())
    let workers = plan.items.count > Self.batch ? Processors.count : 1
    do throws(SystemError) {
      try Workers.run(count: workers) { _ in
        do throws(StoreError) {
          var place = try NotePlace(vault: vault, staged: name)
          while let batch = queue.next() {
            let first = batch * Self.batch
            for item in plan.items[first..<min(first + Self.batch, plan.items.count)] {
              let isDone =
                if let standing {
                  try place.settle(item) { standing(item.noteID, $0) }
                } else { try place.settle(item) }
              if !isDone { outcome.change { $0.leftAlone += 1 } }
            }
          }
        } catch {
          queue.cancel()
          outcome.change { $0.error = $0.error ?? error }
        }
      }
    } catch {
      throw .system(error, path: Layout.staging)
    }
    let (leftAlone, error) = outcome.change { ($0.leftAlone, $0.error) }
    if let error { throw error }
    if leftAlone == 0 { try removeFolder() }
    return leftAlone
  }

  private static let batch = 64

  private struct Outcome: Sendable {
    var leftAlone = 0
    var error: StoreError?
  }

  private func removeFolder() throws(StoreError) {
    do {
      if !plan.items.isEmpty { try vault.root.syncFileSystem() }
      let staging = try Directory(opening: Layout.staging, in: vault.root)
      let folder = try Directory(opening: name, in: staging)
      for file in Layout.runFiles where try folder.status(of: file) != nil {
        try folder.unlink(file)
      }
      // What a run did not put there stays, and its folder with it.
      if try folder.entries().isEmpty { try staging.removeDirectory(name) }
      if try staging.entries().isEmpty { try vault.root.removeDirectory(Layout.staging) }
    } catch {
      throw .system(error, path: Layout.path(Layout.staging, name))
    }
  }
}

/// Where one worker puts notes; keeps the last folder of `notes/` open.
private struct NotePlace: ~Copyable {
  private let vault: VaultFolder
  private let staged: Directory
  private let notes: Directory
  private var folder: Directory
  private var folderName: [UInt8] = []
  private var hasher: NoteHasher

  init(vault: VaultFolder, staged: [UInt8]) throws(StoreError) {
    let hasher = try NoteHasher()
    do {
      let staging = try Directory(opening: Layout.staging, in: vault.root)
      let stagedFolder = try Directory(opening: staged, in: staging)
      if try vault.root.status(of: Layout.notes) == nil {
        try vault.root.makeDirectory(Layout.notes, mode: 0o777)
      }
      let notes = try Directory(opening: Layout.notes, in: vault.root)
      let folder = try notes.reopened()
      self.staged = stagedFolder
      self.notes = notes
      self.folder = folder
    } catch {
      throw .system(error, path: Layout.path(Layout.staging, staged))
    }
    self.vault = vault
    self.hasher = hasher
  }

  /// As below, for a run that another process staged: nothing it left is trusted. A staged file is moved only if it is
  /// the current one, and removed only if it is superseded or lies in place already.
  mutating func settle(
    _ item: CommitPlan.Item, _ standing: (Digest?) -> CommitCompletion.Standing
  ) throws(StoreError) -> Bool {
    let name = FileNameHex.name(of: item.noteID)
    switch try content(of: item.noteID, name, in: .staging) {
    case .other: return false
    case .nothing: return standing(item.after) == .current ? try settle(item) : true
    case .file(let digest):
      switch standing(digest) {
      case .neverListed: return false
      case .superseded:
        try removeStaged(name)
        return true
      case .current: return digest == item.after ? try settle(item) : false
      }
    }
  }

  /// Brings one note to the state after; false when it is neither as before nor as after.
  mutating func settle(_ item: CommitPlan.Item) throws(StoreError) -> Bool {
    let name = FileNameHex.name(of: item.noteID)
    do {
      try enter(FileNameHex.folder(of: item.noteID))
      if item.after != nil, item.before == nil, try place(name, replacing: .forbidden) {
        return true
      }
    } catch {
      throw .system(error, path: Layout.notePath(item.noteID))
    }
    let onDisk = try content(of: item.noteID, name, in: .notes)
    if onDisk == Content(item.after) {
      try removeStaged(name)
      return true
    }
    guard onDisk == Content(item.before) else { return false }
    do {
      guard item.after != nil else {
        try folder.unlink(name)
        return true
      }
      return try place(name, replacing: .allowed)
    } catch {
      throw .system(error, path: Layout.notePath(item.noteID))
    }
  }

  private mutating func enter(_ name: [UInt8]) throws(SystemError) {
    if name == folderName { return }
    do {
      folder = try Directory(opening: name, in: notes)
    } catch {
      guard error.code == .notFound else { throw error }
      do { try notes.makeDirectory(name, mode: 0o777) } catch {
        if error.code != .exists { throw error }  // another worker was faster
      }
      folder = try Directory(opening: name, in: notes)
    }
    folderName = name
  }

  /// Moves a staged file; false where none is staged, or another file has its place.
  private func place(_ name: [UInt8], replacing: Replacing) throws(SystemError) -> Bool {
    do {
      try staged.rename(name, to: folder, name, replacing: replacing)
      return true
    } catch {
      if error.code == .notFound || error.code == .exists { return false }
      throw error
    }
  }

  private enum Place { case staging, notes }

  /// What has a note's name in `notes/` or in the folder of the run.
  private enum Content: Equatable {
    case nothing
    case file(Digest)
    /// Not the sealed file of this note: damaged, or another thing.
    case other

    init(_ digest: Digest?) { self = digest.map(Self.file) ?? .nothing }
  }

  private mutating func content(
    of note: NoteID, _ name: [UInt8], in place: Place
  ) throws(StoreError) -> Content {
    let path = place == .notes ? Layout.notePath(note) : Layout.path(Layout.staging, name)
    do throws(StoreError) {
      let file: FileDescriptor
      do {
        switch place {
        case .notes:
          guard try folder.status(of: name) != nil else { return .nothing }
          file = try folder.openFile(name)
        case .staging:
          guard try staged.status(of: name) != nil else { return .nothing }
          file = try staged.openFile(name)
        }
      } catch {
        throw .system(error, path: path)
      }
      guard case .file(let digest, _) = try hasher.state(of: file, note: note, path: path) else {
        return .other
      }
      return .file(digest)
    } catch {
      switch error {
      case .damaged, .noteNotAsListed, .system(.notRegular, _): return .other
      default: throw error
      }
    }
  }

  private func removeStaged(_ name: [UInt8]) throws(StoreError) {
    do { try staged.unlink(name) } catch {
      if error.code != .notFound { throw .system(error, path: Layout.staging) }
    }
  }
}
