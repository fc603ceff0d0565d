import Testing
import VaultTestSupport

/// A passphrase with everything that a route may lose: blanks at its ends, accents, Hangul, a
/// ligature, and 200 characters.
private enum OddPassphrase {
  static let composed =
    "  K\u{E4}se \u{D55C}\u{AE00} \u{FB01} " + String(repeating: "lang ", count: 37)
  static let decomposed =
    "  Ka\u{308}se \u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF} \u{FB01} "
    + String(repeating: "lang ", count: 37)

  static func prepare(_ prepared: Prepared) throws {
    try Disk.write(composed + "\n", to: prepared("passphrase"))
    try Disk.must([
      Tool.path, "init", prepared("vault"), "--passphrase-file", prepared("passphrase"),
      "--phrase-out", prepared("phrase"),
    ])
  }
}

extension BuiltProgram {
  /// Field cases C: how a passphrase comes in.
  @Suite(.prepared { try OddPassphrase.prepare($0) }) struct PassphraseRoutes {
    private let place: Workplace
    private let vault: Name
    private let file: Name

    init() throws {
      place = try Workplace()
      let prepared = try #require(Prepared.current)
      vault = prepared("vault")
      file = prepared("passphrase")
    }

    /// Opens the vault with the content of a file.
    private func status(with content: String) throws -> Int32 {
      try Disk.write(content, to: place("p"))
      return try Tool.run("ls", vault, "--passphrase-file", place("p")).status
    }

    @Test func fr042EveryRouteGivesTheSameKey() throws {
      let scripts: [Name] = [
        #""$@" --passphrase-file "$FILE""#, #""$@" --passphrase-file - <"$FILE""#,
        #""$@" --passphrase-fd 0 <"$FILE""#, #""$@" --passphrase-fd 7 7<"$FILE""#,
        #""$@" --passphrase-command 'cat "$FILE"'"#,
        #"cat "$FILE" | "$@" --passphrase-file /dev/stdin"#,
      ]
      for script in scripts {
        let outcome = try Tool.shell(script, "ls", vault, environment: ["FILE": file.text])
        #expect(outcome.status == 0, "\(script): \(outcome)")
      }
    }

    @Test func fr042ThePromptKeepsBlanksToo() throws {
      let folder = try TemporaryFolder()
      let terminal = try PseudoTerminal()
      let child = try BuiltTool.start("exec $TOOL ls '\(vault)'", in: folder, on: terminal)
      _ = terminal.wait(for: "assphrase: ")
      terminal.type(OddPassphrase.composed + "\r")
      #expect(BuiltTool.wait(for: child) == 0)
    }

    @Test func fr040ALineEndOfEitherKindOrNoneGoes() throws {
      for ending in ["", "\n", "\r\n"] {
        #expect(try status(with: OddPassphrase.composed + ending) == 0)
      }
    }

    @Test func onlyOneLineEndGoes() throws {
      #expect(try status(with: OddPassphrase.composed + "\n\n") == 4)
    }

    @Test func fr043ComposedAndDecomposedAreOnePassphrase() throws {
      #expect(try status(with: OddPassphrase.decomposed) == 0)
    }

    @Test func fr043CaseAndBlanksCount() throws {
      #expect(try status(with: OddPassphrase.composed.uppercased()) == 4)
      #expect(try status(with: OddPassphrase.composed.replacing("  ", with: " ")) == 4)
    }

    @Test(arguments: [64, 72, 127, 128]) func fr045EveryCharacterCounts(length: Int) throws {
      #expect(try status(with: String(OddPassphrase.composed.prefix(length))) == 4)
    }

    @Test func fr058APipeThatIsWrittenLateInTwoPiecesIsReadWhole() throws {
      let halves = """
        mkfifo "$PIPE"; head -c 20 "$FILE" >"$PIPE.1"; tail -c +21 "$FILE" >"$PIPE.2"
        { cat "$PIPE.1"; sleep 0.05; cat "$PIPE.2"; } >"$PIPE" & "$@" --passphrase-file "$PIPE"
        """
      let outcome = try Tool.shell(
        Name(halves), "ls", vault,
        environment: ["FILE": file.text, "PIPE": place("pipe").text])
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  /// Field cases C: passphrases that are refused, and what that must not do.
  @Suite struct RefusedPassphrases {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test(arguments: [
      "hunter2\rextra", "a\nb\n", "tab\there", "nul\u{0}byte", "\n", "",
      String(repeating: "x", count: 1_025), String(repeating: "x", count: 20_000),
    ])
    func fr039AndFR045WhatCannotBeAPassphraseMakesNoVault(content: String) throws {
      try Disk.write(content, to: place("p"))
      let outcome = try Tool.run(
        "init", place("vault"), "--passphrase-file", place("p"), "--phrase-out", place("phrase"))
      #expect(outcome.status == 4, "\(outcome)")
      #expect(try Disk.names(in: place.path) == ["p"])
    }

    @Test(arguments: ["true", "exit 3", "kill -9 $$", "printf ''"])
    func fr046ACommandThatGivesNothingIsNoPassphrase(command: String) throws {
      let outcome = try Tool.run(
        "ls", place.sample.vault, "--passphrase-command", Name(command))
      #expect(outcome.status == 4, "\(outcome)")
    }

    @Test func fr049SlotsOfAnotherVaultAreNamed() throws {
      let vault = try place.vault()
      let other = place("other")
      try Disk.must([
        Tool.path, "init", other, "--passphrase-file", place.sample.passphraseFile, "--phrase-out",
        place("phrase"),
      ])
      for folder: Name in ["index", "spare"] {
        for slot in try Disk.names(in: vault / folder) where slot.text.hasSuffix(".slot") {
          try Disk.remove(vault / folder / slot)
        }
        for slot in try Disk.names(in: other / folder) where slot.text.hasSuffix(".slot") {
          try Disk.copy(other / folder / slot, to: vault / folder / slot)
        }
      }
      let verified = try place.verify(vault)
      #expect(verified.status == 5)
      #expect(verified.text.contains("foreign-vault"), "\(verified)")
      let listed = try place.run("ls", vault)
      #expect(listed.status == 5, "\(listed)")
      #expect(listed.errorText.contains("another vault"), "\(listed)")
    }

    @Test func fr051AndFR108AWrongSecretChangesNothing() throws {
      let vault = try place.vault()
      let notes = try place.notes()
      try Disk.write("edited", to: notes / "Welcome.md")
      try Disk.write("wrong\n", to: place("wrong"))
      let before = try Tree(vault)
      let commands: [[Name]] = [
        ["pack", notes, vault, "--yes"], ["unpack", vault, place("out")], ["ls", vault],
        ["cat", vault, "Welcome.md"], ["info", vault, "--unlock"], ["verify", vault, "--unlock"],
        ["compact", vault],
      ]
      for command in commands {
        let outcome = try Tool.run(command + ["--passphrase-file", place("wrong")])
        #expect(outcome.status == 4, "\(outcome)")
        #expect(outcome.output.isEmpty || command[0] == "verify", "\(outcome)")
      }
      #expect(try Tree(vault) == before)
      #expect(!Disk.exists(place("out")))
    }

    @Test func fr055WithoutATerminalEveryCommandEndsAtOnce() throws {
      let vault = place.sample.vault
      let commands: [[Name]] = [
        ["pack", place.sample.notes, vault], ["unpack", vault, place("out")], ["ls", vault],
        ["cat", vault, "Welcome.md"], ["info", vault, "--unlock"], ["verify", vault, "--unlock"],
        ["compact", vault],
      ]
      for command in commands {
        let outcome = try Tool.run(command)
        #expect(outcome.status == 4, "\(command): \(outcome)")
        #expect(outcome.errorText.contains("no terminal"), "\(command): \(outcome)")
        #expect(outcome.errorText.contains("--passphrase-file"), "\(command): \(outcome)")
      }
    }

    @Test func aPassphraseCommandSeesNoSecretAndNoOpenFile() throws {
      let command = #"{ env; ls -l /proc/self/fd; } >"$SEEN"; cat "$FILE""#
      let outcome = try Tool.run(
        "ls", place.sample.vault, "--passphrase-command", Name(command),
        environment: ["SEEN": place("seen").text, "FILE": place.sample.passphraseFile.text])
      #expect(outcome.status == 0, "\(outcome)")
      let seen = try Disk.read(place("seen"))
      #expect(!seen.contains(Array(Sample.passphrase.utf8)))
      #expect(!seen.contains(place.sample.vault.bytes), "a file of the vault is open in the child")
    }
  }
}
