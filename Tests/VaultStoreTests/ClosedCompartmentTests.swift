import Testing
import VaultFormat

@testable import VaultSealing
@testable import VaultStore

/// What whoever has the old key writes after a re-keying is shown with a warning, and nothing is written beside it
/// (spec §7.5).
@Suite struct ClosedCompartmentTests {
  /// A vault that was re-keyed to the passphrase "new", and then got a segment and the new notes of a copy from before.
  private func vaultWithFormerNotes(_ changes: [TestChange]) throws -> TestVault {
    let vault = try TestVault()
    try vault.commit([.put("a", "one"), .put("b/c", "two")])
    let other = try TestVault(copying: vault)
    let known = Set(try vault.names("index") ?? [])
    let notes = Set(try vault.sealedFiles().keys)
    try vault.rekey(to: "new")
    try other.commit(changes)
    for name in try other.names("index") ?? [] where !known.contains(name) {
      try vault.put("index/\(name)", try other.content("index/\(name)"))
    }
    for id in try other.sealedFiles().keys where !notes.contains(id) {
      let path = String(decoding: Layout.notePath(id), as: UTF8.self)
      try vault.shell(
        "mkdir -p notes/\(String(decoding: FileNameHex.folder(of: id), as: UTF8.self))")
      try vault.put(path, try other.content(path))
    }
    return vault
  }

  private func former(_ vault: TestVault) throws -> CompartmentID {
    try #require(try vault.snapshot().handOvers.closed.keys.first)
  }

  @Test func aFormerNoteNeverTakesANameOfACurrentOne() throws {
    // "a" is a file and "b/c" lies in a folder now; before, they could have been anything.
    let vault = try vaultWithFormerNotes([
      .delete("a"), .put("a/x", "evil"), .delete("b/c"), .put("b", "evil"), .put("d", "theirs"),
    ])
    let unlocked = try TestVault.unlock(vault.open(), vault.snapshot(), with: "new")
    let former = try former(vault)
    let shown = unlocked.notes.map { note in
      (
        String(decoding: note.shownPath, as: UTF8.self),
        note.compartment == former, String(note.id.hex.prefix(8))
      )
    }
    #expect(shown.filter { !$0.1 }.map(\.0) == ["a", "b/c"])
    let theirs = Set(shown.filter(\.1).map { $0.0.replacing($0.2, with: "ID") })
    #expect(theirs == ["a (conflict ID)/x", "b (conflict ID)", "d"])
    #expect(unlocked.findings.map(\.code) == [.closedCompartment])
    #expect(unlocked.findings[0].path.starts(with: Layout.index + [UInt8(ascii: "/")]))
  }

  @Test func aFormerNoteOfOneIdDoesNotRenameTheCurrentOne() {
    let id = NoteID(high: 1, low: 2)
    let note = ShownNames.Note(id: id, path: bytes("a.md"), isFolder: false)
    let names = ShownNames.of([note], former: [note])
    #expect(names.current.name(of: id, path: note.path) == bytes("a.md"))
    #expect(
      names.former.name(of: id, path: note.path) == bytes("a (conflict \(id.hex.prefix(8))).md"))
    #expect(ShownNames.of([], former: [note]).former.renamed.isEmpty)
  }

  @Test func nothingIsWrittenWhereFormerNotesAreShown() throws {
    let vault = try vaultWithFormerNotes([.put("theirs", "from the other branch")])
    let snapshot = try vault.snapshot()
    let unlocked = try TestVault.unlock(vault.open(), snapshot, with: "new")
    let former = try former(vault)
    let segment = try #require(snapshot.compartments[former]?.live.first)
    let closed = Finding(
      .closedCompartment, Layout.path(Layout.index, Layout.segment(segment.id)),
      "a segment of a compartment that was re-keyed: another branch went on writing to it, or "
        + "whoever has the old key did",
      found: "compartment \(former.hex)")
    #expect(throws: StoreError.indexNotSound([closed])) { try PackSoundness.check(unlocked) }
    #expect(throws: StoreError.indexNotSound([closed])) {
      try PackSoundness.checkIndex(snapshot, of: [former])
    }
    let secret = try #require(
      unlocked.compartments.first { $0.index.compartment == former }?.secret)
    let session = try TestVault.session(vault.open())
    #expect(throws: StoreError.indexNotSound([closed])) {
      try SlotChange(of: secret, openedBy: []).commit(in: session)
    }
  }

  @Test func aSecretOfBeforeOpensNothingForAWriter() throws {
    let vault = try TestVault()
    try vault.commit([.put("a", "one")])
    let old = try TestVault(copying: vault)
    let slot = try old.slotName()
    try vault.rekey(to: "new")
    try vault.put("index/\(slot)", old.content("index/\(slot)"))
    let snapshot = try vault.snapshot()
    let opened = try TestVault.openSlots(
      vault.open(), snapshot, with: TestVault.secret(TestVault.passphrase))
    let former = try former(vault)
    let closed = StoreError.indexNotSound([
      Finding(
        .closedCompartment, Layout.index,
        "this vault was re-keyed, and the secret is one of before",
        found: "compartment \(former.hex)")
    ])
    #expect(throws: closed) { _ = try opened.withoutClosed(in: snapshot) }
    let unlocked = try opened.read(snapshot, of: vault.open())
    #expect(unlocked.notes.isEmpty && unlocked.compartments.isEmpty)
    #expect(throws: closed) { try PackSoundness.check(unlocked) }

    // Beside a secret of now it is passed over.
    let both = opened.joined(
      with: try TestVault.openSlots(vault.open(), snapshot, with: TestVault.secret("new")))
    let current = try both.withoutClosed(in: snapshot)
    #expect(current.secrets.count == 1 && current.secrets[former] == nil)
    #expect(current.slots.allSatisfy { $0.head.compartment != former })
    try PackSoundness.check(both.read(snapshot, of: vault.open()))
  }
}
