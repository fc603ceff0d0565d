internal import VaultFormat
internal import VaultSealing

/// What a compartment that was handed over leaves behind: its slots and segments go (spec §7.5). Its notes go with the plan
/// of the run.
struct HandOverRemoval: Sendable {
  private var slots: [SlotFile]
  private let segments: [SegmentID]

  /// What the hand-over that is about to be committed closes.
  init(of index: CompartmentIndex, _ snapshot: Snapshot) {
    segments = index.graph.nodes.keys.sorted()
    slots = snapshot.slots.filter {
      $0.slot?.head.compartment == index.compartment || index.slots[$0.locator] != nil
    }
  }

  /// What the hand-overs of an index have closed; no slot while none that stays lies in `index/`.
  init(_ snapshot: Snapshot) {
    segments = snapshot.handedOverSegments
    let stays = snapshot.slots.contains { file in
      !file.isSpare
        && snapshot.compartments.values.contains {
          $0.slots[file.locator]?.current.contains(file.state) ?? false
        }
    }
    slots = stays ? snapshot.slots.filter(snapshot.isHandedOver) : []
  }

  /// Removes the slots, then the segments.
  /// - Throws: `system`.
  func run(in vault: VaultFolder) throws(StoreError) {
    for (folder, isSpare) in [(Layout.index, false), (Layout.spare, true)] {
      try remove(
        slots.filter { $0.isSpare == isSpare }.map { Layout.slot($0.locator) }, folder, vault)
    }
    try remove(segments.map(Layout.segment), Layout.index, vault)
  }

  private func remove(
    _ names: [[UInt8]], _ folder: [UInt8], _ vault: VaultFolder
  ) throws(StoreError) {
    if names.isEmpty { return }
    do {
      let folder = try Directory(opening: folder, in: vault.root)
      for name in names where try folder.status(of: name) != nil { try folder.unlink(name) }
      try folder.sync()
    } catch {
      throw .system(error, path: folder)
    }
  }
}

extension Snapshot {
  /// Whether a segment that is there closes a compartment.
  func isHandOver(_ segment: SegmentID) -> Bool {
    compartments.values.contains { index in
      index.live.contains { $0.id == segment && $0.verified.file.head.isHandOver }
    }
  }

  /// Whether a slot file belongs to a compartment that was handed over whole.
  func isHandedOver(_ file: SlotFile) -> Bool {
    guard let compartment = file.slot?.head.compartment else { return false }
    return handOvers.closed[compartment] != nil && compartments[compartment] == nil
  }
}
