package import VaultFormat

/// What happened to some notes, from the segments of their history in the order in which they came.
package struct NoteHistory: Sendable {
  /// One thing that happened.
  package struct Event: Equatable, Sendable {
    package enum Action: String, Sendable {
      case added
      case changed
      case renamed
      case mode
      case deleted
      case restored
    }

    package let action: Action
    package let note: NoteID
    /// Where the note was afterwards; nil where no segment that was read says so.
    package let path: [UInt8]?
    /// Where a renamed note was before.
    package let oldPath: [UInt8]?
  }

  /// What is known of one note.
  private struct Known {
    var compartment: CompartmentID
    var states: Set<State> = []
    var superseded: Set<StatePrefix> = []
    var records: [State: ContentRecord] = [:]
    var placeVersion: UInt64 = 0
    var place: Place?

    var isDeleted: Bool {
      let current = states.filter { !superseded.contains($0.prefix) }
      return !current.isEmpty && !current.contains(where: \.isFile)
    }
  }

  private var notes: [NoteID: Known] = [:]

  package init() {}

  /// Takes the next step and says what it changed. What was known already, as all that a compaction repeats, is nothing.
  package mutating func take(_ step: NoteHistoryStep) -> [Event] {
    var known = notes[step.note] ?? Known(compartment: step.compartment)
    let (before, wasKnown, wasDeleted) = (known.place, !known.states.isEmpty, known.isDeleted)
    let fresh = step.stated.filter { !known.states.contains($0.state) }
    for stated in step.stated {
      known.states.insert(stated.state)
      if let record = stated.record { known.records[stated.state] = record }
    }
    known.superseded.formUnion(step.over)
    if let place = step.place, step.placeVersion >= known.placeVersion {
      let isTie = step.placeVersion == known.placeVersion
      known.place = isTie ? max(known.place ?? place, place) : place
      known.placeVersion = step.placeVersion
    }
    notes[step.note] = known
    var events: [Event] = []
    let path = known.place?.path
    func add(_ action: Event.Action, from oldPath: [UInt8]? = nil) {
      events.append(Event(action: action, note: step.note, path: path, oldPath: oldPath))
    }
    if fresh.contains(where: { $0.state.isFile }) {
      add(!wasKnown ? .added : wasDeleted ? .restored : .changed)
    } else if !fresh.isEmpty, !wasDeleted, known.isDeleted {
      add(.deleted)
    }
    if let before, let place = known.place, before != place {
      if before.path != place.path { add(.renamed, from: before.path) } else { add(.mode) }
    }
    return events
  }

  /// The note with the content of a state that was met.
  package func note(_ id: NoteID, in state: State, at path: [UInt8]) -> NoteInfo? {
    guard let known = notes[id], let record = known.records[state],
      case .file(let digest, let byteCount) = state
    else { return nil }
    return NoteInfo(
      id: id, compartment: known.compartment, path: path, shownPath: path,
      isExecutable: known.place?.executable ?? false, record: record, digest: digest,
      sealedByteCount: byteCount)
  }
}
