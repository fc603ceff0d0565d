import Testing

extension BuiltProgram {
  /// Field cases J: what a script relies on.
  @Suite struct CommandLinePromises {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Every file of a vault can be spoilt in one way, and each gives a status that is not 0.
    @Test func fr135EveryKindOfDamageHasStatusFive() throws {
      for (number, path) in try Damage.files(of: place.sample.vault).enumerated() {
        let vault = try place.vault("v\(number)")
        var content = try Disk.read(vault / path)
        content[content.count / 2] ^= 0x40
        try Disk.write(content, to: vault / path)
        let outcome = try place.verify(vault, "--quiet")
        #expect(outcome.status == 5, "\(path): \(outcome)")
        try Disk.removeAll(vault)
      }
    }

    @Test func fr136EachLevelSaysWhatItDidNotCheck() throws {
      let vault = place.sample.vault
      let keyless = try JSON(try place.verify(vault, "--json").output)
      #expect(keyless["level"].string == "keyless")
      #expect(keyless["not_checked"].list?.isEmpty == false)
      let unlocked = try JSON(try place.must("verify", vault, "--unlock", "--json").output)
      let open = try #require(keyless["not_checked"].list).compactMap(\.string)
      #expect(unlocked["not_checked"].list?.compactMap(\.string) != open)
      #expect(keyless["checked"]["notes"].int == unlocked["checked"]["notes"].int)
    }

    @Test func fr139WhatTheToolJustMadeIsClean() throws {
      let vault = try place.emptyVault()
      let steps: [[Name]] = [
        ["pack", place.sample.notes, vault], ["pack", place.sample.notes, vault],
        ["pack", place.sample.laterNotes, vault, "--yes"], ["compact", vault],
      ]
      #expect(try place.verify(vault, "--quiet").allBytes.isEmpty)
      for step in steps {
        let outcome = try place.run(step)
        #expect(outcome.status == 0, "\(outcome)")
        let verified = try place.verify(vault, "--quiet")
        #expect(verified.status == 0 && verified.allBytes.isEmpty, "\(step): \(verified)")
      }
    }

    @Test func fr141WrongUsageTouchesNothing() throws {
      let vault = try place.vault()
      let notes = try place.notes()
      let before = (try Tree(vault), try Tree(notes))
      let lines: [[Name]] = [
        ["pack", notes], ["pack", notes, vault, "third"], ["pack", notes, vault, "--exclude"],
        ["pack", notes, vault, "--no-such-option"], ["pack", "", vault], ["pack", notes, ""],
        ["pack", notes, vault, "--compress", "sometimes"], ["unpack", vault],
        ["unpack", vault, ""], ["unpack", vault, place("out"), ""], ["cat", vault],
        ["unpack", vault, place("out"), "--overwrite", "--skip-existing"], ["verify"],
        ["verify", vault, vault], ["verify", vault, "--signer", "abc"],
        ["verify", vault, "--signer="],
        ["ls", vault, "--json", "--null"], ["inspect"], ["compact", vault, "x"],
        ["nonsense", vault],
        ["pack", notes, vault, "--exclude", ""], ["info", vault, "--phrase-file", ""],
        ["init", place("new"), "--phrase-out", ""], ["info", vault, "--passphrase-command="],
        ["inspect", ""], ["verify", ""], ["unpack", vault, "-"], ["unpack", vault, "-", "a", "b"],
        ["info", vault, "--unlock=yes"],
      ]
      for line in lines {
        let outcome = try place.run(line)
        #expect(outcome.status == 2, "\(line): \(outcome)")
        #expect(outcome.output.isEmpty && !outcome.errorBytes.isEmpty, "\(line): \(outcome)")
      }
      #expect(try Tree(vault) == before.0 && Tree(notes) == before.1)
      #expect(!Disk.exists(place("out")))
    }

    @Test func fr141SourceAndVaultSwappedIsRefused() throws {
      let vault = try place.vault()
      let notes = try place.notes()
      let before = (try Tree(vault), try Tree(notes))
      let outcome = try place.run("pack", vault, notes, "--yes")
      #expect(outcome.status == 1, "\(outcome)")
      #expect(try Tree(vault) == before.0 && Tree(notes) == before.1)
    }

    @Test func fr142EveryFailureHasItsNumber() throws {
      let vault = try place.vault()
      try Disk.write("wrong", to: place("wrong"))
      #expect(try Tool.run("ls").status == 2)
      #expect(try Tool.run("ls", vault, "--passphrase-file", place("wrong")).status == 4)
      #expect(try Tool.run("ls", vault).status == 4)
      #expect(try place.run("ls", place("nothing")).status == 1)
      #expect(try place.run("cat", vault, "nothing").status == 1)
      let busy = try Tool.program([
        "/usr/bin/flock", "-x", vault / "VAULT", Tool.path, "pack", place.sample.notes, vault,
        "--yes",
        "--passphrase-file", place.sample.passphraseFile,
      ])
      #expect(busy.status == 6, "\(busy)")
      try Disk.remove(vault / "README.md")
      #expect(try place.verify(vault).status == 5)
    }

    @Test func fr144ExistingFilesAreNeverReplacedUnasked() throws {
      let vault = place.sample.vault
      let out = place("out")
      try place.must("unpack", vault, out)
      let whole = try Tree(out)
      try Disk.write("newer, mine", to: out / "Welcome.md")
      try Disk.remove(out / "latest.md")
      try Disk.makeFolder(out / "latest.md")
      try Disk.write("in the way", to: out / "latest.md/x")
      try Disk.removeAll(out / "trip")
      try Disk.write("a note where a folder goes", to: out / "trip")
      let before = try Tree(out)

      let refused = try place.run("unpack", vault, out)
      #expect(refused.status == 1, "\(refused)")
      #expect(refused.errorText.contains("Welcome.md"), "\(refused)")
      #expect(try Tree(out).contents == before.contents)

      let skipping = try place.run("unpack", vault, out, "--skip-existing")
      #expect(skipping.status != 0, "a note could not be written: \(skipping)")
      #expect(try Tree(out).contents == before.contents)

      let replacing = try place.run("unpack", vault, out, "--overwrite")
      #expect(replacing.status != 0, "a folder is in the way: \(replacing)")
      let after = try Tree(out)
      #expect(after.contents["Welcome.md"] == whole.contents["Welcome.md"])
      #expect(after.contents["latest.md/x"] == Array("in the way".utf8))
    }

    @Test func unpackNeverWritesThroughALink() throws {
      try Disk.makeFolder(place("elsewhere"))
      try Disk.makeFolder(place("out"))
      try Disk.makeLink(place("out") / "trip", to: place("elsewhere"))
      try Disk.makeLink(place("out") / "Welcome.md", to: place("elsewhere") / "planted")
      for option: [Name] in [[], ["--skip-existing"]] {
        let outcome = try place.run(["unpack", place.sample.vault, place("out")] + option)
        #expect(outcome.status == 1, "\(option): \(outcome)")
        #expect(try Disk.names(in: place("elsewhere")).isEmpty, "\(option)")
      }
      try place.must("unpack", place.sample.vault, place("out"), "--overwrite")
      #expect(try Disk.names(in: place("elsewhere")).isEmpty)
      #expect(try Tree(place("out")).contents == Tree(place.sample.notes).contents)
    }

    @Test(arguments: ["|cat", ">\"$OUT\"", ">/dev/stdout"])
    func fr147ExactBytesReachAPipeAndAFile(end: String) throws {
      let path: Name = "attachments/grain.png"
      let environment = ["OUT": place("out").text]
      let outcome = try Tool.shell(
        "\"$@\" \(end)", "unpack", place.sample.vault, "-", path, "--passphrase-file",
        place.sample.passphraseFile, environment: environment)
      let written = end.contains("OUT") ? try Disk.read(place("out")) : outcome.output
      #expect(outcome.status == 0, "\(outcome)")
      #expect(written == (try Disk.read(place.sample.notes / path)))
    }

    @Test func fr145ANewerVaultIsSaidToBeNewer() throws {
      let vault = try place.vault()
      var header = try Disk.read(vault / "VAULT")
      header[9] = 2
      try Disk.write(header, to: vault / "VAULT")
      for command: [Name] in [
        ["ls", vault], ["verify", vault], ["pack", place.sample.notes, vault],
      ] {
        let outcome = try Tool.run(command)
        // To verify, this VAULT also is not the one that was signed, and damage goes first.
        #expect(outcome.status == (command[0] == "verify" ? 5 : 7), "\(outcome)")
        #expect(outcome.allBytes.contains(Array("newer".utf8)), "\(outcome)")
      }
    }
  }
}
