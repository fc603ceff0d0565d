import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// A random history of two branches that pack, compact, merge as git does, and get old segments back. Everything follows
/// from the seed.
struct TestHistory {
  static let vaultDigest = Digest(1, 2, 3, 4)

  let secret: CompartmentSecret
  var random: SeededBytes
  /// Every segment ever made, and what the model knows of it.
  private(set) var segments: [SegmentID: LiveSegment] = [:]
  private(set) var models: [SegmentID: FoldModel.Segment] = [:]
  private(set) var branches: [Set<SegmentID>] = [[], []]
  private var base: Set<SegmentID> = []
  private var nextNumber: UInt64 = 0

  init(seed: UInt64) throws {
    random = SeededBytes(seed: seed)
    let masterKey = try SecretBytes(copying: random.bytes(Limits.masterKeyByteCount).span)
    let vaultID = VaultID(high: random.next(), low: random.next())
    secret = CompartmentSecret(try CompartmentKeys(masterKey: masterKey, vaultID: vaultID))
  }

  func index(of present: Set<SegmentID>) -> CompartmentIndex {
    index(of: present.sorted().compactMap { segments[$0] })
  }

  func index(of segments: [LiveSegment]) -> CompartmentIndex {
    CompartmentIndex(
      compartment: secret.keys.compartmentID, signer: secret.keys.signer, segments: segments)
  }

  func model(of present: Set<SegmentID>) -> FoldModel {
    FoldModel(models.filter { present.contains($0.key) })
  }

  // MARK: - Steps

  /// Does something to one branch and says to which.
  mutating func step() throws -> Int {
    let branch = Int.random(in: 0..<2, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<8: try pack(branch)
    case 8..<11: try compactSome(of: branch)
    case 11..<14:
      let theirs = branches[1 - branch]
      let ours = branches[branch]
      branches[branch] = ours.intersection(theirs).union(ours.subtracting(base))
        .union(theirs.subtracting(base))
      base = theirs
    default:
      guard let old = segments.keys.sorted().randomElement(using: &random) else { break }
      branches[branch].insert(old)
    }
    return branch
  }

  private mutating func number() -> UInt64 {
    nextNumber += 1
    return nextNumber
  }

  private mutating func pack(_ branch: Int) throws {
    let known = model(of: branches[branch]).things
    var things: [EntryID: FoldModel.Thing] = [:]
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let id = newOrKnown(known.keys.sorted())
      things[id] = try edit(of: id, known[id] ?? FoldModel.Thing())
    }
    let index = index(of: branches[branch])
    try add(things, parents: index.graph.parentsForNewSegment, to: branch)
  }

  private mutating func newOrKnown(_ known: [EntryID]) -> EntryID {
    if Int.random(in: 0..<3, using: &random) > 0, let id = known.randomElement(using: &random) {
      return id
    }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .slot(Locator(number(), 0, 0, 0))
    case 1: return .companion(CompanionFiles.all[2].path)
    default: return .note(NoteID(high: random.next(), low: number()))
    }
  }

  /// A new content, a deletion or another place, over all that is current.
  private mutating func edit(of id: EntryID, _ known: FoldModel.Thing) throws -> FoldModel.Thing {
    var thing = FoldModel.Thing()
    let kind = known.states.isEmpty ? 0 : Int.random(in: 0..<4, using: &random)
    if kind == 3, id.isNote {
      thing.place = place(known.place.map { $0.version + 1 } ?? 1)
      return thing
    }
    thing.over = Set(known.current.map(\.prefix))
    if kind == 2 {
      thing.states = [.grave(Grave(high: random.next(), low: number()))]
      return thing
    }
    let byteCount = number()
    let state = State.file(Digest(random.next(), byteCount, 0, 0), byteCount: byteCount)
    thing.states = [state]
    guard id.isNote else { return thing }
    thing.records[state] = try ContentRecord(
      type: .file, mediaType: nil, contentByteCount: byteCount, payloadByteCount: byteCount,
      compression: .none, created: nil, modified: try Timestamp(seconds: 0, nanoseconds: 0),
      laterKeys: LaterKeys())
    if known.place == nil { thing.place = place(1) }
    return thing
  }

  private mutating func place(_ version: UInt64) -> FoldModel.PlaceLine {
    FoldModel.PlaceLine(
      version: version, path: Array("path \(Int.random(in: 0..<4, using: &random))".utf8),
      executable: Bool.random(using: &random))
  }

  private mutating func add(
    _ things: [EntryID: FoldModel.Thing], parents: [SegmentID], to branch: Int
  ) throws {
    var entries: [IndexEntry] = []
    var items: [SegmentBody.Item] = []
    for (id, thing) in things.sorted(by: { $0.key < $1.key }) {
      entries.append(
        try IndexEntry(
          id: id, states: SmallList(thing.states.sorted()), over: SmallList(thing.over.sorted()),
          placeVersion: thing.place?.version ?? 0, laterKeys: LaterKeys()))
      guard id.isNote else { continue }
      items.append(
        .init(
          records: SmallList(thing.states.sorted().compactMap { thing.records[$0] }),
          place: try thing.place.map { try Place(path: $0.path, executable: $0.executable) }))
    }
    let segment = try TestSegments.seal(
      SegmentLists(parents: parents, replaces: [], excuses: [], entries: entries), items,
      keys: secret.keys, vaultDigest: Self.vaultDigest, random: &random)
    segments[segment.id] = segment
    models[segment.id] = FoldModel.Segment(replaces: [], things: things)
    branches[branch].insert(segment.id)
  }

  private mutating func compactSome(of branch: Int) throws {
    let merged = try compaction(of: branches[branch])
    guard let merged else { return }
    branches[branch].subtract(merged.lists.replaces)
    branches[branch].insert(merged.id)
  }

  /// Merges a random subset of the live segments and says which segment came of it; nil if there was none.
  mutating func compaction(of present: Set<SegmentID>) throws -> LiveSegment? {
    let live = index(of: present).live
    let subset = live.filter { _ in Bool.random(using: &random) }
    guard !subset.isEmpty else { return nil }
    return try compaction(of: subset, among: present)
  }

  mutating func compaction(
    of subset: [LiveSegment], among present: Set<SegmentID>
  ) throws -> LiveSegment {
    let left = index(of: present.subtracting(subset.map(\.id)))
    let merged = try TestSegments.compact(
      subset, keys: secret, vaultDigest: Self.vaultDigest, parents: left.graph.parentsForNewSegment,
      random: &random)
    segments[merged.id] = merged
    // In the model a compaction is just all that its segments say.
    models[merged.id] = FoldModel.Segment(
      replaces: Set(merged.lists.replaces),
      things: FoldModel(models.filter { id, _ in subset.contains { $0.id == id } }).things)
    return merged
  }
}
