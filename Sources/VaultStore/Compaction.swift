internal import VaultFormat
internal import VaultSealing

/// Merges live segments of one compartment into one that says the same (spec §7.4).
package enum Compaction {
  /// At most this many segments stay in one size tier, and a tier's segments are so many times larger than those below.
  package static let fan = 16

  /// The segments of the smallest tier that holds too many, ascending; none when nothing is due.
  package static func due(_ index: CompartmentIndex) -> [LiveSegment] {
    var tiers: [Int: [LiveSegment]] = [:]
    for segment in index.live where !segment.forbidsCompaction {
      tiers[tier(of: segment), default: []].append(segment)
    }
    let full = tiers.filter { $0.value.count > fan }
    return full.min { $0.key < $1.key }?.value ?? []
  }

  private static func tier(of segment: LiveSegment) -> Int {
    var size = max(1, segment.lists.entries.count + segment.lists.replaces.count)
    var tier = 0
    while size >= fan {
      size /= fan
      tier += 1
    }
    return tier
  }

  /// Merges until nothing is due; each merge is a segment of its own.
  /// - Returns: how many segments were merged into others.
  /// - Throws: `changedMeanwhile`, `system`, `sealing`.
  package static func run(
    _ session: inout WriterSession, secret: CompartmentSecret
  ) throws(StoreError) -> Int {
    try session.removeReplaced()
    var mergedCount = 0
    while let index = session.snapshot.compartments[secret.keys.compartmentID] {
      let inputs = due(index)
      guard !inputs.isEmpty, try merge(inputs, of: index, in: &session, secret: secret) else {
        break
      }
      mergedCount += inputs.count
    }
    return mergedCount
  }

  /// - Returns: false when the merge is not made, because it would pass a maximum of the format.
  private static func merge(
    _ inputs: [LiveSegment], of index: CompartmentIndex, in session: inout WriterSession,
    secret: CompartmentSecret
  ) throws(StoreError) -> Bool {
    var merger = SegmentMerger()
    var decompressor: ZstdDecompressor
    do { decompressor = try ZstdDecompressor() } catch { throw .sealing(.zstd(error), path: []) }
    for segment in inputs {
      do {
        merger.take(
          segment,
          try SegmentOpening.openBox(
            of: segment.verified, segment.bytes.span, keys: secret.keys,
            expandingWith: &decompressor))
      } catch {
        throw .sealing(error, path: Layout.path(Layout.index, FileNameHex.name(of: segment.id)))
      }
    }
    let gone = inputs.map(\.id)
    let left = index.graph.nodes.filter { !gone.contains($0.key) }
    let lists: SegmentLists
    do {
      lists = try merger.lists(
        parents: SegmentGraph(nodes: left).parentsForNewSegment, replacing: gone)
    } catch {
      return false  // it would pass a maximum
    }
    try session.commitMerge(
      lists, items: try merger.items(for: lists.entries), secret: secret, removing: gone)
    try session.refresh()
    return true
  }
}

/// What a subset of live segments says together.
struct SegmentMerger {
  private var registers: [EntryID: Register] = [:]
  private var records: [NoteID: [State: ContentRecord]] = [:]
  private var places: [NoteID: (version: UInt64, place: Place)] = [:]
  private var replaces = Set<SegmentID>()
  private var excuses = Set<SegmentID>()

  mutating func take(_ segment: LiveSegment, _ body: SegmentBody) {
    precondition(!segment.lists.omitsNotes, "a segment is merged with all that it lists")
    replaces.formUnion(segment.lists.replaces)
    excuses.formUnion(segment.lists.excuses)
    var items = body.items.makeIterator()
    for entry in segment.lists.entries {
      registers[entry.id, default: Register()].join(entry)
      guard case .note(let note) = entry.id, let item = items.next() else { continue }
      for (state, record) in zip(entry.states.filter(\.isFile), item.records) {
        records[note, default: [:]][state] = record
      }
      guard let place = item.place else { continue }
      let known = places[note]
      if known.map({ ($0.version, $0.place) < (entry.placeVersion, place) }) ?? true {
        places[note] = (entry.placeVersion, place)
      }
    }
  }

  /// - Throws: `wrongItemCount` where a maximum would be passed: then the merge is not made.
  func lists(
    parents: [SegmentID], replacing: [SegmentID]
  ) throws(FormatError) -> SegmentLists {
    var entries: [IndexEntry] = []
    for (id, register) in registers.sorted(by: { $0.key < $1.key }) {
      entries.append(
        try IndexEntry(
          id: id, states: SmallList(register.current), over: SmallList(register.superseded),
          placeVersion: register.placeVersion, laterKeys: LaterKeys()))
    }
    return try SegmentLists(
      parents: parents, replaces: replaces.union(replacing).sorted(), excuses: excuses.sorted(),
      entries: entries)
  }

  /// The items of the note entries, in their order.
  func items(for entries: [IndexEntry]) throws(StoreError) -> [SegmentBody.Item] {
    var items: [SegmentBody.Item] = []
    for entry in entries {
      guard case .note(let note) = entry.id else { continue }
      let known = records[note] ?? [:]
      let records = entry.states.compactMap { known[$0] }
      items.append(
        SegmentBody.Item(
          records: SmallList(records), place: entry.placeVersion > 0 ? places[note]?.place : nil))
    }
    return items
  }
}
