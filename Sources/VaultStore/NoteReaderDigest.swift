package import VaultFormat
internal import VaultSealing

extension NoteReader {
  /// Hashes a whole file and compares it with what is listed; a file that differs is looked at closer, so that the
  /// error says where.
  mutating func checkDigest(
    _ opened: borrowing OpenedNote, of note: NoteInfo, in compartment: UnlockedCompartment
  ) throws(StoreError) {
    var digest = try NoteHasher.begin(opened.sealed)
    var hashes: [Digest] = []
    try begin(opened, keys: compartment.secret.keys)
    for run in 0..<opened.sealed.runCount {
      hashes.removeAll(keepingCapacity: true)
      try opened.sealed.read(run: run, into: &buffer, path: opened.path)
      let held = buffer
      do {
        try worker.chunks.hash(held.bytes, into: &hashes)
        try digest.append(hashes)
      } catch {
        throw .sealing(error, path: opened.path)
      }
    }
    let state = try NoteHasher.finish(digest, opened.sealed)
    guard state != .file(note.digest, byteCount: note.sealedByteCount) else { return }
    for run in 0..<opened.sealed.runCount {
      hashes.removeAll(keepingCapacity: true)
      _ = try openRun(run, of: opened, hashes: &hashes)
    }
    try compare(state, with: note, in: compartment)
  }

  /// Compares the state of an authentic file with what is listed.
  /// - Throws: `noteNotAsListed`.
  func compare(
    _ found: State, with note: NoteInfo, in compartment: UnlockedCompartment
  ) throws(StoreError) {
    guard found != .file(note.digest, byteCount: note.sealedByteCount) else { return }
    let isSuperseded = compartment.index.notes[note.id]?.isSuperseded(found.prefix) ?? false
    throw .noteNotAsListed(
      path: Layout.notePath(note.id), isSuperseded ? .noteSuperseded : .noteChanged)
  }
}

extension ContentRecord {
  /// Whether a header and a record of the index say the same: their keys below 128 are equal (spec §6.1).
  package func agrees(with other: ContentRecord) -> Bool {
    type == other.type && mediaType == other.mediaType
      && contentByteCount == other.contentByteCount && payloadByteCount == other.payloadByteCount
      && compression == other.compression && created == other.created && modified == other.modified
      && permissions == other.permissions
  }
}
