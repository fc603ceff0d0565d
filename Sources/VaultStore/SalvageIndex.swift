internal import VaultFormat
internal import VaultSealing

/// What the index still says about a file of a note.
enum SalvageStanding: Equatable, Sendable {
  /// The index does not know the note.
  case unknown
  /// It is a current state of the note.
  case current
  case superseded
  /// The note is known, the state is not.
  case unlisted
  /// The note is deleted.
  case deleted
}

/// One opened compartment as a salvage sees it: its keys, and all that is left of its index, which may be torn.
struct SalvageCompartment: Sendable {
  let secret: CompartmentSecret
  let index: CompartmentIndex
  /// The highest place that a present segment gives, also of notes whose states are lost.
  let places: [NoteID: Place]
  /// What is listed as current.
  private let contents: [NoteID: [(state: State, record: ContentRecord)]]

  /// - Throws: `sealing` where there is no memory.
  init(_ compartment: UnlockedCompartment) throws(StoreError) {
    var reading = NoteTable.Reading(compartment.index)
    var decompressor: ZstdDecompressor
    do { decompressor = try ZstdDecompressor() } catch { throw .sealing(.zstd(error), path: []) }
    for segment in compartment.index.live {
      reading.take(segment, keys: compartment.secret.keys, expandingWith: &decompressor)
    }
    secret = compartment.secret
    index = compartment.index
    places = reading.places
    contents = reading.contents
  }

  var id: CompartmentID { index.compartment }

  func standing(of note: NoteID, _ state: State) -> SalvageStanding {
    guard let register = index.notes[note], !register.stated.isEmpty || !register.superseded.isEmpty
    else { return .unknown }
    if register.current.contains(state) { return .current }
    if !register.isAlive { return .deleted }
    return register.isSuperseded(state.prefix) ? .superseded : .unlisted
  }

  /// Whether the state was ever listed, so that its digest proves the file.
  func isListed(_ note: NoteID, _ state: State) -> Bool {
    index.notes[note]?.stated.contains(state) ?? false
  }

  /// The record of a note whose header is lost: of the current state whose file has that byte count, else any.
  func record(of note: NoteID, fileByteCount: UInt64) -> ContentRecord? {
    let known = contents[note] ?? []
    let fitting = known.first { content in
      if case .file(_, let byteCount) = content.state { byteCount == fileByteCount } else { false }
    }
    return (fitting ?? known.first)?.record
  }
}
