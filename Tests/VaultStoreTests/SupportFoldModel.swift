import VaultFormat

/// The rules of the index as plain sets, written down a second time (spec §7.2): the model that the code is compared
/// with.
struct FoldModel {
  /// What a segment says about one thing, or what all live ones say together.
  struct Thing: Equatable {
    var states = Set<State>()
    var over = Set<StatePrefix>()
    /// Nil where nothing is said about the place.
    var place: PlaceLine?
    var records: [State: ContentRecord] = [:]

    /// What nobody supersedes.
    var current: Set<State> { states.filter { !over.contains($0.prefix) } }

    mutating func join(_ other: Thing) {
      states.formUnion(other.states)
      over.formUnion(other.over)
      records.merge(other.records) { ours, _ in ours }
      if let theirs = other.place { place = max(place ?? theirs, theirs) }
    }
  }

  /// The highest version wins, among equals the greater path, then the executable one.
  struct PlaceLine: Equatable, Comparable {
    let version: UInt64
    let path: [UInt8]
    let executable: Bool

    static func < (one: PlaceLine, other: PlaceLine) -> Bool {
      if one.version != other.version { return one.version < other.version }
      if one.path != other.path { return one.path.lexicographicallyPrecedes(other.path) }
      return !one.executable && other.executable
    }
  }

  struct Segment {
    let replaces: Set<SegmentID>
    let things: [EntryID: Thing]
  }

  let things: [EntryID: Thing]

  init(_ present: [SegmentID: Segment]) {
    let replaced = Set(present.values.flatMap(\.replaces))
    var things: [EntryID: Thing] = [:]
    for (id, segment) in present where !replaced.contains(id) {
      for (entry, thing) in segment.things { things[entry, default: Thing()].join(thing) }
    }
    self.things = things
  }
}
