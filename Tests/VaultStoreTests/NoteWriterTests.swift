import Synchronization
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Contents of all sizes and shapes, sealed by `pack` and read back as `unpack` does.
@Suite struct NoteWriterTests {
  private static let chunk = 1 << 16

  /// Bytes that nothing shrinks, cheap to make.
  private func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }

  private func content(_ bench: borrowing PackBench, _ path: String) throws -> [UInt8] {
    try #require(try bench.notes().first { $0.note.shownPath == bytes(path) }).content
  }

  @Test(arguments: [
    0, 1, 511, 512, 513, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk, 2 * chunk + 1,
  ])
  func aContentOfAnyLengthComesBack(count: Int) throws {
    let bench = try PackBench()
    let content = noise(count)
    try bench.put("noise", content)
    try bench.put("zeros", [UInt8](repeating: 0, count: count))
    try bench.pack()
    #expect(try self.content(bench, "noise") == content)
    #expect(try self.content(bench, "zeros") == [UInt8](repeating: 0, count: count))
    let record = try bench.note("noise").record
    #expect(record.contentByteCount == UInt64(count))
    #expect(record.compression == .none)
  }

  @Test(arguments: [true, false]) func largeFilesAreSealedInRuns(readsAhead: Bool) throws {
    let bench = try PackBench()
    let whole = NoteWriterSource.wholeByteCount
    // A whole number of runs of noise; text that shrinks; text with noise behind that does not pay.
    let text = Array(repeating: bytes("a line of text that repeats\n"), count: 60_000).flatMap {
      $0
    }
    let noise = noise(2 * whole)
    let front = Array(text.prefix(1 << 16)) + noise.prefix(whole + 5)
    try bench.put("noise", noise)
    try bench.put("text", text)
    try bench.put("front", front)
    try bench.pack(readsAhead: readsAhead)
    #expect(try self.content(bench, "noise") == noise)
    #expect(try self.content(bench, "text") == text)
    #expect(try self.content(bench, "front") == front)
    #expect(try bench.note("noise").record.compression == .none)
    #expect(try bench.note("text").record.compression == .zstd)
    #expect(try bench.note("text").sealedByteCount < UInt64(text.count / 10))
    #expect(try bench.note("front").sealedByteCount < UInt64(front.count * 11 / 10))
    #expect(try bench.pack().changes == [])
  }

  @Test func severalWorkersSealOneFile() throws {
    let bench = try PackBench()
    // Three whole runs and a part, so that each worker has something and the last run is short.
    let content = noise(3 * NoteWriter.runByteCount + 70_001)
    try bench.put("noise", content)
    let source = try SourceFolder(path: bench.sourcePath)
    let folder = try bench.vault.open()
    let unlocked = try TestVault.unlock(folder, bench.vault.snapshot())
    let item = try #require(try bench.scan().items.first)
    let team = NoteWriterTeam()
    let staged = PackSealing.Folder(try Directory(path: bench.vault.temporary.bytes))
    let sealed = Mutex<SealedNote?>(nil)
    team.enter()
    try Workers.run(count: 3) { number in
      let keys = unlocked.compartmentForNewNotes.secret
      let watch = PackWatch(isInterrupted: { false }, didHandle: { _ in })
      guard var writer = try? NoteWriter() else { return }
      if number == 0 {
        defer { team.leave() }
        guard
          var reader = try? NoteWriterSource(
            source, policy: .automatic, afterReading: { _ in })
        else { return }
        let note = try? writer.writeLarge(
          item, from: &reader, as: nil, path: item.path, older: nil, keys: keys.keys,
          into: staged.directory, policy: .automatic, team: team, watch: watch)
        sealed.withLock { $0 = note }
      } else {
        while let shared = team.next() {
          writer.work(on: shared, keys: keys.keys, watch: watch)
        }
      }
    }
    let note = try #require(sealed.withLock { $0 })
    let name = FileNameHex.name(of: note.id)
    let file = try Directory(path: bench.vault.temporary.bytes).openFile(name)
    var hasher = try NoteHasher()
    let state = try hasher.state(of: file, note: note.id, path: name)
    #expect(state == .file(note.digest, byteCount: note.byteCount))
    #expect(note.record.contentByteCount == UInt64(content.count))
  }

  @Test func compressionIsLeftOutWhereAsked() throws {
    let bench = try PackBench()
    let text = Array(repeating: UInt8(ascii: "a"), count: 5_000)
    try bench.put("a", text)
    try bench.put("large", Array(repeating: UInt8(ascii: "b"), count: 2 << 20))
    try bench.pack(compression: .never)
    #expect(try bench.note("a").record.compression == .none)
    #expect(try bench.note("a").sealedByteCount >= 5_000)
    #expect(try bench.note("large").record.compression == .none)
    #expect(try content(bench, "a") == text)
  }

  // MARK: - Files that change

  /// Does something at the first readings of a file.
  private final class Meddler: Sendable {
    private let times = Atomic<Int>(0)
    private let limit: Int
    private let act: @Sendable (Int) -> Void

    init(times limit: Int, _ act: @escaping @Sendable (Int) -> Void) {
      self.limit = limit
      self.act = act
    }

    func afterReading() {
      let time = times.add(1, ordering: .sequentiallyConsistent).newValue
      if time <= limit { act(time) }
    }

    var count: Int { times.load(ordering: .sequentiallyConsistent) }
  }

  private static let changes = [
    "printf ' and more' >> n", "printf x > n", "printf 'NEW CONTENT' > n", "cp n m && mv m n",
    "truncate -s 5 n",
  ]

  @Test(arguments: changes, [11, 2 << 20])
  func aFileThatChangesWhileItIsReadIsReadAgain(command: String, byteCount: Int) throws {
    let bench = try PackBench()
    try bench.put("n", Array(repeating: UInt8(ascii: "o"), count: byteCount))
    let meddler = Meddler(times: 1) { _ in try? bench.shell(command) }
    let run = try bench.pack(afterReading: { _ in meddler.afterReading() })
    #expect(run.changes == ["added n"])
    #expect(meddler.count == 2)
    let now = try Directory(path: bench.sourcePath).readWhole(bytes("n"), limit: 3 << 20)
    #expect(try content(bench, "n") == now)
    #expect(try bench.note("n").record.contentByteCount == UInt64(now.count))
    #expect(try bench.pack().changes == [])
    try expectSettled(bench.vault)
  }

  @Test(arguments: [11, 2 << 20])
  func aFileThatKeepsChangingIsNamedAndTheNoteStays(byteCount: Int) throws {
    let bench = try PackBench()
    try bench.put("n", "old")
    try bench.put("other", "x")
    try bench.pack()
    try bench.put("n", Array(repeating: UInt8(ascii: "o"), count: byteCount))
    let meddler = Meddler(times: 99) { _ in try? bench.shell("printf y >> n") }
    let run = try bench.pack(afterReading: { path in
      if path == bytes("n") { meddler.afterReading() }
    })
    #expect(run.changes == [])
    #expect(run.outcome.problems == [.init(path: bytes("n"), .changedWhileRead)])
    #expect(meddler.count == NoteWriterSource.attempts)
    #expect(try bench.contents() == ["n": "old", "other": "x"])
    try expectSettled(bench.vault)
    // It is still the source's own change, not a conflict.
    #expect(try bench.pack().changes == ["changed n"])
  }

  @Test(arguments: ["rm n", "rm n && mkfifo n", "rm n && mkdir n", "rm n && ln -s other n"])
  func aFileThatVanishesIsNamedAndTheRestIsPacked(command: String) throws {
    let bench = try PackBench()
    try bench.shell("printf first > a && printf n > n && printf z > z")
    let source = try SourceFolder(path: bench.sourcePath)
    let scan = try bench.scan()
    try bench.shell(command)
    let folder = try bench.vault.open()
    var session = try TestVault.session(folder)
    let packing = try Packing(
      scan, of: source, into: try TestVault.unlock(folder, session.snapshot),
      options: .init(keepsMissing: false, compression: .automatic, removesSource: false),
      watch: PackWatch(isInterrupted: { false }, didHandle: { _ in }))
    let outcome = try packing.carryOut(try packing.decide(), in: &session, ahead: nil)
    #expect(outcome.problems.map(\.path) == [bytes("n")])
    #expect(outcome.changes.map(\.path) == [bytes("a"), bytes("z")])
    #expect(try bench.contents() == ["a": "first", "z": "z"])
    try expectSettled(bench.vault)
  }
}
