import Testing
import VaultTestSupport

/// Whether the kernel gives the tests a key ring; a container may forbid it.
enum KeyRing {
  static let isThere: Bool = {
    guard let outcome = try? Tool.script("key-ring.py", ["read", "vaulttool tests: no such key"])
    else { return false }
    let status = try? JSON(Tool.run("status", "--json").output)
    return outcome.status == 1 && status?["key_ring"].bool == true
  }()

  static let isNotThere: Comment = "the system gives no key ring"
}

extension BuiltProgram {
  /// What stays unlocked, and for whom (spec/command-line.md, Sessions).
  @Suite(.serialized) final class Sessions {
    private let place: Workplace
    private let vault: Name

    /// A vault with keys of its own: other tests must not find those of the sample unlocked.
    init() throws {
      place = try Workplace()
      vault = place("own.vault")
      try place.must("init", vault, "--phrase-out", place("phrase"))
      try place.must("pack", try place.source(["a.md": "A note.\n"]), vault, "--yes")
    }

    deinit { _ = try? Tool.run("lock", vault) }

    private func withoutSecret(_ arguments: Name...) throws -> Outcome {
      try Tool.run(arguments, in: place.path)
    }

    private func status() throws -> JSON {
      try JSON(try Tool.run("status", vault, "--json").output)
    }

    private func key() throws -> Name {
      let info = try JSON(Tool.run("info", vault, "--json").output)
      return Name("vaulttool:" + (try #require(info["compartments"][0]["id"].string)))
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func anUnlockedVaultAsksForNothing() throws {
      let unlocked = try place.must("unlock", vault)
      #expect(unlocked.output.isEmpty)
      try Disk.write("A second note.\n", to: place("source") / "b.md")
      #expect(try withoutSecret("pack", place("source"), vault).status == 0)
      #expect(try withoutSecret("ls", vault).text == "a.md\nb.md\n")
      #expect(try withoutSecret("cat", vault, "b.md").text == "A second note.\n")
      #expect(try withoutSecret("unpack", vault, place("out")).status == 0)
      #expect(try withoutSecret("info", vault, "--unlock").text.contains("2 files"))
      #expect(try withoutSecret("verify", vault, "--unlock").status == 0)
      #expect(try withoutSecret("compact", vault).status == 0)
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func lockEndsSessions() throws {
      let other = place("other.vault")
      try place.must("init", other, "--phrase-out", place("other phrase"))
      defer { _ = try? Tool.run("lock", other) }
      #expect(try withoutSecret("status", vault).status == 1)
      try place.must("unlock", vault)
      try place.must("unlock", other)
      #expect(try withoutSecret("status", "-q", vault).status == 0)
      #expect(try withoutSecret("lock", vault).status == 0)
      #expect(try withoutSecret("status", "-q", vault).status == 1)
      #expect(try withoutSecret("status", "-q", other).status == 0)
      let refused = try withoutSecret("ls", vault)
      #expect(refused.status == 4 && refused.output.isEmpty, "\(refused)")
      #expect(try Tool.script("key-ring.py", ["read", try key()]).status == 1)
      let again = try withoutSecret("lock", vault)
      #expect(again.status == 0 && again.errorText.contains("nothing was unlocked"), "\(again)")
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func lockWithoutAVaultLocksAll() throws {
      let before = try JSON(Tool.run("status", "--json").output)
      guard before["sessions"].list?.isEmpty == true else { return }  // somebody's own
      try place.must("unlock", vault)
      #expect(try withoutSecret("lock").status == 0)
      #expect(try withoutSecret("status").status == 1)
      #expect(try withoutSecret("ls", vault).status == 4)
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func aSessionServesNoChangeOfSecrets() throws {
      try place.must("unlock", vault)
      try Disk.write("another passphrase", to: place("new"))
      let new: [Name] = ["--new-passphrase-file", place("new")]
      let commands: [[Name]] = [
        ["rewrap", vault] + new, ["recover", vault] + new, ["rekey", vault, "--yes"] + new,
        ["slot", "add", vault, "--label", "x"] + new, ["slot", "remove", vault, "x"],
        ["phrase", "new", vault, "--phrase-out", place("p")], ["phrase", "check", vault],
      ]
      let before = try Tree(vault)
      for command in commands {
        let outcome = try Tool.run(command, in: place.path)
        #expect([2, 4].contains(outcome.status), "\(command) \(outcome)")
      }
      #expect(try Tree(vault) == before)
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func aSessionHoldsTheMasterKeyAndNoPassphrase() throws {
      try place.must("unlock", vault)
      let read = try Tool.script("key-ring.py", ["read", try key()])
      let lines = read.text.split(separator: "\n")
      let id = try #require(try JSON(Tool.run("info", vault, "--json").output)["vault_id"].string)
      // Vault id, master key, minutes and path: there is no room for anything else.
      let path = vault.bytes.map { String($0, radix: 16) }.joined()
      #expect(lines[0].hasPrefix(id) && lines[0].hasSuffix("08" + path))
      #expect(lines[0].count == 2 * (16 + 32 + 1) + path.count)
      #expect(lines[1] == "3f000000", "only who holds the ring may do anything with it")
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func everyUseLetsTheTimeBeginAnewAndAskingDoesNot() throws {
      try place.must("unlock", vault, "--timeout", "3")
      let session = try status()["sessions"][0]
      #expect(session["timeout_minutes"].int == 3)
      #expect(session["path"].string == vault.text)
      #expect((60...180).contains(try #require(session["seconds_left"].int)))
      #expect(try Tool.script("key-ring.py", ["expire", try key(), "50"]).status == 0)
      #expect(try #require(try status()["sessions"][0]["seconds_left"].int) <= 50)
      #expect(try #require(try status()["sessions"][0]["seconds_left"].int) <= 50)
      #expect(try withoutSecret("ls", vault).status == 0)
      #expect(try #require(try status()["sessions"][0]["seconds_left"].int) > 50)
    }

    @Test(arguments: ["0", "61", "-1", "8.5", "x", "99999999999999999999"])
    func aTimeOutsideTheBoundsIsRefused(minutes: Name) throws {
      let outcome = try place.run("unlock", vault, "--timeout=" + minutes)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errorText.contains("1 to 60"), "\(outcome)")
      #expect(try withoutSecret("status", "-q", vault).status == 1)
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func whatIsUnlockedOpensTogetherAndANamedSecretCountsAlone() throws {
      try Disk.write("a second passphrase", to: place("second"))
      try Disk.must(
        [
          Tool.path, "reset", vault, "--yes", "--phrase-out", place("second phrase"),
          "--new-passphrase-file", place("second"),
        ])
      try Disk.must([
        Tool.path, "pack", try place.source(["own.md": "Own.\n"], as: "more"), vault, "--yes",
        "--passphrase-file", place("second"),
      ])
      try place.must("unlock", vault)
      let one = try withoutSecret("ls", vault)
      #expect(one.text == "a.md\n" && one.errorText.contains("1 note in 1 other"), "\(one)")
      let unlocked = try Tool.run("unlock", vault, "--passphrase-file", place("second"))
      #expect(unlocked.errorText.contains("1 other compartment stays locked"), "\(unlocked)")
      #expect(try withoutSecret("ls", vault).text == "a.md\nown.md\n")
      #expect(try status()["sessions"].list?.count == 2)
      let named = try Tool.run("ls", vault, "--passphrase-file", place("second"))
      #expect(named.text == "own.md\n", "\(named)")
      let wrong = try Tool.run("ls", vault, "--passphrase-file", place("phrase"))
      #expect(wrong.status == 4, "\(wrong)")
    }

    @Test(.enabled(if: KeyRing.isThere, KeyRing.isNotThere))
    func aSessionOfBeforeARekeyingOpensNothing() throws {
      try place.must("unlock", vault)
      try place.must("rekey", vault, "--yes", "--phrase-out", place("new phrase"))
      let outcome = try withoutSecret("ls", vault)
      #expect(outcome.status == 4 && outcome.output.isEmpty, "\(outcome)")
      #expect(try withoutSecret("status", "-q", vault).status == 1)
    }

    @Test func withoutAKeyRingUnlockSaysSoAndTheRestWorks() throws {
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      func run(_ arguments: Name...) throws -> Outcome {
        try Tool.script("without-key-ring.py", [Tool.path] + arguments)
      }
      let before = try Tree(place.path)
      let refused = try Tool.script(
        "without-key-ring.py", [Tool.path, "unlock", vault] + secret)
      #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
      #expect(refused.errorText.contains("no key ring"), "\(refused)")
      #expect(refused.errorText.contains("nothing was stored"), "\(refused)")
      #expect(try Tree(place.path) == before)
      let listed = try Tool.script("without-key-ring.py", [Tool.path, "ls", vault] + secret)
      #expect(listed.status == 0 && listed.text == "a.md\n", "\(listed)")
      #expect(try run("ls", vault).status == 4)
      let status = try run("status", "--json")
      #expect(try status.status == 1 && JSON(status.output)["key_ring"].bool == false)
      #expect(try run("lock").status == 0)
    }
  }
}
