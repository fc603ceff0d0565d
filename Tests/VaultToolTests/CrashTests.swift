import Glibc
import Testing

extension BuiltProgram {
  /// Field cases G: a run that ends in the middle.
  @Suite struct Interrupted {
    private let place: Workplace
    private let vault: Name
    private let source: Name

    init() throws {
      place = try Workplace()
      vault = try place.emptyVault()
      source = try place.source()
      for number in 0..<400 { try Disk.write("note \(number)\n", to: source / "\(number).md") }
    }

    /// Where a run is stopped: it has come so far when this many files of a kind are there.
    enum Moment: CaseIterable, Sendable {
      case stagingBegun, halfStaged, committed, halfPlaced

      func isReached(in vault: Name) -> Bool {
        switch self {
        case .stagingBegun: return Moment.count(in: vault / "staging") > 0
        case .halfStaged:
          let runs = (try? Disk.names(in: vault / "staging")) ?? []
          return runs.contains { Moment.count(in: vault / "staging" / $0) > 200 }
        case .committed: return Moment.count(in: vault / "index") > 3
        case .halfPlaced: return Moment.count(in: vault / "notes") > 100
        }
      }

      private static func count(in folder: Name) -> Int {
        (try? Disk.names(in: folder).count) ?? 0
      }
    }

    /// Starts to pack and sends a signal as soon as the moment has come, or the run has ended.
    private func pack(sending signal: Int32, at moment: Moment) throws -> Outcome {
      let child = try Tool.start([
        "pack", source, vault, "--passphrase-file", place.sample.passphraseFile,
      ])
      while !moment.isReached(in: vault) && !child.hasEnded { sched_yield() }
      child.send(signal)
      return child.wait()
    }

    private func names() throws -> [Substring] {
      try place.must("ls", vault).text.split(separator: "\n")
    }

    @Test(arguments: Moment.allCases)
    func fr105AKilledPackLeavesTheOldOrTheNewStateAndIsCompleted(moment: Moment) throws {
      let stopped = try pack(sending: SIGKILL, at: moment)
      #expect(stopped.status == -SIGKILL || stopped.status == 0, "\(stopped)")

      let verified = try place.verify(vault, "--json")
      let findings = try JSON(verified.output)["findings"].list ?? []
      let codes = Set(findings.compactMap { $0["code"].string })
      #expect(codes.isSubset(of: ["leftover", "unfinished-commit"]), "\(verified)")
      #expect(verified.status == (codes.contains("unfinished-commit") ? 5 : 0), "\(verified)")
      let listed = try names()
      #expect(listed.isEmpty || listed.count == 400, "\(listed.count)")

      try place.must("pack", source, vault)
      let clean = try place.verify(vault, "--json")
      #expect(clean.status == 0, "\(clean)")
      #expect(try JSON(clean.output)["findings"].list?.isEmpty == true, "\(clean)")
      #expect(!Disk.exists(vault / "staging"))
      #expect(try place.unpacked(vault).differences(from: Tree(source)) == [])
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func anInterruptedPackCleansUp(signal: Int32) throws {
      let before = try Tree(vault, leavingOut: ["local"])
      let stopped = try pack(sending: signal, at: .stagingBegun)
      #expect(stopped.status == 128 + signal || stopped.status == 0, "\(stopped)")
      if stopped.status != 0 {
        #expect(try Tree(vault, leavingOut: ["local"]).contents == before.contents)
        #expect(!Disk.exists(vault / "staging"))
      }
      #expect(try place.verify(vault).status == 0)
    }

    @Test func fr109AnInterruptedUnpackIsContinued() throws {
      try place.must("pack", source, vault)
      let arguments: [Name] = [
        "unpack", vault, place("out"), "--passphrase-file", place.sample.passphraseFile,
      ]
      let child = try Tool.start(arguments)
      while ((try? Disk.names(in: place("out")).count) ?? 0) < 100 && !child.hasEnded {
        sched_yield()
      }
      child.send(SIGKILL)
      _ = child.wait()
      let whole = try Tree(source)
      for (path, content) in try Tree(place("out")).contents
      where !path.text.hasPrefix(".vaulttool") {
        #expect(content == whole.contents[path], "\(path) is half-written")
      }
      try place.must("unpack", vault, place("out"), "--skip-existing")
      let out = try Tree(place("out"))
      for path in whole.paths {
        #expect(out.entries[path]?.kind == whole.entries[path]?.kind, "\(path)")
      }
    }

    @Test func fr106AWrongSecretOrDamageLeavesTheTargetAlone() throws {
      let vault = try place.vault("damaged")
      let path: Name = "Welcome.md"
      for file in try Damage.files(of: vault) where file.text.hasSuffix(".sealed") {
        var content = try Disk.read(vault / file)
        content[content.count - 1] ^= 1
        try Disk.write(content, to: vault / file)
      }
      try Disk.makeFolder(place("out"))
      try Disk.write("mine", to: place("out") / path)
      let before = try Tree(place("out"))
      let damaged = try place.run("unpack", vault, place("out"), path, "--overwrite")
      #expect(damaged.status == 5, "\(damaged)")
      #expect(try Tree(place("out")).contents == before.contents)
      let cat = try place.run("cat", vault, path)
      #expect(cat.status == 5 && cat.output.isEmpty, "\(cat)")
    }
  }
}
