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

  /// The slots that a run announced, unless a valid segment lists them by now, or nothing else opens their compartment.
  ///
  /// A run whose segment has left its folder committed: where that segment is lost, the slots that it listed are the
  /// only ones that may be left.
  /// - Throws: `system`.
  init(of run: StagedRuns.Run, in vault: VaultFolder, _ snapshot: Snapshot) throws(StoreError) {
    self.vault = vault
    guard !run.isCommitted, try Self.mayAnnounce(run, in: vault) else {
      files = []
      return
    }
    var announced = try Self.announced(by: run, in: vault)
    for index in snapshot.compartments.values {
      announced.subtract(index.slots.keys)
    }
    let open = Set(
      snapshot.slots.filter { !announced.contains($0.locator) }
        .compactMap { $0.slot?.head.compartment })
    let files = snapshot.slots.filter { file in
      guard announced.contains(file.locator) else { return false }
      guard let compartment = file.slot?.head.compartment else { return true }
      return open.contains(compartment) || snapshot.compartments[compartment] == nil
    }
    self.files = files.map(File.init)
  }

  /// Whether a run has certainly not committed: it has no segment yet, or still has it.
  private static func mayAnnounce(
    _ run: StagedRuns.Run, in vault: VaultFolder
  ) throws(StoreError) -> Bool {
    guard run.segment != nil else { return true }
    guard let staging = try vault.subfolder(Layout.staging) else { return false }
    do {
      return try Directory(opening: run.name, in: staging).status(of: Layout.stagedSegment) != nil
    } catch {
      throw .system(error, path: Layout.path(Layout.staging, run.name))
    }
  }

  static func announced(
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

  var locators: Set<Locator> { Set(files.compactMap { FileNameHex.locator($0.name) }) }

  /// Removes the files.
  /// - Returns: the slots whose files they were.
  /// - Throws: `system`.
  func remove() throws(StoreError) -> Set<Locator> {
    for file in files {
      do {
        try Directory(opening: file.folder, in: vault.root).unlink(file.name)
      } catch {
        throw .system(error, path: Layout.path(file.folder, file.name))
      }
    }
    return locators
  }
}
