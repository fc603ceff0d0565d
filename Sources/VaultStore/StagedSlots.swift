internal import VaultFormat

/// The slots that a run without a commit has put into `index/` and `spare/` (spec §9.1).
struct StagedSlots {
  /// A slot file of such a run.
  struct File: Hashable {
    let folder: [UInt8]
    let name: [UInt8]

    init(_ file: SlotFile) {
      folder = file.isSpare ? Layout.spare : Layout.index
      name = Layout.slot(file.locator)
    }
  }

  let files: [File]
  private let vault: VaultFolder

  /// What a run says of the slots that it is about to make: their locators, ascending.
  static func announcement(of slots: [NewSlot]) -> [UInt8] {
    slots.map(\.slot.head.locator).sorted().flatMap(\.bytes)
  }

  /// The slots that a run announced, unless a valid segment lists them by now.
  /// - Throws: `system`.
  init(of run: StagedRuns.Run, in vault: VaultFolder, _ snapshot: Snapshot) throws(StoreError) {
    self.vault = vault
    guard !run.isCommitted else {
      files = []
      return
    }
    var announced = try Self.announced(by: run, in: vault)
    for index in snapshot.compartments.values {
      announced.subtract(index.slots.keys)
    }
    files = snapshot.slots.filter { announced.contains($0.locator) }.map(File.init)
  }

  private static func announced(
    by run: StagedRuns.Run, in vault: VaultFolder
  ) throws(StoreError) -> Set<Locator> {
    guard let staging = try vault.subfolder(Layout.staging),
      // What cannot be read says nothing about slots.
      let folder = try? Directory(opening: run.name, in: staging),
      let bytes = try? folder.readWhole(
        Layout.stagedSlots, limit: Limits.slotFiles * Locator.byteCount)
    else { return [] }
    var reader = ByteReader(bytes.span)
    var announced = Set<Locator>()
    while let locator = try? Locator(parsing: &reader, as: "locator") { announced.insert(locator) }
    return announced
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
