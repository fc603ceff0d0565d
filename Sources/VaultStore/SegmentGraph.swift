package import VaultFormat

/// How the segments of one compartment hang together: who replaces whom, who is live, who is missing (spec §7.2).
package struct SegmentGraph: Sendable {
  /// The links of one segment.
  package struct Node: Equatable, Sendable {
    package let parents: [SegmentID]
    package let replaces: [SegmentID]
    package let excuses: [SegmentID]

    package init(parents: [SegmentID], replaces: [SegmentID], excuses: [SegmentID]) {
      self.parents = parents
      self.replaces = replaces
      self.excuses = excuses
    }
  }

  package let nodes: [SegmentID: Node]
  /// The ids that some present segment replaces, present or not.
  package let replaced: Set<SegmentID>
  /// The live segments, ascending.
  package let live: [SegmentID]

  /// - Parameter handedOver: what hand-overs in other compartments replace here (spec §7.5).
  package init(nodes: [SegmentID: Node], handedOver: Set<SegmentID> = []) {
    self.nodes = nodes
    var replaced = handedOver
    for node in nodes.values { replaced.formUnion(node.replaces) }
    self.replaced = replaced
    self.live = nodes.keys.filter { !replaced.contains($0) }.sorted()
  }

  /// Whether a segment is present, or replaced by one that is.
  func knows(_ id: SegmentID) -> Bool { nodes[id] != nil || replaced.contains(id) }

  /// The present segments that another one replaces: their files can go.
  package var superfluous: [SegmentID] { nodes.keys.filter(replaced.contains).sorted() }

  /// The ids whose absence live segments excuse.
  private var excused: Set<SegmentID> {
    var excused = Set<SegmentID>()
    for id in live { excused.formUnion(nodes[id]?.excuses ?? []) }
    return excused
  }

  /// Parents of live segments that are neither present, nor replaced, nor excused, with one segment that names each.
  package var missing: [(segment: SegmentID, namedBy: SegmentID)] {
    let excused = excused
    var found: [SegmentID: SegmentID] = [:]
    for id in live {
      for parent in nodes[id]?.parents ?? []
      where nodes[parent] == nil && !replaced.contains(parent) && !excused.contains(parent) {
        found[parent] = found[parent] ?? id
      }
    }
    return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Just enough live segments to reach all others through parents and replaces, ascending (spec §7.4).
  ///
  /// A replaced id leads on only if its file is gone, nobody excuses it, and exactly one present segment replaces it:
  /// else dropping that segment would go unseen, because the id would still be there, excused or replaced.
  package var parentsForNewSegment: [SegmentID] {
    let next = steps()
    var reached = Set<SegmentID>()
    for id in live { reached.formUnion(next[id] ?? []) }
    var seen = Set<SegmentID>()
    var chosen: [SegmentID] = []
    // Those that nobody reaches must be named; what is left then lies on circles of replaced links.
    for id in live.filter({ !reached.contains($0) }) + live where !seen.contains(id) {
      chosen.append(id)
      var open = [id]
      while let step = open.popLast() {
        if seen.insert(step).inserted { open += next[step] ?? [] }
      }
    }
    return chosen.sorted()
  }

  /// For each live segment the live segments its parents lead to.
  private func steps() -> [SegmentID: [SegmentID]] {
    let liveSet = Set(live)
    var owners: [SegmentID: [SegmentID]] = [:]
    let excused = excused
    for (id, node) in nodes {
      for replaced in node.replaces where nodes[replaced] == nil && !excused.contains(replaced) {
        owners[replaced, default: []].append(id)
      }
    }
    var next: [SegmentID: [SegmentID]] = [:]
    for id in live {
      next[id] = (nodes[id]?.parents ?? []).compactMap { parent in
        if liveSet.contains(parent) { return parent }
        let owner = owners[parent] ?? []
        return owner.count == 1 && owner[0] != id ? owner[0] : nil
      }
    }
    return next
  }
}
