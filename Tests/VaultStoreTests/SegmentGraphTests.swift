import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Who is live, who is missing, and whom a new segment names as parents (spec §7.2, §7.4).
@Suite struct SegmentGraphTests {
  private typealias Nodes = [SegmentID: SegmentGraph.Node]

  private static func id(_ number: Int) -> SegmentID { SegmentID(high: 0, low: UInt64(number)) }

  private func node(
    parents: [Int] = [], replaces: [Int] = [], excuses: [Int] = []
  ) -> SegmentGraph.Node {
    SegmentGraph.Node(
      parents: parents.map(Self.id), replaces: replaces.map(Self.id),
      excuses: excuses.map(Self.id))
  }

  private func graph(_ nodes: [Int: SegmentGraph.Node]) -> SegmentGraph {
    SegmentGraph(
      nodes: Dictionary(uniqueKeysWithValues: nodes.map { (Self.id($0.key), $0.value) }))
  }

  private func numbers(_ ids: [SegmentID]) -> [Int] {
    ids.map { id in (0..<10_000).first { Self.id($0) == id } ?? -1 }
  }

  @Test func aSegmentIsLiveUnlessAPresentOneReplacesIt() {
    let graph = graph([1: node(), 2: node(parents: [1]), 3: node(replaces: [1, 7])])
    #expect(numbers(graph.live) == [2, 3])
    #expect(numbers(graph.superfluous) == [1])
    #expect(graph.replaced == Set([1, 7].map(Self.id)))
  }

  @Test func aReplacedSegmentReplacesAllTheSame() {
    let graph = graph([1: node(), 2: node(replaces: [1]), 3: node(replaces: [2])])
    #expect(numbers(graph.live) == [3])
    #expect(numbers(graph.superfluous) == [1, 2])
  }

  @Test func aParentThatIsNeitherThereNorReplacedNorExcusedIsMissing() {
    let missing = graph([
      2: node(parents: [1, 4, 5]), 3: node(parents: [1], replaces: [4], excuses: [5]),
    ])
    .missing
    #expect(numbers(missing.map(\.segment)) == [1])
    #expect(numbers(missing.map(\.namedBy)) == [2])
  }

  @Test func whatOnlyAReplacedSegmentNamesOrExcusesDoesNotCount() {
    let named = graph([2: node(parents: [1]), 3: node(replaces: [2])])
    #expect(named.missing.isEmpty)
    let excused = graph([2: node(excuses: [1]), 3: node(parents: [1], replaces: [2])])
    #expect(numbers(excused.missing.map(\.segment)) == [1])
  }

  // MARK: - Parents

  @Test func aHistoryWithoutBranchesNeedsOneParent() {
    var nodes: [Int: SegmentGraph.Node] = [:]
    for number in 0..<50 {
      let parents = numbers(graph(nodes).parentsForNewSegment)
      #expect(parents == (number == 0 ? [] : [number - 1]))
      nodes[number] = node(parents: parents)
    }
  }

  @Test func branchesNeedOneParentEachAndOneTogetherAfterwards() {
    var nodes = [
      0: node(), 1: node(parents: [0]), 2: node(parents: [0]), 3: node(parents: [2]),
    ]
    #expect(numbers(graph(nodes).parentsForNewSegment) == [1, 3])
    nodes[4] = node(parents: [1, 3])
    #expect(numbers(graph(nodes).parentsForNewSegment) == [4])
  }

  @Test func aCompactionIsReachedThroughTheIdThatItAloneReplaces() {
    let nodes = [2: node(parents: [1]), 3: node(replaces: [0, 1])]
    #expect(numbers(graph(nodes).parentsForNewSegment) == [2])
    #expect(!graph([2: node(parents: [1])]).missing.isEmpty, "which is found without it")
  }

  @Test func anIdThatTwoReplaceLeadsToNeither() {
    let nodes = [
      2: node(parents: [1]), 3: node(replaces: [0, 1]), 4: node(replaces: [1, 5]),
    ]
    #expect(numbers(graph(nodes).parentsForNewSegment) == [2, 3, 4])
  }

  @Test func anIdWhoseFileIsStillThereDoesNotLeadOn() {
    // A compaction that was cut short before it deleted what it replaces.
    let nodes = [1: node(), 2: node(parents: [1]), 3: node(replaces: [0, 1])]
    #expect(numbers(graph(nodes).parentsForNewSegment) == [2, 3])
    #expect(graph([1: node(), 2: node(parents: [1])]).missing.isEmpty, "nobody would miss it")
  }

  @Test func anIdThatAReplacedSegmentReplacesTooDoesNotLeadOn() {
    let nodes = [2: node(parents: [1]), 3: node(replaces: [1]), 4: node(replaces: [0, 1, 3])]
    #expect(numbers(graph(nodes).parentsForNewSegment) == [2, 4])
  }

  @Test func anIdThatIsExcusedDoesNotLeadOn() {
    let nodes = [2: node(parents: [1], excuses: [1]), 3: node(replaces: [0, 1])]
    #expect(numbers(graph(nodes).parentsForNewSegment) == [2, 3])
  }

  @Test func segmentsThatReachEachOtherInACircleAreNamedOnce() {
    let nodes = [2: node(parents: [11], replaces: [10]), 3: node(parents: [10], replaces: [11])]
    #expect(graph(nodes).missing.isEmpty)
    #expect(numbers(graph(nodes).parentsForNewSegment) == [2])
    #expect(numbers(graph([2: node(parents: [11], replaces: [10])]).missing.map(\.segment)) == [11])
    #expect(numbers(graph([3: node(parents: [10], replaces: [11])]).missing.map(\.segment)) == [10])
  }

  // MARK: - Random histories

  /// What a new segment that names the parents makes sure of: without any one live segment something is missing.
  private func expectEachIsMissed(_ graph: SegmentGraph, _ comment: String) {
    let excused = Set(graph.live.flatMap { graph.nodes[$0]?.excuses ?? [] })
    let new = Self.id(9_999)
    var nodes = graph.nodes
    nodes[new] = .init(parents: graph.parentsForNewSegment, replaces: [], excuses: [])
    let whole = Set(SegmentGraph(nodes: nodes).missing.map(\.segment))
    #expect(numbers(SegmentGraph(nodes: nodes).parentsForNewSegment) == [9_999], "\(comment)")
    for id in graph.live where !excused.contains(id) {
      var without = nodes
      without[id] = nil
      let missing = Set(SegmentGraph(nodes: without).missing.map(\.segment))
      #expect(!missing.isSubset(of: whole), "\(comment), without \(numbers([id]))")
    }
    // Before the new segment only the ones that it has to name can vanish unseen.
    for id in graph.live where !excused.contains(id) {
      var without = graph.nodes
      without[id] = nil
      if SegmentGraph(nodes: without).missing.map(\.segment) == graph.missing.map(\.segment) {
        #expect(graph.parentsForNewSegment.contains(id), "\(comment): \(numbers([id]))")
      }
    }
  }

  @Test(arguments: 0..<40) func everyLiveSegmentIsMissedInEveryHistory(seed: UInt64) {
    var random = SeededBytes(seed: seed)
    var next = 0
    var branches: [Nodes] = [[:], [:]]
    var base: Nodes = [:]
    func add(_ node: SegmentGraph.Node, to branch: Int) {
      branches[branch][Self.id(next)] = node
      next += 1
    }
    for step in 0..<60 {
      let branch = Int.random(in: 0..<2, using: &random)
      let graph = SegmentGraph(nodes: branches[branch])
      switch Int.random(in: 0..<12, using: &random) {
      case 0...5:
        add(.init(parents: graph.parentsForNewSegment, replaces: [], excuses: []), to: branch)
      case 6, 7:
        let subset = Set(graph.live.filter { _ in Bool.random(using: &random) })
        guard !subset.isEmpty else { continue }
        let replaces = subset.union(subset.flatMap { graph.nodes[$0]?.replaces ?? [] })
        let excuses = Set(subset.flatMap { graph.nodes[$0]?.excuses ?? [] })
        let left = graph.nodes.filter { !subset.contains($0.key) }
        add(
          .init(
            parents: SegmentGraph(nodes: left).parentsForNewSegment, replaces: replaces.sorted(),
            excuses: excuses.sorted()), to: branch)
        // Now and then it is cut short, and some of what it replaces stays.
        let cutShort = Int.random(in: 0..<3, using: &random) == 0
        for id in subset where !cutShort || Bool.random(using: &random) {
          branches[branch][id] = nil
        }
      case 8, 9:
        // As git merges files that are only ever added and deleted.
        let theirs = branches[1 - branch]
        branches[branch] = branches[branch].filter { theirs[$0.key] != nil || base[$0.key] == nil }
          .merging(theirs.filter { base[$0.key] == nil }) { ours, _ in ours }
        base = theirs
      case 10:
        // A segment goes with a revert, and a person accepts that.
        guard let gone = graph.live.randomElement(using: &random) else { continue }
        branches[branch][gone] = nil
        let left = SegmentGraph(nodes: branches[branch])
        add(
          .init(
            parents: left.parentsForNewSegment, replaces: [],
            excuses: left.missing.map(\.segment)), to: branch)
        #expect(SegmentGraph(nodes: branches[branch]).missing.isEmpty, "seed \(seed), step \(step)")
      default:
        // An old segment comes back.
        guard let old = base.keys.sorted().randomElement(using: &random) else { continue }
        branches[branch][old] = branches[branch][old] ?? base[old]
      }
      expectEachIsMissed(SegmentGraph(nodes: branches[branch]), "seed \(seed), step \(step)")
    }
  }
}
