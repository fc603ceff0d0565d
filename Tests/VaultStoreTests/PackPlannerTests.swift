import Testing
import VaultFormat

@testable import VaultStore

/// The three-way table: what source, vault and base say of one path, and what follows.
@Suite struct PackPlannerTests {
  /// Long before the base was written.
  private static let old = FileTime(seconds: 1_000, nanoseconds: 5)
  private static let written = FileTime(seconds: 2_000, nanoseconds: 0)

  private func status(
    _ kind: VaultStore.FileKind = .regular, size: UInt64 = 3, inode: UInt64 = 1,
    modified: FileTime = old, changed: FileTime = old, mode: UInt32 = 0o644
  ) -> FileStatus {
    FileStatus(
      kind: kind, byteCount: size, mode: mode, identity: .init(device: 1, inode: inode),
      modified: modified, changed: changed)
  }

  private func item(_ path: String, _ status: FileStatus) -> PackPlanner.Item {
    .init(path: bytes(path), status: status)
  }

  private func note(
    _ path: String, _ id: UInt64 = 1, type: ContentType = .file, size: UInt64 = 3,
    digest: UInt64 = 1, isExecutable: Bool = false, shown: String? = nil
  ) throws -> NoteInfo {
    NoteInfo(
      id: NoteID(high: id, low: 0), compartment: CompartmentID(high: 1, low: 1),
      path: bytes(path), shownPath: bytes(shown ?? path), isExecutable: isExecutable,
      record: try ContentRecord(
        type: type, mediaType: nil, contentByteCount: type == .folder ? 0 : size,
        payloadByteCount: type == .folder ? 0 : size, compression: .none, created: nil,
        modified: try Timestamp(seconds: 0, nanoseconds: 0), laterKeys: LaterKeys()),
      digest: Digest(digest, 0, 0, 0), sealedByteCount: 1_000)
  }

  /// What a base keeps of an item that was packed as a note.
  private func line(
    _ path: String, _ status: FileStatus, _ id: UInt64 = 1, digest: UInt64 = 1
  ) -> PackBase.Line {
    .init(
      path: bytes(path), status: status, note: NoteID(high: id, low: 0),
      state: Digest(digest, 0, 0, 0).prefix)
  }

  private func plan(
    _ items: [PackPlanner.Item], _ notes: [NoteInfo], base lines: [PackBase.Line]?,
    keepsMissing: Bool = false, outOfSight: [String] = []
  ) -> PackPlan {
    let hidden = outOfSight.map { bytes($0) }
    return PackPlanner(
      items: items, notes: notes, base: lines.map { .init(written: Self.written, lines: $0) },
      keepsMissing: keepsMissing, isOutOfSight: hidden.contains
    ).plan()
  }

  private let pair = PackPlan.Pair(item: 0, note: 0)

  // MARK: - Both sides have the path

  @Test func nothingChangedSinceTheBase() throws {
    let plan = plan([item("a", status())], [try note("a")], base: [line("a", status())])
    #expect(plan.unchanged == [pair])
    #expect(plan.comparisons.isEmpty && plan.kept.isEmpty)
  }

  @Test func onlyTheSourceChanged() throws {
    let plan = plan([item("a", status(size: 4))], [try note("a")], base: [line("a", status())])
    #expect(plan.comparisons == [.init(pair: pair, ifDifferent: .change)])
  }

  @Test func onlyTheVaultChanged() throws {
    let plan = plan(
      [item("a", status())], [try note("a", digest: 2)], base: [line("a", status())])
    #expect(plan.kept == [.init(note: 0, reason: .changedInVault)])
    #expect(plan.comparisons.isEmpty && plan.unchanged.isEmpty)
  }

  @Test func bothChanged() throws {
    let plan = plan(
      [item("a", status(size: 4))], [try note("a", digest: 2)], base: [line("a", status())])
    #expect(plan.comparisons == [.init(pair: pair, ifDifferent: .keepBoth)])
  }

  @Test func bothHaveItAndTheBaseDoesNot() throws {
    let plan = plan([item("a", status())], [try note("a")], base: [])
    #expect(plan.comparisons == [.init(pair: pair, ifDifferent: .keepBoth)])
  }

  @Test func bothHaveItAndThereIsNoBase() throws {
    let plan = plan([item("a", status())], [try note("a")], base: nil)
    #expect(plan.comparisons == [.init(pair: pair, ifDifferent: .replace)])
  }

  @Test func aLineOfAnotherNoteProvesNothing() throws {
    let plan = plan([item("a", status())], [try note("a", 2)], base: [line("a", status(), 1)])
    #expect(plan.comparisons == [.init(pair: pair, ifDifferent: .keepBoth)])
  }

  @Test func aFolderIsOneWhateverItsTimesSay() throws {
    let packed = status(.folder)
    let now = status(.folder, modified: Self.written, changed: Self.written)
    let plan = plan(
      [item("a", now)], [try note("a", type: .folder)], base: [line("a", packed)])
    #expect(plan.unchanged == [pair])
  }

  @Test func aFileInPlaceOfAFolderReplacesIt() throws {
    let plan = plan(
      [item("a", status())], [try note("a", type: .folder)], base: [line("a", status(.folder))])
    #expect(plan.additions == [0])
    #expect(plan.removals == [0])
  }

  // MARK: - Only the source has the path

  @Test func newInTheSource() {
    for base in [nil, []] as [[PackBase.Line]?] {
      #expect(plan([item("a", status())], [], base: base).additions == [0])
    }
  }

  @Test func deletedInTheVaultAndUnchangedInTheSource() {
    let plan = plan([item("a", status())], [], base: [line("a", status())])
    #expect(plan.deletedInVault == [0])
    #expect(plan.additions.isEmpty)
  }

  @Test func aFolderDeletedInTheVaultIsNotMadeAgain() {
    let plan = plan([item("a", status(.folder))], [], base: [line("a", status(.folder))])
    #expect(plan.deletedInVault == [0])
  }

  @Test func aFolderInPlaceOfAFileIsNew() throws {
    let plan = plan([item("a", status(.folder))], [try note("a")], base: [line("a", status())])
    #expect(plan.additions == [0])
    #expect(plan.removals == [0])
  }

  @Test func deletedInTheVaultAndChangedInTheSource() {
    let plan = plan([item("a", status(size: 4))], [], base: [line("a", status())])
    #expect(plan.additions == [0])
  }

  // MARK: - Only the vault has the path

  @Test func deletedInTheSource() throws {
    let plan = plan([], [try note("a")], base: [line("a", status())])
    #expect(plan.removals == [0])
  }

  @Test func deletedInTheSourceAndChangedInTheVault() throws {
    let plan = plan([], [try note("a", digest: 2)], base: [line("a", status())])
    #expect(plan.kept == [.init(note: 0, reason: .changedInVault)])
  }

  @Test func newInTheVault() throws {
    let plan = plan([], [try note("a")], base: [])
    #expect(plan.kept == [.init(note: 0, reason: .newInVault)])
  }

  @Test func missingWithoutABase() throws {
    #expect(plan([], [try note("a")], base: nil).removals == [0])
  }

  @Test func missingAndToBeKept() throws {
    for base in [nil, [line("a", status())]] as [[PackBase.Line]?] {
      let plan = plan([], [try note("a")], base: base, keepsMissing: true)
      #expect(plan.kept == [.init(note: 0, reason: .asAsked)])
    }
  }

  @Test func missingAndOutOfSight() throws {
    for base in [nil, [line("a", status())]] as [[PackBase.Line]?] {
      let plan = plan([], [try note("a")], base: base, outOfSight: ["a"])
      #expect(plan.kept == [.init(note: 0, reason: .outOfSight)])
    }
  }

  // MARK: - Executable bits

  @Test func anExecutableBitThatTheSourceChangedIsTaken() throws {
    let now = status(changed: Self.written, mode: 0o755)
    let plan = plan([item("a", now)], [try note("a")], base: [line("a", status())])
    #expect(plan.modes == [pair])
  }

  @Test func anExecutableBitThatTheVaultChangedStays() throws {
    let plan = plan(
      [item("a", status())], [try note("a", isExecutable: true)], base: [line("a", status())])
    #expect(plan.modes.isEmpty)
    #expect(plan.unchanged == [pair])
  }

  @Test func withoutABaseTheSourcesExecutableBitCounts() throws {
    let plan = plan([item("a", status(mode: 0o755))], [try note("a")], base: nil)
    #expect(plan.modes == [pair])
  }

  // MARK: - Renames

  @Test func theSameInodeUnderANewNameIsARename() throws {
    let moved = status(changed: Self.written)
    let plan = plan([item("b", moved)], [try note("a")], base: [line("a", status())])
    #expect(plan.renames == [pair])
    #expect(plan.additions.isEmpty && plan.removals.isEmpty)
  }

  @Test(arguments: [true, false])
  func aVanishedNoteOfTheSameSizeMayBeARename(hasBase: Bool) throws {
    let plan = plan(
      [item("b", status(inode: 2))], [try note("a")], base: hasBase ? [line("a", status())] : nil)
    #expect(plan.possibleRenames == [pair])
    #expect(plan.additions.isEmpty && plan.removals.isEmpty)
  }

  @Test func emptyFilesAndFoldersAreNotRenamed() throws {
    let notes = [try note("a", size: 0), try note("c", 2, type: .folder)]
    let plan = plan(
      [item("b", status(size: 0, inode: 2)), item("d", status(.folder))], notes, base: nil)
    #expect(plan.additions == [0, 1])
    #expect(plan.removals == [0, 1])
  }

  @Test func twoNewFilesDoNotBecomeOneNote() throws {
    let plan = plan(
      [item("b", status(inode: 2)), item("c", status(inode: 3))], [try note("a")], base: nil)
    #expect(plan.possibleRenames == [pair])
    #expect(plan.additions == [1])
  }

  @Test func aFileTouchedWhenTheBaseWasWrittenMustBeReadToBeARename() throws {
    let touched = status(modified: FileTime(seconds: 1_999, nanoseconds: 0))
    let plan = plan([item("b", touched)], [try note("a")], base: [line("a", touched)])
    #expect(plan.renames.isEmpty)
    #expect(plan.possibleRenames == [pair])
  }

  // MARK: - Name conflicts

  @Test func aSourceStaysWithTheNoteThatWasMadeFromIt() throws {
    // Both were kept: the vault's note has the path, the source's is shown beside it.
    let notes = [
      try note("a", 1, digest: 1), try note("a", 2, digest: 2, shown: "a (conflict)"),
    ]
    let plan = plan([item("a", status())], notes, base: [line("a", status(), 2, digest: 2)])
    #expect(plan.unchanged == [.init(item: 0, note: 1)])
    #expect(plan.kept == [.init(note: 0, reason: .newInVault)])
    #expect(plan.additions.isEmpty && plan.removals.isEmpty)
  }

  @Test func aNoteIsNeverMatchedTwice() throws {
    let notes = [
      try note("a", 1, digest: 1), try note("a", 2, digest: 2, shown: "a (conflict)"),
    ]
    let plan = plan(
      [item("a", status()), item("a (conflict)", status(inode: 2))], notes,
      base: [line("a", status(), 2, digest: 2)])
    #expect(plan.unchanged == [.init(item: 0, note: 1)])
    #expect(plan.additions == [1])
  }

  @Test func anUnpackedConflictCopyIsTheNoteShownThere() throws {
    let notes = [
      try note("a", 1, digest: 1), try note("a", 2, digest: 2, shown: "a (conflict)"),
    ]
    let copy = status(size: 4, inode: 2)
    let plan = plan(
      [item("a", status()), item("a (conflict)", copy)], notes, base: [line("a", status(), 1)])
    #expect(plan.unchanged == [pair])
    #expect(plan.comparisons == [.init(pair: .init(item: 1, note: 1), ifDifferent: .keepBoth)])
  }
}
