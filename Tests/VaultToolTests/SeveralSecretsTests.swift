import Testing
import VaultTestSupport

extension BuiltProgram {
  /// Field case FR-057 and the rules for several secrets at once (spec/command-line.md, Secrets).
  @Suite struct SeveralSecrets {
    private static let first = "correct horse battery staple"
    private static let second = "a second passphrase"

    private let place: Workplace
    private let vault: Name

    init() throws {
      place = try Workplace()
      vault = place("two")
      try Disk.copy(Tool.repository / "fixtures/vaults/v1/two-compartments/vault", to: vault)
      try Disk.write(Self.first + "\n", to: place("first"))
      try Disk.write(Self.second, to: place("second"))
    }

    private func list(_ secrets: Name..., input: String = "") throws -> Outcome {
      try Disk.write(input, to: place("input"))
      return try Tool.run(["ls", vault] + secrets, input: place("input"))
    }

    @Test func eachSecretOpensItsCompartmentsAndAllAreShownTogether() throws {
      #expect(try list("--passphrase-file", place("first")).text == "one.md\ntwo.md\n")
      #expect(try list("--passphrase-file", place("second")).text == "private.md\n")
      let both = try list(
        "--passphrase-file", place("second"), Name("--passphrase-command=cat '\(place("first"))'"))
      #expect(both.text == "one.md\nprivate.md\ntwo.md\n", "\(both)")
      #expect(both.errorText.isEmpty)
    }

    @Test func fr057SeveralSecretsOfOneStreamStandInTheOrderOfTheirOptions() throws {
      let expected = try JSON(Fixtures.bytes("vaults/v1/two-compartments/expected.json"))
      let phrase = try #require(expected["phrase"].string)
      let both = try list(
        "--passphrase-file", "-", "--passphrase-fd", "0",
        input: Self.second + "\n" + Self.first + "\n")
      #expect(both.text == "one.md\nprivate.md\ntwo.md\n", "\(both)")
      let mixed = try list(
        "--phrase-fd=0", "--passphrase-file=-", input: phrase + "\n" + Self.first)
      #expect(mixed.text == "one.md\nprivate.md\ntwo.md\n", "\(mixed)")
      let swapped = try list(
        "--passphrase-file=-", "--phrase-fd=0", input: phrase + "\n" + Self.first)
      #expect(swapped.status == 4, "\(swapped)")
      #expect(swapped.errorText.contains("line 2 of standard input"), "\(swapped)")
    }

    @Test(arguments: [first + "\n", first + "\n" + second + "\nmore\n", first + "\n\n"])
    func fr057MissingAndExtraLinesAreRefused(input: String) throws {
      let before = try Tree(vault)
      for command: Name in ["ls", "compact"] {
        try Disk.write(input, to: place("input"))
        let outcome = try Tool.run(
          command, vault, "--passphrase-fd", "0", "--passphrase-fd", "0", input: place("input"))
        #expect(outcome.status == 4, "\(outcome)")
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errorText.contains(Self.first), "\(outcome)")
      }
      #expect(try Tree(vault) == before)
    }

    @Test func oneThatOpensNothingRefusesTheCommandAndIsNamedByItsSource() throws {
      try Disk.write("wrong horse", to: place("wrong"))
      let outcome = try list(
        "--passphrase-file", place("first"), "--passphrase-file", place("wrong"))
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.output.isEmpty)
      #expect(outcome.errorText.contains(place("wrong").text), "\(outcome)")
      #expect(!outcome.errorText.contains("horse"), "\(outcome)")
      // Alone, it needs no name.
      let alone = try list("--passphrase-file", place("wrong"))
      #expect(alone.status == 4 && !alone.errorText.contains(place("wrong").text), "\(alone)")
    }

    @Test func fr057ACommandThatWritesTakesOneSecret() throws {
      let before = try Tree(vault)
      let notes = try place.notes()
      let pairs: [[Name]] = [
        ["--passphrase-file", place("first"), "--passphrase-file", place("second")],
        ["--passphrase-file", place("first"), "--phrase-file", place("second")],
      ]
      for pair in pairs {
        let outcome = try Tool.run(["pack", notes, vault, "--yes"] + pair)
        #expect(outcome.status == 2, "\(outcome)")
      }
      #expect(try Tree(vault) == before)
    }
  }
}
