import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Random damage of the structure: what a repair claims to mend is mended, and no note loses a byte.
@Suite struct RepairMutationTests {
  /// Damages about a third of the things of which everything is there twice, each once, and says what was done.
  private func damage(
    _ vault: TestVault, _ random: inout SeededBytes
  ) throws -> [String] {
    var done: [String] = []
    for thing in try things(of: vault) where Int.random(in: 0..<3, using: &random) == 0 {
      done.append(try damage(thing, of: vault, &random))
    }
    return done
  }

  private enum Thing {
    case slot(String)
    case header
    case companion(String)
    case note(String)
    case segment(String)
  }

  private func things(of vault: TestVault) throws -> [Thing] {
    let notes = try vault.sealedFiles().keys.sorted().map {
      String(decoding: Layout.notePath($0), as: UTF8.self)
    }
    return try (vault.names("spare") ?? []).map { .slot($0) } + [.header]
      + [".gitattributes", ".gitignore", "README.md"].map { .companion($0) }
      + notes.map { .note($0) } + vault.segmentNames().map { .segment($0) }
  }

  private func damage(
    _ thing: Thing, of vault: TestVault, _ random: inout SeededBytes
  ) throws -> String {
    let place = ["", "index/", "spare/", "notes/"][Int(random.next() % 4)]
    let stray = "\(place)copy \(random.next())"
    switch thing {
    case .slot(let name):
      let copy = ["index/", "spare/"][Int(random.next() % 2)] + name
      var content = try vault.content(copy)
      content[Int.random(in: 0..<content.count, using: &random)] ^= 1 << (random.next() & 7)
      switch random.next() % 4 {
      case 0: try vault.remove(copy)
      case 1: try vault.put(copy, content)
      case 2: try vault.put(copy, random.bytes(Int.random(in: 0...300, using: &random)))
      default: try vault.put(stray, try vault.content(copy))
      }
      return "slot \(copy), stray \(stray)"
    case .header:
      try vault.put("VAULT", random.bytes(Int.random(in: 0...90, using: &random)))
      return "VAULT"
    case .companion(let name):
      try vault.put(name, random.bytes(40))
      return name
    case .note(let path):
      let content = try vault.content(path)
      try vault.put(stray, content)
      switch random.next() % 3 {
      case 0: try vault.remove(path)
      case 1: try vault.put(path, Array(content.dropLast(Int.random(in: 1...400, using: &random))))
      default: break
      }
      return "note \(path), stray \(stray)"
    case .segment(let name):
      try vault.put(stray, vault.content("index/\(name)"))
      if random.next() % 2 == 0 { try vault.remove("index/\(name)") }
      return "segment \(name), stray \(stray)"
    }
  }

  @Test func randomDamageThatCanBeMendedIsMended() throws {
    let base = try TestVault.withNotes()
    let notes = try base.sealedFiles()
    for _ in 0..<60 {
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SeededBytes(seed: seed)
      let vault = try TestVault(copying: base)
      let what = try damage(vault, &random)
      let done = try vault.repair()
      let comment: Comment = "seed \(seed): \(what), done: \(done)"
      #expect(try vault.findings() == [], comment)
      #expect(try vault.sealedFiles() == notes, comment)
      #expect((try? vault.texts()) == TestVault.noteTexts, comment)
      #expect(try vault.repair() == [], comment)
    }
  }
}
