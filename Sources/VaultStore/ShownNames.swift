package import VaultFormat

/// Gives every alive note the name it is shown under, so that no two notes share one (spec §8.1).
package struct ShownNames {
  /// What the rule needs to know of a note.
  package struct Note {
    package let id: NoteID
    package let path: [UInt8]
    package let isFolder: Bool

    package init(id: NoteID, path: [UInt8], isFolder: Bool) {
      self.id = id
      self.path = path
      self.isFolder = isFolder
    }
  }

  /// The notes whose shown name is not their path, with that name.
  package let renamed: [NoteID: [UInt8]]

  /// - Parameter notes: all alive notes, in any order.
  package init(_ notes: [Note]) {
    var folders = Set<[UInt8]>()
    var last: ArraySlice<UInt8> = []
    for note in notes { Self.addFolders(of: note, to: &folders, last: &last) }
    let ordered = notes.filter { !$0.isFolder }.sorted { one, other in
      if Syscalls.precedes(one.path, other.path) { return true }
      return one.path == other.path && one.id < other.id
    }
    var yielding: [Note] = []
    for (index, note) in ordered.enumerated() {
      let sharesPath = index > 0 && ordered[index - 1].path == note.path
      if sharesPath || folders.contains(note.path) { yielding.append(note) }
    }
    guard !yielding.isEmpty else {
      renamed = [:]
      return
    }
    var taken = folders
    for note in notes { taken.insert(note.path) }
    var renamed: [NoteID: [UInt8]] = [:]
    for note in yielding.sorted(by: { $0.id < $1.id }) {
      let name = Self.conflictName(for: note, avoiding: taken)
      taken.insert(name)
      renamed[note.id] = name
    }
    self.renamed = renamed
  }

  private init(renamed: [NoteID: [UInt8]]) { self.renamed = renamed }

  /// The names where notes of compartments that were handed over are shown too: those give way to all others, with the
  /// part of their path that is in the way (spec §8.1). A note of each kind may have one id.
  package static func of(
    _ current: [Note], former: [Note]
  ) -> (current: ShownNames, former: ShownNames) {
    let own = ShownNames(current)
    let theirs = ShownNames(former)
    guard !former.isEmpty else { return (own, theirs) }
    var files = Set<[UInt8]>()
    var folders = Set<[UInt8]>()
    var last: ArraySlice<UInt8> = []
    for note in current {
      addFolders(of: note, to: &folders, last: &last)
      if !note.isFolder { files.insert(own.name(of: note.id, path: note.path)) }
    }
    var taken = files.union(folders)
    last = []
    for note in former {
      addFolders(of: note, to: &taken, last: &last)
      taken.insert(theirs.name(of: note.id, path: note.path))
    }
    var renamed = theirs.renamed
    for note in former.sorted(by: { $0.id < $1.id }) {
      let path = theirs.name(of: note.id, path: note.path)
      guard
        let end = ends(of: path).first(where: { files.contains(Array(path[..<$0])) })
          ?? (!note.isFolder && folders.contains(path) ? path.count : nil)
      else { continue }
      let name = formerName(path, until: end, of: note.id, avoiding: taken)
      taken.insert(name)
      renamed[note.id] = name
    }
    return (own, ShownNames(renamed: renamed))
  }

  /// Where the parts of a path end, the last one at its end.
  private static func ends(of path: [UInt8]) -> [Int] {
    path.indices.filter { path[$0] == UInt8(ascii: "/") } + [path.count]
  }

  /// The path with the part that ends there marked.
  private static func formerName(
    _ path: [UInt8], until end: Int, of id: NoteID, avoiding taken: Set<[UInt8]>
  ) -> [UInt8] {
    let hex = Array(id.hex.utf8)
    for digits in [8, 16, 24, 32] {
      let front = conflictName(path: Array(path[..<end]), hex: hex.prefix(digits))
      let name = front + path[end...]
      if digits == 32 || !taken.contains(front) && !taken.contains(name) { return name }
    }
    return path
  }

  /// The name a note is shown under.
  package func name(of id: NoteID, path: [UInt8]) -> [UInt8] { renamed[id] ?? path }

  /// - Parameter last: the folder of the note before, which in a sorted list is often the same.
  private static func addFolders(
    of note: Note, to folders: inout Set<[UInt8]>, last: inout ArraySlice<UInt8>
  ) {
    if note.isFolder { folders.insert(note.path) }
    var path = note.path[...]
    let folder = path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
    if folder == last { return }
    last = folder
    while let slash = path.lastIndex(of: UInt8(ascii: "/")) {
      path = path[..<slash]
      if !folders.insert(Array(path)).inserted { return }
    }
  }

  private static func conflictName(for note: Note, avoiding taken: Set<[UInt8]>) -> [UInt8] {
    let hex = Array(note.id.hex.utf8)
    for digits in [8, 16, 24] {
      let name = conflictName(path: note.path, hex: hex.prefix(digits))
      if !taken.contains(name) { return name }
    }
    return conflictName(path: note.path, hex: hex[...])
  }

  private static func conflictName(path: [UInt8], hex: ArraySlice<UInt8>) -> [UInt8] {
    marked(path, Array(" (conflict ".utf8) + hex + Array(")".utf8))
  }

  /// A path with a mark before the ending of its last part, shortened to fit.
  static func marked(_ path: [UInt8], _ mark: [UInt8]) -> [UInt8] {
    let slash = path.lastIndex(of: UInt8(ascii: "/"))
    let part = slash.map { path[($0 + 1)...] } ?? path[...]
    let dot = part.lastIndex(of: UInt8(ascii: "."))
    let hasEnding = dot.map { $0 != part.startIndex } ?? false
    let ending = hasEnding ? part[(dot ?? part.endIndex)...] : []
    // An ending that alone fills the part is not worth keeping.
    let keptEnding = ending.count + mark.count < Limits.pathPartByteCount.upperBound ? ending : []
    var stem = part.dropLast(keptEnding.count)
    let room = Limits.pathPartByteCount.upperBound - mark.count - keptEnding.count
    if stem.count > room {
      var end = stem.startIndex + room
      // A byte that goes on with a sequence must not be the first that is cut off.
      while end > stem.startIndex, stem[end] & 0xC0 == 0x80 { end -= 1 }
      stem = stem[..<end]
    }
    let folder = slash.map { Array(path[...$0]) } ?? []
    return folder + stem + mark + keptEnding
  }
}
