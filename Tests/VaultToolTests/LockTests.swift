import Glibc
import Testing

extension BuiltProgram {
  /// Field cases H: several processes and one vault.
  @Suite struct Together {
    private let place: Workplace
    private let vault: Name

    init() throws {
      place = try Workplace()
      vault = try place.emptyVault()
    }

    private func packing(_ source: Name) -> [Name] {
      [
        "pack", source, vault, "--keep-missing", "--yes", "--passphrase-file",
        place.sample.passphraseFile,
      ]
    }

    @Test func fr115AHeldLockIsBusyAndNothingIsDone() throws {
      let source = try place.source(["a.md": "a"])
      let before = try Tree(vault)
      for command in [
        packing(source), ["compact", vault, "--passphrase-file", place.sample.passphraseFile],
      ] {
        let outcome = try Tool.program(
          ["/usr/bin/flock", "-x", vault / "VAULT", Tool.path] + command)
        #expect(outcome.status == 6, "\(outcome)")
      }
      #expect(try Tree(vault) == before)
      let reading = try Tool.program(
        ["/usr/bin/flock", "-x", vault / "VAULT", Tool.path, "verify", vault])
      #expect(reading.status == 0, "\(reading)")
    }

    @Test func fr114AndFR117ALockDiesWithItsProcessWhateverTheClockSays() throws {
      let holder = try Child([
        "/usr/bin/flock", "-x", vault / "VAULT", "/bin/sh", "-c",
        "echo held >\"$0\"; exec sleep 60",
        place("held"),
      ])
      while !Disk.exists(place("held")) && !holder.hasEnded { sched_yield() }
      let source = try place.source(["a.md": "a"])
      #expect(try Tool.run(packing(source)).status == 6)
      kill(-holder.id, SIGKILL)
      _ = holder.wait()
      for year in [1_600_000_000, 4_000_000_000] {
        try Disk.setTime(year, of: vault / "VAULT")
        let outcome = try Tool.run(packing(source))
        #expect(outcome.status == 0, "\(outcome)")
      }
    }

    @Test func fr118NoLockFileIsEverLeft() throws {
      let before = Set(try Disk.names(in: vault))
      try place.must("pack", try place.source(["a.md": "a"]), vault)
      #expect(Set(try Disk.names(in: vault)).subtracting(before).isSubset(of: ["local", "notes"]))
    }

    @Test func fr120TwoWritersAtOnceBothEndWell() throws {
      for round in 0..<5 {
        let sources = try ["left", "right"].map { side in
          try place.source(["\(side) \(round).md": side], as: "\(side) \(round)")
        }
        let children = try sources.map { try Tool.start(packing($0)) }
        let statuses = children.map { $0.wait().status }
        #expect(statuses.contains(0) && statuses.allSatisfy { $0 == 0 || $0 == 6 }, "\(statuses)")
        let verified = try place.verify(vault)
        #expect(verified.status == 0, "\(verified)")
        let listed = try place.must("ls", vault).text.split(separator: "\n")
        for (side, status) in zip(["left", "right"], statuses) {
          #expect(listed.contains("\(side) \(round).md") == (status == 0))
        }
      }
    }

    @Test func fr121ReadersBesideAWriterSeeOneWholeState() throws {
      let source = try place.source()
      let loop = """
        for i in 1 2 3 4 5 6; do
          for n in 1 2 3 4 5 6 7 8 9; do echo "$i $n" >"$SOURCE/$n.md"; done
          "$@" || exit
        done
        """
      let writer = try Child(
        ["/bin/sh", "-c", Name(loop), "sh", Tool.path] + packing(source),
        environment: ["SOURCE": source.text])
      var rounds = 0
      while !writer.hasEnded {
        let verified = try place.verify(vault)
        #expect(verified.status == 0, "\(verified)")
        rounds += 1
      }
      #expect(writer.wait().status == 0)
      #expect(rounds > 10)
      #expect(try place.verify(vault).status == 0)
    }
  }
}
