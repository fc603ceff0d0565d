package import VaultFormat
package import VaultSealing

/// A valid segment with its bytes.
package struct LiveSegment: Sendable {
  package let verified: VerifiedSegment
  /// The whole file, for opening its box.
  package let bytes: [UInt8]

  package init(_ verified: VerifiedSegment, bytes: [UInt8]) {
    self.verified = verified
    self.bytes = bytes
  }

  package var id: SegmentID { verified.id }
  package var lists: SegmentLists { verified.lists }

  /// Whether it must not be merged with others: a hand-over (spec §7.5), or it holds keys of a later version (spec §3.3).
  package var forbidsCompaction: Bool {
    verified.file.head.isHandOver || !verified.file.head.laterKeys.isEmpty
      || lists.entries.contains { !$0.laterKeys.isEmpty }
  }
}

/// The index of one compartment as anyone can read it: the union of its live segments (spec §7.2).
package struct CompartmentIndex: Sendable {
  package let compartment: CompartmentID
  package let signer: SignerKey
  package let graph: SegmentGraph
  /// Ascending by id.
  package let live: [LiveSegment]
  /// Folded when they are first asked for, because a change of slots never does.
  private let noteRegisters: NoteRegisters
  package private(set) var slots: [Locator: Register] = [:]
  package private(set) var companions: [[UInt8]: Register] = [:]

  /// - Parameters:
  ///   - segments: all valid segments of the compartment, in any order.
  ///   - handedOver: what hand-overs in other compartments replace here.
  package init(
    compartment: CompartmentID, signer: SignerKey, segments: [LiveSegment],
    handedOver: Set<SegmentID> = []
  ) {
    self.compartment = compartment
    self.signer = signer
    var nodes: [SegmentID: SegmentGraph.Node] = [:]
    for segment in segments {
      nodes[segment.id] = .init(
        parents: segment.lists.parents, replaces: segment.lists.replaces,
        excuses: segment.lists.excuses)
    }
    let graph = SegmentGraph(nodes: nodes, handedOver: handedOver)
    let isLive = Set(graph.live)
    self.graph = graph
    live = segments.filter { isLive.contains($0.id) }.sorted { $0.id < $1.id }
    noteRegisters = NoteRegisters(live)
    for segment in live {
      // Entries are in the order of their kinds, so those of notes come first.
      for entry in segment.lists.entries.reversed() {
        if entry.id.isNote { break }
        join(entry)
      }
    }
  }

  package var notes: [NoteID: Register] { noteRegisters.all }

  private mutating func join(_ entry: IndexEntry) {
    switch entry.id {
    case .note: return
    case .slot(let locator): slots[locator, default: Register()].join(entry)
    case .companion(let path): companions[path, default: Register()].join(entry)
    }
  }

  /// Notes with a current file state.
  package var aliveCount: Int { notes.values.count { $0.isAlive } }
  /// Notes without one.
  package var deletedCount: Int { notes.count - aliveCount }

  /// Byte count of all sealed files that are current.
  package var sealedByteCount: UInt64 {
    notes.values.reduce(0) { sum, register in
      register.current.reduce(sum) { sum, state in
        if case .file(_, let byteCount) = state { sum + byteCount } else { sum }
      }
    }
  }
}

/// The registers of the notes that live segments list.
private final class NoteRegisters: Sendable {
  private let folded: Monitor<Fold>

  private enum Fold {
    case waiting([LiveSegment])
    case done([NoteID: Register])
  }

  init(_ live: [LiveSegment]) { folded = Monitor(.waiting(live)) }

  var all: [NoteID: Register] {
    folded.change { fold in
      switch fold {
      case .done(let registers): return registers
      case .waiting(let live):
        var registers: [NoteID: Register] = [:]
        for segment in live {
          precondition(!segment.lists.omitsNotes, "a reader of slots asks for no notes")
          for entry in segment.lists.entries {
            guard case .note(let id) = entry.id else { break }
            registers[id, default: Register()].join(entry)
          }
        }
        fold = .done(registers)
        return registers
      }
    }
  }
}
