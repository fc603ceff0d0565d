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

    @Test func whatStaysLockedIsCounted() throws {
      let one = try list("--passphrase-file", place("first"))
      #expect(
        one.errorText.contains("1 note in 1 other compartment opens with another secret"), "\(one)")
      let two = try list("--passphrase-file", place("second"), "--json")
      #expect(two.errorText.contains("2 notes in 1 other compartment open with another secret"))
      let report = try JSON(two.output)
      #expect(report["locked_notes"].int == 2)
      #expect(report["locked_compartments"].list?.count == 1)
      let info = try Tool.run(
        "info", vault, "--unlock", "--passphrase-file", place("first"))
      #expect(info.status == 0, "\(info)")
      #expect(
        info.text.split(separator: "\n").count { $0.hasSuffix(", opened by the secret") } == 1)
      #expect(
        info.text.split(separator: "\n").allSatisfy {
          !$0.hasPrefix("slot ") || $0.contains(", compartment ")
        })
      #expect(info.errorText.contains("1 note in 1 other compartment"), "\(info)")
    }

    @Test func infoNamesASlotThatNobodyListsAndOneThatIsLost() throws {
      let slots = try Disk.names(in: vault / "index").filter { $0.text.hasSuffix(".slot") }
      let lost = try #require(slots.first)
      try Disk.remove(vault / "index" / lost)
      let outcome = try Tool.run(
        "info", vault, "--unlock", "--passphrase-file", place("first"))
      #expect(outcome.status == 5, "\(outcome)")
      #expect(outcome.errorText.contains("slot-missing"), "\(outcome)")
    }

    @Test func branchesThatPackedIntoDifferentCompartmentsMergeByThemselves() throws {
      let git = try Git(home: place("home"))
      try git.commitAll(vault)
      for (side, secret): (Name, Name) in [("left", "first"), ("right", "second")] {
        try git("/", "clone", "-q", vault, place(side))
        let notes = try place.source([Name("\(side).md"): "\(side)\n"], as: Name("of \(side)"))
        try Disk.must([
          Tool.path, "pack", notes, place(side), "--keep-missing", "--passphrase-file",
          place(secret),
        ])
        try git.commitAll(place(side))
      }
      try git(place("left"), "pull", "-q", "--no-rebase", "--no-edit", place("right"), "main")
      let verified = try place.verify(place("left"))
      #expect(verified.status == 0, "\(verified)")
      let both = try Tool.run(
        "ls", place("left"), "--passphrase-file", place("first"), "--passphrase-file",
        place("second"))
      #expect(both.text == "left.md\none.md\nprivate.md\nright.md\ntwo.md\n", "\(both)")
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
