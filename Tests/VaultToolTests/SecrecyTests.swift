import Glibc
import Testing

extension BuiltProgram {
  /// Field case FR-054: no secret in anything that is shown.
  @Suite struct Secrecy {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func fr054NoCommandShowsASecret() throws {
      let vault = try place.vault()
      let notes = try place.notes()
      try Disk.write("edited", to: notes / "Welcome.md")
      let phrase = try Disk.read(place.sample.phraseFile)
      let commands: [[Name]] = [
        ["pack", notes, vault, "--yes", "--verbose", "--json"],
        ["info", vault, "--unlock", "--json"],
        ["ls", vault, "--long"], ["ls", vault, "--json"], ["verify", vault, "--unlock", "--json"],
        ["compact", vault], ["unpack", vault, place("out"), "--json"],
        ["phrase", "check", vault, "--json"],
        // and some that fail
        ["cat", vault, "no such note"], ["unpack", vault, place("out")],
        ["pack", place("gone"), vault],
        ["ls", place("gone")], ["ls", vault, "--passphrase-command", "false"],
      ]
      let secrets: [[Name]] = [
        ["--passphrase-file", place.sample.passphraseFile],
        ["--phrase-file", place.sample.phraseFile],
      ]
      // Three words in a row: single ones stand in help texts and notes too.
      let words = phrase.split { $0 == 0x20 || $0 == 0x0A }
      #expect(words.count == 24)
      let parts = (0..<22).map { Array(words[$0...($0 + 2)].joined(separator: [0x20])) }
      for command in commands {
        for secret in secrets {
          let seen = try Tool.run(command + secret).allBytes
          #expect(!seen.contains(Array(Sample.passphrase.utf8)), "\(command)")
          for part in parts { #expect(!seen.contains(part), "\(command)") }
        }
      }
    }

    @Test func fr054NoCommandThatSetsASecretShowsOne() throws {
      let new = "another passphrase of mine"
      try Disk.write(new + "\n", to: place("new"))
      let passphrase: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      let phrase: [Name] = ["--phrase-file", place.sample.phraseFile]
      let setting: [Name] = ["--new-passphrase-file", place("new")]
      // What comes before the vault, and what comes after it.
      let commands: [(words: [Name], rest: [Name])] = [
        (["rewrap"], passphrase + setting), (["rewrap"], phrase + setting),
        (["recover"], phrase + setting),
        (["slot", "add"], ["--label", "phone"] + passphrase + setting),
        (["phrase", "new"], ["--phrase-out", place("words")] + passphrase),
        (["reset"], ["--phrase-out", place("words"), "--yes"] + setting),
        (["rekey"], ["--phrase-out", place("words"), "--yes"] + passphrase + setting),
        (["rekey"], ["--yes"] + passphrase + phrase),
        (["verify"], ["--repair", "--unlock", "--yes", "--json"] + phrase),
        (["salvage"], [place("salvaged"), "--json"] + phrase),
      ]
      let old = try Disk.read(place.sample.phraseFile)
      for (number, command) in commands.enumerated() {
        let vault = try place.vault(Name("vault \(number)"))
        let outcome = try Tool.run(command.words + [vault] + command.rest)
        #expect(outcome.status == 0, "\(command) \(outcome)")
        let seen = outcome.allBytes
        for secret in [Sample.passphrase, new] {
          #expect(!seen.contains(Array(secret.utf8)), "\(command)")
        }
        var phrases = [old]
        if Disk.exists(place("words")) {
          phrases.append(try Disk.read(place("words")))
          try Disk.remove(place("words"))
        }
        for phrase in phrases {
          let words = phrase.split { $0 == 0x20 || $0 == 0x0A }
          for start in 0..<22 {
            let part = Array(words[start...(start + 2)].joined(separator: [0x20]))
            #expect(!seen.contains(part), "\(command)")
          }
        }
      }
    }

    @Test func fr054AWrongSecretIsNotRepeated() throws {
      let typed = "a passphrase that opens nothing"
      try Disk.write(typed, to: place("wrong"))
      let commands: [[Name]] = [
        ["ls", place.sample.vault, "--passphrase-file", place("wrong")],
        ["ls", place.sample.vault, "--phrase-file", place("wrong")],
        ["phrase", "check", place.sample.vault, "--phrase-file", place("wrong")],
        ["ls", place.sample.vault, "--passphrase-command", "echo '\(typed)'; exit 1"],
        ["ls", place.sample.vault, "--passphrase=\(typed)"],
        ["ls", place.sample.vault, "-p\(typed)"],
      ]
      for command in commands {
        let outcome = try Tool.run(command)
        #expect(outcome.status == 2 || outcome.status == 4, "\(outcome)")
        #expect(!outcome.allBytes.contains(Array(typed.utf8)), "\(outcome)")
      }
    }

    @Test func thePhraseFileIsForItsOwnerAlone() throws {
      #expect(try Disk.status(place.sample.phraseFile).st_mode & 0o777 == 0o600)
      let outcome = try place.run("init", place("vault"), "--phrase-out", place.sample.phraseFile)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(!Disk.exists(place("vault")))
    }

    @Test(arguments: ["hint", "label"]) func aPublicTextThatHoldsThePassphraseIsRefused(
      option: String
    ) throws {
      let text = Name("it is \(Sample.passphrase.uppercased())!")
      let outcome = try place.run(
        "init", place("vault"), "--phrase-out", place("phrase"), Name("--\(option)"), text)
      #expect(outcome.status == 2, "\(outcome)")
      #expect(outcome.errorText.contains("the \(option) contains the passphrase"), "\(outcome)")
      #expect(try Disk.names(in: place.path).isEmpty)
    }

    @Test func initAndPackSayThatAHintIsPublic() throws {
      let source = try place.source()
      for (command, vault): ([Name], Name) in [(["init"], "first"), (["pack", source], "second")] {
        let secret: [Name] = [
          "--passphrase-file", place.sample.passphraseFile, "--phrase-out",
          place(vault + ".phrase"),
        ]
        let outcome = try Tool.run(command + [place(vault), "--hint", "the comic"] + secret)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errorText.contains("the hint is public"), "\(outcome)")
        #expect(try Tool.run("info", place(vault)).text.contains("hint 'the comic'"))
      }
    }
  }
}
