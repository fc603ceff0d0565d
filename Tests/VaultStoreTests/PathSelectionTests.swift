import Testing

@testable import VaultStore

@Suite struct PathSelectionTests {
  private static let composed = "Caf\u{E9}/x"
  private static let decomposed = "Cafe\u{301}/x"

  @Test func noPathMeansAllNotes() throws {
    #expect(try select([], of: ["b", "a"]) == ["a", "b"])
  }

  @Test func aFolderStandsForWhatIsBelowIt() throws {
    let paths = ["a", "a/b", "ab", "c/a"]
    #expect(try select(["c"], of: paths) == ["c/a"])
    #expect(try select(["c/", "ab"], of: paths) == ["ab", "c/a"])
    #expect(try select(["c", "c/a"], of: paths) == ["c/a"])
  }

  @Test func exactBytesWinOverALookalike() throws {
    let paths = [Self.composed, Self.decomposed]
    #expect(try select([Self.composed], of: paths).map { Array($0.utf8) } == [bytes(Self.composed)])
  }

  @Test(arguments: [
    (composed, decomposed), (decomposed, composed), ("NOTE.md", "Note.md"),
    ("./Note.md", "Note.md"),
    ("Straße", "STRASSE"), ("CAF\u{C9}", "Caf\u{E9}"),
  ])
  func aLookalikeIsPointedAt(_ asked: String, _ there: String) throws {
    let vault = try SealedVault([TestNote(there, [1])]).unlocked()
    let found = Result { try PathSelection([bytes(asked)], of: vault).notes.count }
    if asked == "Straße" {
      #expect(throws: StoreError.noSuchNote(path: bytes(asked), near: nil)) { try found.get() }
    } else {
      let near = asked == "CAF\u{C9}" ? bytes("Caf\u{E9}") : bytes(there)
      #expect(throws: StoreError.noSuchNote(path: bytes(asked), near: near)) { try found.get() }
    }
  }

  @Test func theFolderOfANoteIsPointedAtToo() throws {
    let vault = try SealedVault([TestNote("Trips/Harz/a", [1])]).unlocked()
    #expect(throws: StoreError.noSuchNote(path: bytes("trips/harz"), near: bytes("Trips/Harz"))) {
      try PathSelection([bytes("trips/harz")], of: vault)
    }
  }

  @Test func oneNoteIsAskedForByItsOwnPath() throws {
    let vault = try SealedVault([.folder("d"), TestNote("d/a", [1]), TestNote("e/b", [1])])
      .unlocked()
    #expect(try PathSelection.note(at: bytes("d/a"), of: vault).shownPath == bytes("d/a"))
    for folder in ["d", "e", "d/"] {
      #expect(throws: StoreError.isAFolder(path: bytes(folder))) {
        try PathSelection.note(at: bytes(folder), of: vault)
      }
    }
    #expect(throws: StoreError.noSuchNote(path: bytes("D/A"), near: bytes("d/a"))) {
      try PathSelection.note(at: bytes("D/A"), of: vault)
    }
  }

  private func select(_ asked: [String], of paths: [String]) throws -> [String] {
    let vault = try SealedVault(paths.map { TestNote($0, [1]) }).unlocked()
    return try PathSelection(asked.map(bytes), of: vault).notes
      .map { String(decoding: $0.shownPath, as: UTF8.self) }
  }
}
