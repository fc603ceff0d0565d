internal import VaultFormat

/// The names under which files are brought back: none twice, and none that is a folder of another (spec §12.2).
struct SalvageNames: Sendable {
  private var taken: Set<[UInt8]> = []

  init() {}

  /// Gives every item the path that it is written to: those that are a note's own their shown names, all others a
  /// marked one.
  init(settling items: inout [SalvageItem]) {
    let own = items.filter { $0.kind == .own }
    var notes = own.map {
      ShownNames.Note(id: $0.candidate.noteID, path: $0.path, isFolder: $0.isFolder)
    }
    // Folders that only marked files need are folders as well.
    for item in items where item.kind != .own {
      let folder = UnpackPlace(item.basePath).folder
      if !folder.isEmpty {
        notes.append(.init(id: item.candidate.noteID, path: folder, isFolder: true))
      }
    }
    let shown = ShownNames(notes)
    taken = Self.folders(above: items)
    for index in items.indices where items[index].kind == .own {
      let item = items[index]
      if !item.isFolder {
        items[index].path = shown.name(of: item.candidate.noteID, path: item.basePath)
      }
      taken.insert(items[index].path)
    }
    for index in items.indices where items[index].kind != .own {
      // A folder holds no content that could be damaged or another version's.
      if items[index].isFolder, items[index].kind == .damaged { continue }
      items[index].path = marked(items[index], items[index].kind)
    }
  }

  /// The name of the file that holds the payload of a damaged content.
  mutating func payload(of path: [UInt8]) -> [UInt8] {
    let ending = Array(".zst".utf8)
    let place = UnpackPlace(path)
    let room = Limits.pathPartByteCount.upperBound - ending.count
    var name = Array(place.name.prefix(room)) + ending
    var number = 2
    while !taken.insert(Self.join(place.folder, name)).inserted {
      let digits = Array(" \(number)".utf8)
      name = Array(place.name.prefix(room - digits.count)) + digits + ending
      number += 1
    }
    return Self.join(place.folder, name)
  }

  private static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
    folder.isEmpty ? name : Layout.path(folder, name)
  }

  /// A new name for a file that is not, or not wholly, what its note is.
  mutating func marked(_ item: SalvageItem, _ kind: SalvageItem.Kind) -> [UInt8] {
    guard case .file(let digest, _) = item.candidate.state else { return item.basePath }
    let hex = Array(digest.hex.utf8)
    let word: String
    switch kind {
    case .own, .damaged: word = "damaged"
    case .version(.deleted): word = "deleted"
    case .version: word = "version"
    }
    // A version always says which one it is; the others do only where that tells them apart.
    for digits in word == "version" ? [8, 16, 64] : [0, 8, 16, 64] {
      let suffix = digits == 0 ? [] : [UInt8(ascii: " ")] + hex.prefix(digits)
      let mark = Array(" (\(word)".utf8) + suffix + Array(")".utf8)
      let path = ShownNames.marked(item.basePath, mark)
      if taken.insert(path).inserted { return path }
    }
    return uniquePath(item, word)
  }

  /// Two notes with equal digests and paths cannot be but for a forged file; the note's id tells them apart.
  private mutating func uniquePath(_ item: SalvageItem, _ word: String) -> [UInt8] {
    let path = ShownNames.marked(
      item.basePath, Array(" (\(word) \(item.candidate.noteID.hex))".utf8))
    taken.insert(path)
    return path
  }

  private static func folders(above items: [SalvageItem]) -> Set<[UInt8]> {
    var folders = Set<[UInt8]>()
    for item in items {
      var path = item.isFolder ? item.basePath : UnpackPlace(item.basePath).folder
      while !path.isEmpty, folders.insert(path).inserted { path = UnpackPlace(path).folder }
    }
    return folders
  }
}
