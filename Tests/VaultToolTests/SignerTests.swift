import Testing

extension BuiltProgram {
  /// Pins find what a vault cannot say of itself.
  @Suite struct Signers {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// What `signer` prints, a line each.
    private func signers(of vault: Name) throws -> [Name] {
      let outcome = try Tool.run("signer", vault)
      #expect(outcome.status == 0 && outcome.errorBytes.isEmpty, "\(outcome)")
      return outcome.text.split(separator: "\n").map { Name(String($0)) }
    }

    private func lastLine(_ outcome: Outcome) -> String {
      outcome.text.split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test func aVaultThatAnAttackerSignedAnewIsFoundByThePinOnly() throws {
      let owner = try #require(try signers(of: place.sample.vault).first)
      let forged = place("forged")
      try Disk.write("their own\n", to: place("theirs"))
      try Disk.must([
        Tool.path, "init", forged, "--passphrase-file", place("theirs"), "--phrase-out",
        place("words"),
      ])
      try Disk.must([
        Tool.path, "pack", place.sample.notes, forged, "--passphrase-file", place("theirs"),
      ])
      let unpinned = try Tool.run("verify", forged)
      #expect(unpinned.status == 0, "\(unpinned)")
      #expect(lastLine(unpinned) == "signature: self-consistent, signer not pinned")
      let pinned = try Tool.run("verify", forged, "--signer", owner)
      #expect(pinned.status == 5)
      #expect(lastLine(pinned) == "signature: not by the pinned signer")
      try Disk.write("signers = [\"\(owner)\"]\n", to: place("policy"))
      let policy = try Tool.run("verify", forged, "--policy", place("policy"))
      #expect(policy.status == 5)
      #expect(policy.text.contains("error policy-signer\n"))
      let sound = try Tool.run("verify", place.sample.vault, "--policy", place("policy"))
      #expect(sound.status == 0, "\(sound)")
      #expect(lastLine(sound) == "signature: pinned")
    }

    @Test func afterRekeyingOnlyTheNewSignerIsPrinted() throws {
      let vault = try place.vault()
      let old = try signers(of: vault)
      try Disk.must([
        Tool.path, "rekey", vault, "--passphrase-file", place.sample.passphraseFile,
        "--phrase-out", place("words"), "--yes",
      ])
      let new = try signers(of: vault)
      #expect(old.count == 1 && new.count == 1 && old != new)
      let pinned = try Tool.run(["verify", vault, "--signer"] + new)
      #expect(pinned.status == 0, "\(pinned)")
      #expect(lastLine(pinned) == "signature: pinned")
      let former = try Tool.run(["verify", vault, "--signer"] + old)
      #expect(former.status == 5)
      #expect(lastLine(former) == "signature: not by the pinned signer")
      let report = try JSON(try Tool.run("signer", "--json", vault).output)
      #expect(report["schema"].string == "vaulttool-signer/1")
      #expect(report["signers"][0]["fingerprint"].string == new.first?.text)
    }

    @Test func aPolicyComesFromStandardInputToo() throws {
      try Disk.write("min-iterations = 9000000\n", to: place("policy"))
      let outcome = try Tool.run(
        "verify", place.sample.vault, "--policy", "-", input: place("policy"))
      #expect(outcome.status == 5)
      #expect(outcome.text.contains("error policy-iterations "))
    }
  }
}
