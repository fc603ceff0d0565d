import Testing
import VaultTestSupport

/// One way to spoil a vault's files, chosen by a seed.
struct Damage {
  enum Kind: CaseIterable {
    case flip, cut, extend, swap, delete, add, older, foreign
  }

  let kind: Kind
  private var random: SeededBytes

  init(seed: UInt64) {
    random = SeededBytes(seed: seed)
    kind = Kind.allCases[Int(seed) % Kind.allCases.count]
  }

  /// Spoils the vault.
  /// - Returns: what was done, for messages.
  mutating func apply(to vault: Name, olderVersion: Name, another: Name) throws -> String {
    let files = try Damage.files(of: vault)
    let path = try #require(files.randomElement(using: &random))
    var content = try Disk.read(vault / path)
    switch kind {
    case .flip:
      let offset = Int.random(in: content.indices, using: &random)
      content[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try Disk.write(content, to: vault / path)
      return "flipped a bit of byte \(offset) of \(path)"
    case .cut:
      let length = Int.random(in: content.indices, using: &random)
      try Disk.write(Array(content[..<length]), to: vault / path)
      return "cut \(path) to \(length) of \(content.count) bytes"
    case .extend:
      let more = random.bytes(Int.random(in: 1...100, using: &random))
      try Disk.write(content + more, to: vault / path)
      return "extended \(path) by \(more.count) bytes"
    case .swap:
      let others = try files.filter { try Disk.read(vault / $0) != content }
      let other = try #require(others.randomElement(using: &random))
      try Disk.write(try Disk.read(vault / other), to: vault / path)
      try Disk.write(content, to: vault / other)
      return "swapped \(path) and \(other)"
    case .delete:
      try Disk.remove(vault / path)
      return "deleted \(path)"
    case .add:
      let folder: Name = ["index", "spare", "notes", "notes/00", ""].randomElement(using: &random)!
      let name = Name(random.bytes(16).hex + (Bool.random(using: &random) ? ".sealed" : ".md"))
      if !Disk.exists(vault / folder) { try Disk.makeFolder(vault / folder) }
      try Disk.write(random.bytes(500), to: vault / folder / name)
      return "added \(folder)/\(name)"
    case .older:
      let changed = try Damage.files(of: olderVersion).filter {
        try Disk.exists(vault / $0) && Disk.read(olderVersion / $0) != Disk.read(vault / $0)
      }
      let older = try #require(changed.randomElement(using: &random))
      try Disk.write(try Disk.read(olderVersion / older), to: vault / older)
      return "put back the older \(older)"
    case .foreign:
      let pairs = try files.flatMap { path in
        try Damage.files(of: another).filter {
          try $0.bytes.suffix(5) == path.bytes.suffix(5)
            && Disk.read(another / $0) != Disk.read(vault / path)
        }.map { (path, $0) }
      }
      let (path, source) = try #require(pairs.randomElement(using: &random))
      try Disk.write(try Disk.read(another / source), to: vault / path)
      return "replaced \(path) by \(source) of another vault"
    }
  }

  /// The files of a vault that count: all but those in `local/`.
  static func files(of vault: Name) throws -> [Name] {
    try Tree(vault, leavingOut: ["local", ".git"]).contents.keys.sorted()
  }
}

extension BuiltProgram {
  /// Whatever happens to a vault's files is found without a key, and never becomes a wrong note.
  @Suite struct Damaged {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: UInt64(1)...50)
    func everyChangeIsFoundAndNothingWrongIsUnpacked(seed: UInt64) throws {
      let vault = place("vault")
      try Disk.copy(place.sample.laterVault, to: vault)
      let another = Tool.repository / "fixtures/vaults/v1/basic/vault"
      var damage = Damage(seed: seed)
      let done = try damage.apply(
        to: vault, olderVersion: place.sample.vault, another: another)
      let told: Comment = "seed \(seed): \(done)"
      let before = try Tree(vault)

      let verified = try place.verify(vault, "--json")
      #expect(verified.status == 5, "\(told): \(verified)")
      let report = try JSON(verified.output)
      let severities = report["findings"].list?.compactMap { $0["severity"].string }
      #expect(severities?.contains("error") == true, told)
      #expect(report["status"].int == 5 && report["verdict"].string == "findings", told)

      let outcome = try place.run("unpack", vault, place("out"))
      let wanted = try Tree(place.sample.laterNotes)
      let out = Disk.exists(place("out")) ? try Tree(place("out")) : nil
      for (path, entry) in out?.entries ?? [:] {
        #expect(entry.kind == wanted.entries[path]?.kind, "\(told): wrong \(path)")
      }
      if out?.paths != wanted.paths {
        #expect(outcome.status > 0, "\(told): something is missing, \(outcome)")
      }
      #expect([0, 1, 4, 5].contains(outcome.status), "\(told): \(outcome)")
      #expect(try Tree(vault) == before, "\(told): reading changed the vault")
    }

    @Test func theUndamagedVaultIsClean() throws {
      #expect(try place.verify(place.sample.laterVault).status == 0)
      let out = try place.unpacked(place.sample.laterVault)
      #expect(out.differences(from: try Tree(place.sample.laterNotes)) == [])
    }
  }
}
