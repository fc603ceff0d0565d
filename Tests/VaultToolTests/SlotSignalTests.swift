import Glibc
import Testing
import VaultTestSupport

extension BuiltProgram {
  /// Field case FR-103: a signal in the middle of a change of the passphrase.
  @Suite struct InterruptedRewrap {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func seconds() -> Double {
      var now = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &now)
      return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }

    private func arguments(_ vault: Name, from old: Name, to new: Name) -> [Name] {
      ["rewrap", vault, "--passphrase-file", old, "--new-passphrase-file", new]
    }

    /// Each signal comes ten times: every other time at any moment of the run, else soon after the first change on the
    /// disk, where all that matters happens.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGKILL])
    func fr103TheOldOrTheNewPassphraseOpensWheneverASignalComes(signal: Int32) throws {
      let vault = try place.emptyVault()
      var (current, other) = (place.sample.passphraseFile, place("other"))
      try Disk.write("another passphrase\n", to: other)
      var random = SeededBytes(seed: UInt64(signal))
      let start = seconds()
      try Disk.must([Tool.path] + arguments(vault, from: current, to: other))
      let whole = seconds() - start
      swap(&current, &other)
      for round in 0..<10 {
        let child = try Tool.start(arguments(vault, from: current, to: other))
        if round % 2 == 0 {
          let end = seconds() + whole * Double.random(in: 0..<1, using: &random)
          while seconds() < end && !child.hasEnded { sched_yield() }
        } else {
          while !Disk.exists(vault / "staging") && !child.hasEnded { sched_yield() }
          for _ in 0..<Int.random(in: 0..<400, using: &random) { sched_yield() }
        }
        child.send(signal)
        let stopped = child.wait()
        let ended: [Int32] = [0, 128 + signal, -signal]
        #expect(ended.contains(stopped.status), "round \(round): \(stopped)")

        let verified = try JSON(try place.verify(vault, "--json").output)
        let codes = Set((verified["findings"].list ?? []).compactMap { $0["code"].string })
        #expect(codes.isSubset(of: ["leftover", "unfinished-commit"]), "round \(round): \(codes)")
        let opens = try Tool.run("ls", vault, "--passphrase-file", current)
        if opens.status != 0 {
          let new = try Tool.run("ls", vault, "--passphrase-file", other)
          try #require(new.status == 0, "round \(round): neither opens: \(opens) \(new)")
          swap(&current, &other)
        }
      }
      // Running it again completes whatever was left.
      try Disk.must([Tool.path] + arguments(vault, from: current, to: other))
      let clean = try place.verify(vault, "--quiet")
      #expect(clean.status == 0 && clean.allBytes.isEmpty, "\(clean)")
      #expect(!Disk.exists(vault / "staging"))
      #expect(try SlotLines(vault).all.count == 2)
    }
  }
}
