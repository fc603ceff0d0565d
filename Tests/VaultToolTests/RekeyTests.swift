import Glibc
import Testing

extension BuiltProgram {
  /// `rekey` as its owner uses it.
  @Suite struct Rekey {
    private let place: Workplace
    private let vault: Name
    private let words: Name

    init() throws {
      place = try Workplace()
      vault = try place.vault()
      words = place("new words")
    }

    private func rekey(_ options: Name...) throws -> Outcome {
      try Tool.run(["rekey", vault] + options)
    }

    private func signer() throws -> Name {
      let info = try JSON(Tool.run(["info", vault, "--json"]).output)
      return Name(try #require(info["compartments"][0]["signer"].string))
    }

    @Test func thePassphraseThatIsGivenLivesOnAndThePhraseIsNew() throws {
      let old = try signer()
      let tree = try place.unpacked(vault)
      let done = try rekey(
        "--passphrase-file", place.sample.passphraseFile, "--phrase-out", words, "--yes")
      #expect(done.status == 0, "\(done)")
      let new = try signer()
      #expect(new != old)
      #expect(done.errorText.contains("new fingerprint: \(new.text)"), "\(done)")
      #expect(done.errorText.contains("old fingerprint: \(old.text)"), "\(done)")

      let verified = try place.run("verify", vault, "--unlock")
      #expect(verified.status == 0, "\(verified)")
      #expect(try Tool.run(["verify", vault, "--signer", new]).status == 0)
      let pinned = try Tool.run(["verify", vault, "--signer", old])
      #expect(pinned.status == 5, "\(pinned)")
      #expect(pinned.text.contains("handed-over"), "\(pinned)")

      #expect(try Tool.run(["ls", vault, "--phrase-file", words]).status == 0)
      #expect(try Tool.run(["ls", vault, "--phrase-file", place.sample.phraseFile]).status == 4)
      try Disk.move(place("out"), to: place("before"))
      #expect(try place.unpacked(vault).differences(from: tree) == [])
    }

    @Test func aNewPassphraseTakesThePlaceOfTheOldOne() throws {
      try Disk.write("another passphrase\n", to: place("another"))
      let done = try rekey(
        "--passphrase-file", place.sample.passphraseFile, "--new-passphrase-file",
        place("another"), "--phrase-file", place.sample.phraseFile, "--yes")
      #expect(done.status == 0, "\(done)")
      #expect(try Tool.run(["ls", vault, "--passphrase-file", place("another")]).status == 0)
      #expect(try Tool.run(["ls", vault, "--phrase-file", place.sample.phraseFile]).status == 0)
      let refused = try Tool.run(["ls", vault, "--passphrase-file", place.sample.passphraseFile])
      #expect(refused.status == 4, "\(refused)")
    }

    @Test func whatIsRefusedChangesNothing() throws {
      try Disk.write("another passphrase\n", to: place("another"))
      let before = try Tree(vault)
      let passphrase: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let refusals: [([Name], Int32)] = [
        (["--passphrase-file", place("another"), "--phrase-out", words, "--yes"], 4),
        // Nobody said yes.
        (passphrase + ["--phrase-out", words], 1),
        // Nowhere to show the new phrase.
        (passphrase + ["--yes"], 2),
        // The phrase that is given lives on, so there is no new one.
        (
          passphrase + [
            "--phrase-file", place.sample.phraseFile, "--phrase-out", words, "--yes",
          ], 2
        ),
        (passphrase + ["--phrase-out", words, "--compartment", "00", "--yes"], 2),
      ]
      for (options, status) in refusals {
        let refused = try Tool.run(["rekey", vault] + options)
        #expect(refused.status == status, "\(options) \(refused)")
        #expect(try Tree(vault).contents == before.contents, "\(options)")
        #expect(!Disk.exists(words), "\(options)")
      }
    }

    @Test func damageIsFoundBeforeAnyChange() throws {
      let folder = try #require(try Disk.names(in: vault / "notes").first)
      let name = try #require(try Disk.names(in: vault / "notes" / folder).first)
      let note = vault / "notes" / folder / name
      var bytes = try Disk.read(note)
      bytes[bytes.count - 1] ^= 1
      try Disk.write(bytes, to: note)
      let before = try Tree(vault)
      let refused = try rekey(
        "--passphrase-file", place.sample.passphraseFile, "--phrase-out", words, "--yes")
      #expect(refused.status == 5, "\(refused)")
      #expect(try Tree(vault).contents == before.contents)
      #expect(!Disk.exists(words))
    }

    /// Field case FR-103: a signal at any moment leaves the old secret or the new one, never neither.
    @Test func fr103ASignalAtAnyMomentLeavesTheOldOrTheNew() throws {
      try Disk.write("another passphrase\n", to: place("another"))
      let signals = [SIGINT, SIGTERM, SIGHUP, SIGKILL]
      var random = SystemRandomNumberGenerator()
      for round in 0..<8 {
        let copy = place("copy \(round)")
        let out = place("words \(round)")
        try Disk.copy(vault, to: copy)
        let command: [Name] = [
          "rekey", copy, "--passphrase-file", place.sample.passphraseFile,
          "--new-passphrase-file", place("another"), "--phrase-out", out, "--yes",
        ]
        let child = try Tool.start(command)
        let wait = UInt64.random(in: 0..<1_800_000, using: &random)
        waitUnlessEnded(child, microseconds: wait)
        child.send(signals[round % signals.count])
        let stopped = child.wait()
        let opensOld = try Tool.run(["ls", copy, "--passphrase-file", place.sample.passphraseFile])
        let opensNew = try Tool.run(["ls", copy, "--passphrase-file", place("another")])
        #expect(opensOld.status == 0 || opensNew.status == 0, "after \(wait) µs: \(stopped)")
        if opensNew.status != 0 {
          if Disk.exists(out) { try Disk.remove(out) }
          let again = try Tool.run(command)
          #expect(again.status == 0, "after \(wait) µs: \(again)")
        } else {
          try Disk.must([Tool.path, "compact", copy, "--passphrase-file", place("another")])
        }
        let clean = try Tool.run(["verify", copy])
        #expect(clean.status == 0, "after \(wait) µs: \(clean)")
      }
    }

    private func waitUnlessEnded(_ child: Child, microseconds: UInt64) {
      var now = timespec()
      unsafe clock_gettime(CLOCK_MONOTONIC, &now)
      let end = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000 + microseconds
      while !child.hasEnded {
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        if UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000 >= end { return }
        sched_yield()
      }
    }
  }
}
