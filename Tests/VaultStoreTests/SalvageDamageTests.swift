import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What happened to one file: bytes that changed, then bytes that were removed, or all of it.
private struct FileDamage {
  var changed: [Int: UInt8] = [:]
  var removed = 0..<0
  var isDeleted = false

  func apply(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for (offset, change) in changed { bytes[offset] ^= change }
    bytes.removeSubrange(removed)
    return bytes
  }

  /// Whether none of these bytes changed or went.
  func spares(_ range: Range<Int>) -> Bool {
    !removed.overlaps(range) && !changed.contains { $0.value != 0 && range.contains($0.key) }
  }
}

/// Random damage to a whole vault: nothing authentic is kept back, nothing else is given, and verification sees it.
///
/// A chunk is untouched if its own bytes are, and what its authenticity rests on: the prefix and the tag of the header
/// box. Where bytes were removed, a chunk behind them can be found only as long as the header or the index still says
/// how long the file was.
@Suite struct SalvageDamageTests {
  private static let noteCount = 100
  private let vault: TestVault
  /// By the path in the vault.
  private let files: [String: [UInt8]]
  private let texts: [NoteID: [UInt8]]
  private let paths: [NoteID: String]
  /// Both copies.
  private let passphraseSlots: Set<String>

  init() throws {
    vault = try TestVault()
    var random = SeededBytes(seed: 11)
    func put(_ number: Int) -> TestChange {
      let count = number % 10 == 0 ? 20_000 : Int.random(in: 0...5_000, using: &random)
      let text = String(
        decoding: (0..<count).map { _ in 97 + UInt8(random.next() % 26) }, as: UTF8.self)
      return .put("notes/\(number % 7)/n\(number).md", text)
    }
    let changes = (0..<Self.noteCount).map(put)
    try vault.commit(Array(changes[..<50]), chunkSizeLog2: 12)
    try vault.commit(Array(changes[50...]), chunkSizeLog2: 12)
    var texts: [NoteID: [UInt8]] = [:]
    var paths: [NoteID: String] = [:]
    let byPath = try vault.texts()
    for note in try vault.unlock().notes {
      let path = String(decoding: note.path, as: UTF8.self)
      texts[note.id] = Array(try #require(byPath[path]).utf8)
      paths[note.id] = path
    }
    passphraseSlots = Set(
      try vault.snapshot().slots.filter { $0.slot?.head.purpose == .passphrase }
        .map { ($0.isSpare ? "spare/" : "index/") + "\($0.locator.hex).slot" })
    self.texts = texts
    self.paths = paths
    let root = URL(filePath: String(decoding: vault.path, as: UTF8.self))
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.path()) {
      if let data = try? Data(contentsOf: root.appending(path: name)) {
        files[name] = [UInt8](data)
      }
    }
    self.files = files
  }

  @Test func everyUntouchedChunkComesBackAndNothingElse() throws {
    let names = files.keys.sorted()
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededBytes(seed: seed)
    for round in 0..<200 {
      var damages: [String: FileDamage] = [:]
      for _ in 0..<Int.random(in: 1...64, using: &random) {
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        damages[name, default: FileDamage()] = damage(
          damages[name] ?? FileDamage(), byteCount: files[name]?.count ?? 0, &random)
      }
      damages = damages.filter { name, damage in
        damage.isDeleted || damage.apply(to: files[name] ?? []) != files[name]
      }
      for (name, damage) in damages {
        try vault.remove(name)
        if !damage.isDeleted { try vault.put(name, damage.apply(to: files[name] ?? [])) }
      }
      let comment = Comment("seed \(seed), round \(round)")
      try check(damages, comment)
      for name in damages.keys {
        if damages[name]?.isDeleted == false { try vault.remove(name) }
        try vault.put(name, files[name] ?? [])
      }
    }
    let bench = try SalvageBench()
    #expect(try bench.salvage(vault).whole == Self.noteCount)
  }

  /// One more change to a file; its length changes once at most.
  private func damage(
    _ before: FileDamage, byteCount: Int, _ random: inout SeededBytes
  ) -> FileDamage {
    var damage = before
    let kind = random.next() % 10
    let offset = Int.random(in: 0..<byteCount, using: &random)
    if kind == 0 {
      damage.isDeleted = true
    } else if kind < 3, damage.removed.isEmpty {
      let end = kind == 1 ? byteCount : min(byteCount, offset + Int(1 + random.next() % 3_000))
      damage.removed = offset..<end
    } else {
      damage.changed[offset, default: 0] ^= UInt8(1 + random.next() % 255)
    }
    return damage
  }

  private func check(_ damages: [String: FileDamage], _ comment: Comment) throws {
    guard !damages.isEmpty else { return }
    try checkVerification(damages, comment)
    let bench = try SalvageBench()
    let report: SalvageReport
    do {
      report = try bench.salvage(vault)
    } catch {
      // Only where both copies of the passphrase's slot are hurt, or VAULT and a slot that could replace it.
      let slots = Set(damages.keys.filter { $0.hasSuffix(".slot") })
      let isLocked = slots.isSuperset(of: passphraseSlots)
      #expect(isLocked || damages["VAULT"] != nil && !slots.isEmpty, "\(error) \(comment)")
      return
    }
    // Only asked for where it matters, because it costs a second reading.
    let isAsked = damages.values.contains { !$0.removed.isEmpty || $0.isDeleted }
    let listed = isAsked ? try listedNotes() : []
    var problems: [NoteID: SalvageProblem] = [:]
    for problem in report.problems {
      guard let id = problem.noteID else { continue }
      #expect(problems[id] == nil, comment)
      problems[id] = problem
    }
    for (id, text) in texts {
      let name = String(decoding: Layout.notePath(id), as: UTF8.self)
      guard let damage = damages[name] else {
        #expect(problems[id] == nil && bench.content(paths[id] ?? "") == text, comment)
        continue
      }
      try check(
        id, text, damage, isListed: listed.contains(id), problems[id], bench, comment)
    }
  }

  /// The notes whose record the index still gives.
  private func listedNotes() throws -> Set<NoteID> {
    let base = try SalvageBase.load(path: vault.path, bounds: TestVault.bounds)
    return Set(try TestVault.unlock(base.vault, base.snapshot).notes.map(\.id))
  }

  private func checkVerification(_ damages: [String: FileDamage], _ comment: Comment) throws {
    let options = VerifyOptions(pins: [], bounds: TestVault.bounds, workerCount: 2)
    guard let verification = try? Verification(path: vault.path, options: options) else {
      #expect(damages["VAULT"] != nil, comment)  // no vault any more
      return
    }
    let report = try verification.run(progress: .silent, keys: nil)
    #expect(report.hasErrors, comment)
    let found = Set(report.findings.map { String(decoding: $0.path, as: UTF8.self) })
    // Without a segment that lists it, nobody can tell what a file should be.
    guard !damages.keys.contains(where: { $0.hasSuffix(".seg") || $0 == "VAULT" }) else { return }
    for name in damages.keys { #expect(found.contains(name), "\(name) \(comment)") }
  }

  private func check(
    _ id: NoteID, _ text: [UInt8], _ damage: FileDamage, isListed: Bool,
    _ problem: SalvageProblem?, _ bench: SalvageBench, _ comment: Comment
  ) throws {
    let name = String(decoding: Layout.notePath(id), as: UTF8.self)
    let original = try #require(files[name])
    let output =
      problem.map { bench.content(String(decoding: $0.path, as: UTF8.self)) }
      ?? bench.content(paths[id] ?? "")
    if damage.isDeleted {
      #expect(output == nil, comment)
      #expect(!isListed || problem?.reason == .missing, comment)
      return
    }
    var reader = ByteReader(original.span)
    let head = try SealedFileHead(parsing: &reader)
    let geometry = try ChunkGeometry(fileByteCount: original.count, head: head)
    let tag = (head.chunksOffset - 16)..<head.chunksOffset
    let isBound = damage.spares(0..<head.prefix.count) && damage.spares(tag)
    let isHeaderThere =
      damage.spares(head.headerBoxRange) && damage.removed.isEmpty
      || damage.spares(head.headerBoxRange) && damage.removed.lowerBound >= head.chunksOffset
    let lost =
      problem.map { problem in
        problem.lost + [UInt64(output?.count ?? 0)..<UInt64.max]
      } ?? (output == nil ? [0..<UInt64.max] : [])
    for chunk in 0..<geometry.chunkCount {
      let range = geometry.streamRange(ofChunk: chunk).clamped(to: 0..<text.count)
      if range.isEmpty { continue }
      let place = geometry.fileRange(ofChunk: chunk)
      let isLost = lost.contains {
        $0.overlaps(UInt64(range.lowerBound)..<UInt64(range.upperBound))
      }
      let isFindable = isHeaderThere || isListed || damage.removed.isEmpty
      if isBound, damage.spares(place), isFindable {
        #expect(!isLost, "chunk \(chunk) of \(name), \(comment)")
      }
      if !damage.spares(place) {
        #expect(isLost, "touched chunk \(chunk) of \(name), \(comment)")
      }
      if !isLost {
        #expect(output?[range] == text[range], "chunk \(chunk) of \(name), \(comment)")
      }
    }
  }
}
