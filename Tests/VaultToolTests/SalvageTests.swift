import Testing
import VaultTestSupport

extension BuiltProgram {
  /// A damaged vault as its owner meets it: what `salvage` brings back, says and ends with.
  @Suite struct Salvaged {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Removes both copies of every slot of one purpose.
    private func dropSlots(_ purpose: String, of vault: Name) throws {
      let info = try JSON(try Tool.run("info", vault, "--json").output)
      var count = 0
      for slot in try #require(info["slots"].list) where slot["purpose"].string == purpose {
        let name = Name(try #require(slot["locator"].string) + ".slot")
        for folder: Name in ["index", "spare"] { try Disk.remove(vault / folder / name) }
        count += 1
      }
      try #require(count > 0)
    }

    private func sealedFiles(of vault: Name) throws -> [Name] {
      try Damage.files(of: vault).filter { $0.text.hasSuffix(".sealed") }
    }

    @Test func theIndexIsGoneAndEveryNoteComesBack() throws {
      let vault = try place.vault()
      try Disk.removeAll(vault / "index")
      let before = try Tree(vault)
      let outcome = try place.run("salvage", vault, place("out"))
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errorText.contains("whole"))
      #expect(try Tree(place("out")).differences(from: try Tree(place.sample.notes)) == [])
      #expect(try Tree(vault) == before)
    }

    @Test func thePassphraseSlotIsGoneAndThePhraseIsAtHand() throws {
      let vault = try place.vault()
      try dropSlots("passphrase", of: vault)
      let refused = try place.run("salvage", vault, place("out"))
      #expect(refused.status == 4, "\(refused)")
      #expect(!Disk.exists(place("out")))
      try Disk.removeAll(vault / "index")
      try Disk.remove(vault / "VAULT")
      let outcome = try Tool.run(
        "salvage", vault, place("out"), "--phrase-file", place.sample.phraseFile)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try Tree(place("out")).differences(from: try Tree(place.sample.notes)) == [])
    }

    @Test func withoutAnySlotItSaysWhyNothingCanBeDone() throws {
      let vault = try place.vault()
      try Disk.removeAll(vault / "index")
      try Disk.removeAll(vault / "spare")
      let outcome = try place.run("salvage", vault, place("out"))
      #expect(outcome.status == 5 && outcome.errorText.contains("no key slot can be read"))
      #expect(outcome.errorText.contains("hint: put any slot file"))
      #expect(!Disk.exists(place("out")))
    }

    @Test func aTargetThatHoldsSomethingOrLiesInTheVaultIsRefused() throws {
      let vault = try place.vault()
      let full = try place.source(["a": "mine"])
      for target in [full, vault / "out", vault] {
        let outcome = try place.run("salvage", vault, target)
        #expect(outcome.status == 1, "\(target): \(outcome)")
      }
      #expect(try Disk.names(in: full) == ["a"])
      #expect(try Tree(vault) == (try Tree(place.sample.vault)))
    }

    @Test func theReportNamesWhatIsLostByRange() throws {
      let vault = try place.vault()
      let files = try sealedFiles(of: vault)
      let sizes = try files.map { try Disk.read(vault / $0).count }
      let largest = try #require(sizes.indices.max { sizes[$0] < sizes[$1] })
      var content = try Disk.read(vault / files[largest])
      content[content.count - 1] ^= 1
      try Disk.write(content, to: vault / files[largest])
      let gone = try #require(files.indices.first { $0 != largest })
      try Disk.remove(vault / files[gone])
      let outcome = try place.run("salvage", vault, place("out"), "--json")
      #expect(outcome.status == 5)
      let report = try JSON(outcome.output)
      #expect(report["schema"].string == "vaulttool-salvage/1")
      #expect(
        report.keys == [
          "copies", "damaged", "locked_compartments", "locked_files", "lost", "not_tried",
          "other_versions",
          "problems", "schema", "versions", "whole",
        ])
      #expect(report["whole"].int == files.count - 2, "\(outcome)")
      let problems = try #require(report["problems"].list)
      #expect(problems.count == 2, "\(outcome)")
      for problem in problems {
        let keys = Set(try #require(problem.keys)).subtracting(["payload"])
        #expect(keys == ["lost", "message", "note", "path", "reason", "unit"])
      }
      #expect(problems.contains { $0["reason"].string == "missing" })
      let damaged = try #require(problems.first { $0["reason"].string != "missing" })
      #expect(damaged["lost"][0].keys == ["bytes", "offset"])
      #expect(damaged["lost"][0]["bytes"].int ?? 0 > 0)
    }

    @Test func fr163DamageNearTheStartOfALargeNoteCostsNoSearch() throws {
      let source = try place.source()
      try Disk.must(["/usr/bin/truncate", "-s", "\(100 << 20)", source / "large.bin"])
      let vault = try place.emptyVault()
      try place.must("pack", source, vault, "--compress", "never", "--yes")
      let file = try #require(try sealedFiles(of: vault).first)
      // A length near the start that is wrong, and bytes that are gone behind it.
      try Disk.must([
        "/bin/sh", "-c",
        "f=$1; { head -c 12 $f; printf 'abcd'; tail -c +17 $f | head -c 70000; tail -c +70100 $f; }"
          + " >$f.new && mv $f.new $f",
        "sh", vault / file,
      ])
      let clock = ContinuousClock()
      var outcome: Outcome?
      let time = try clock.measure { outcome = try place.run("salvage", vault, place("out")) }
      #expect(outcome?.status == 5 && time < .seconds(90), "\(time)")
      let same = try Tool.program([
        "/usr/bin/cmp", "-i", "131072", source / "large.bin", place("out") / "large (damaged).bin",
      ])
      #expect(same.status == 0, "\(same)")
    }
  }
}
