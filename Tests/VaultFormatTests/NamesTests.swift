import Testing
import VaultFormat

@Suite struct NamesTests {
  static let safe = [
    "a", "a/b", "...", ".hidden", "..a", "a..", "a/.../b", " ", "a\\b", "C:\\x", "C:", "-", "~",
    "con", "a\nb", "\u{202E}gpj.exe", "é", "e\u{301}",
  ]

  @Test(arguments: safe)
  func anyNameBelowTheFolderIsSafe(path: String) throws {
    try SafePath.check(Array(path.utf8))
  }

  @Test func bytesThatAreNoTextAreSafe() throws {
    try SafePath.check([0xFF, 0xFE, 0x2F, 0x80])
    try SafePath.check(Array(0x01...0x2E) + Array(0x30...0xFF))
  }

  static let unsafePaths: [(String, PathFault)] = [
    ("", .empty), ("/", .emptyPart), ("/etc/passwd", .emptyPart), ("//a", .emptyPart),
    ("a//b", .emptyPart), ("a/", .emptyPart), (".", .dotPart), ("..", .dotPart),
    ("./a", .dotPart), ("a/./b", .dotPart), ("a/..", .dotPart), ("../out2/x", .dotPart),
    ("a/../../b", .dotPart), ("a\0", .nulByte), ("\0", .nulByte), ("a/\0/b", .nulByte),
  ]

  @Test(arguments: unsafePaths)
  func aPathThatLeavesItsFolderIsRefused(path: String, fault: PathFault) {
    #expect(throws: FormatError.unsafePath(fault)) { try SafePath.check(Array(path.utf8)) }
  }

  @Test func theMaximaOfPathsHold() throws {
    func path(parts: Int, of byteCount: Int) -> [UInt8] {
      let part = [UInt8](repeating: 0x61, count: byteCount)
      return Array([[UInt8]](repeating: part, count: parts).joined(separator: [0x2F]))
    }
    try SafePath.check(path(parts: 1, of: 255))
    #expect(throws: FormatError.unsafePath(.partTooLong(byteCount: 256))) {
      try SafePath.check(path(parts: 1, of: 256))
    }
    try SafePath.check(path(parts: 1_024, of: 1))
    #expect(throws: FormatError.unsafePath(.tooManyParts(count: 1_025))) {
      try SafePath.check(path(parts: 1_025, of: 1))
    }
    let longest = path(parts: 1_024, of: 7) + [0x61]
    #expect(longest.count == 8_192)
    try SafePath.check(longest)
    #expect(throws: FormatError.unsafePath(.tooLong(byteCount: 8_193))) {
      try SafePath.check(longest + [0x61])
    }
  }

  // MARK: - File names

  private static let hex = "0123456789abcdef0123456789abcdef"

  @Test func theNamesOfFilesAreReadAndWritten() throws {
    let id = NoteID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)
    let sealed = Array("\(Self.hex).sealed".utf8)
    #expect(FileNameHex.name(of: id) == sealed && FileNameHex.noteID(sealed) == id)
    #expect(FileNameHex.folder(of: id) == Array("01".utf8))
    #expect(FileNameHex.folderByte(Array("01".utf8)) == id.firstByte)
    let segmentID = SegmentID(high: 0x0123_4567_89AB_CDEF, low: 0x0123_4567_89AB_CDEF)
    let segment = Array("\(Self.hex).seg".utf8)
    #expect(FileNameHex.name(of: segmentID) == segment)
    #expect(FileNameHex.segmentID(segment) == segmentID)
    let word: UInt64 = 0x0123_4567_89AB_CDEF
    let locator = Locator(word, word, word, word)
    let slot = Array("\(Self.hex)\(Self.hex).slot".utf8)
    #expect(FileNameHex.name(of: locator) == slot && FileNameHex.locator(slot) == locator)
  }

  @Test(arguments: [
    "", ".sealed", hex, "\(hex).Sealed", "\(hex).sealed.icloud", ".\(hex).sealed", "\(hex)sealed",
    "0\(hex).sealed", "0123456789ABCDEF0123456789abcdef.sealed", "\(hex)\(hex).sealed",
    "\(hex).sealed ", "\(hex).seg.sealed", "../\(hex).sealed",
  ])
  func anyOtherNameIsNone(name: String) {
    #expect(FileNameHex.noteID(Array(name.utf8)) == nil)
    let segment = name.replacing(".sealed", with: ".seg")
    #expect(FileNameHex.segmentID(Array(segment.utf8)) == nil)
    let slot = name.replacing(".sealed", with: ".slot")
    if name != "\(Self.hex)\(Self.hex).sealed" {
      #expect(FileNameHex.locator(Array(slot.utf8)) == nil)
    }
  }

  @Test(arguments: ["", "0", "000", "0A", "g0", "..", "0/", "é"])
  func anyOtherFolderIsNone(name: String) {
    #expect(FileNameHex.folderByte(Array(name.utf8)) == nil)
  }
}
