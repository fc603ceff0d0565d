import Testing
import VaultTestSupport

extension BuiltProgram {
  /// `verify --since`: nothing that a commit had may be lost.
  @Suite struct SinceACommit {
    private let place: Workplace
    private let git: Git
    /// The repository, with the vault in a subfolder.
    private let repository: Name
    private let vault: Name

    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
      repository = place("repository")
      vault = repository / "deep folder/my vault"
      try Disk.makeFolder(repository)
      try Disk.makeFolder(repository / "deep folder")
      try Disk.copy(place.sample.vault, to: vault)
      try git.commitAll(repository)
    }

    private func packLater() throws {
      try place.must("pack", place.sample.laterNotes, vault, "--yes")
    }

    private func since(_ revision: Name, _ more: Name..., of other: Name? = nil) throws -> Outcome {
      try Tool.run(
        ["verify", other ?? vault, "--since", revision, "--json"] + more, in: place.path)
    }

    private func codes(_ outcome: Outcome) throws -> Set<String> {
      let findings = try JSON(outcome.output)["findings"].list ?? []
      return Set(findings.compactMap { $0["code"].string })
    }

    private func id(_ revision: Name, in folder: Name? = nil) throws -> Name {
      let answer = try git(folder ?? repository, "rev-parse", revision)
      return Name(bytes: answer.output.dropLast())
    }

    @Test func whatChangedIsToldByIdAndWithTheSecretByName() throws {
      try packLater()
      let keyless = try since("HEAD")
      #expect(keyless.status == 0, "\(keyless)")
      let told = try JSON(keyless.output)["since"]
      #expect(told["commit"].string == (try id("HEAD")).text)
      #expect(told["changed"].int == 3 && told["deleted"].int == 1 && told["added"].int == 0)
      #expect(told["changes"].list?.count == 4)
      #expect(told["changes"].list?.allSatisfy { $0["path"].string == nil } == true)
      let keyed = try since("HEAD", "--unlock", "--passphrase-file", place.sample.passphraseFile)
      #expect(keyed.status == 0, "\(keyed)")
      let changes = try JSON(keyed.output)["since"]["changes"].list ?? []
      #expect(
        Set(
          changes.compactMap { change in
            change["path"].string.map { "\(change["action"].string ?? "") \($0)" }
          }) == [
            "changed Welcome.md", "changed trip/Harz in May.md", "changed recipes/Rye bread.md",
            "deleted latest.md",
          ])
      let text = try Tool.run("verify", vault, "--since", "HEAD")
      #expect(text.text.contains("\nsince HEAD ("), "\(text)")
      #expect(text.text.contains(": 3 changed, 1 deleted\n"), "\(text)")
    }

    @Test func aRenameAndAModeAreToldApartWithTheSecret() throws {
      let notes = try place.notes()
      try Disk.move(notes / "Welcome.md", to: notes / "Hello.md")
      try Disk.setMode(0o755, of: notes / "recipes/Rye bread.md")
      try place.must("pack", notes, vault, "--yes")
      #expect(try JSON(since("HEAD").output)["since"]["renamed"].int == 2)
      let keyed = try since("HEAD", "--unlock", "--passphrase-file", place.sample.passphraseFile)
      let told = try JSON(keyed.output)["since"]
      #expect(told["renamed"].int == 1 && told["mode"].int == 1, "\(keyed)")
      let rename = told["changes"].list?.first { $0["action"].string == "renamed" }
      #expect(rename?["from"]["path"].string == "Welcome.md")
      #expect(rename?["path"].string == "Hello.md")
    }

    @Test func anOlderStateThatWasPutBackIsFoundOnlyAgainstTheNewerOne() throws {
      try packLater()
      try git.commitAll(repository)
      try git(repository, "rm", "-rq", "deep folder")
      try git(repository, "checkout", "-q", "HEAD~1", "--", "deep folder")
      try git(repository, "commit", "-q", "-m", "Nothing to see")
      #expect(try place.verify(vault).status == 0)
      #expect(try since("HEAD~2").status == 0)
      let outcome = try since("HEAD~1")
      #expect(outcome.status == 5, "\(outcome)")
      #expect(try codes(outcome) == ["segment-dropped", "state-forgotten"])
    }

    @Test func aRewrittenHistoryIsFound() throws {
      let first = try id("HEAD")
      try git(repository, "commit", "-q", "--amend", "-m", "Another message")
      let amended = try since(first)
      #expect(amended.status == 5)
      #expect(try codes(amended) == ["history-rewritten"])
      try packLater()
      try git.commitAll(repository)
      let newest = try id("HEAD")
      try git(repository, "reset", "-q", "--hard", "HEAD~1")
      #expect(
        try codes(since(newest)) == ["history-rewritten", "segment-dropped", "state-forgotten"])
      #expect(try since("HEAD").status == 0)
    }

    @Test func whatWasCompactedOrRewrappedIsNotLost() throws {
      for round in 0..<17 {
        let notes = round == 0 ? try place.notes() : place("notes")
        try Disk.write("round \(round)\n", to: notes / "Welcome.md")
        try place.must("pack", notes, vault, "--yes")
      }
      try git.commitAll(repository)
      let before = try Disk.names(in: vault / "index").count
      try place.must("compact", vault)
      #expect(try Disk.names(in: vault / "index").count < before)
      for revision: Name in ["HEAD", "HEAD~1"] {
        let outcome = try since(revision)
        #expect(outcome.status == 0, "\(outcome)")
      }
      try git.commitAll(repository)
      try Disk.write("another passphrase\n", to: place("new"))
      try place.must("rewrap", vault, "--new-passphrase-file", place("new"))
      let outcome = try since("HEAD")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try JSON(outcome.output)["since"]["added_slots"].int == 1)
      #expect(try JSON(outcome.output)["since"]["ended_slots"].int == 1)
    }

    @Test func aReplacedHeaderIsFound() throws {
      try git(repository, "rm", "-rq", "--cached", "deep folder")
      try Disk.removeAll(vault)
      try Disk.copy(place.sample.empty, to: vault)
      try Disk.write("another passphrase\n", to: place("new"))
      try Disk.removeAll(vault)
      try Disk.must([
        Tool.path, "init", vault, "--passphrase-file", place("new"), "--phrase-out", place("words"),
      ])
      #expect(try place.verify(vault).status == 0)
      #expect(try codes(since("HEAD")) == ["compartment-dropped", "header-changed"])
    }

    @Test func aReKeyedCompartmentIsToldAndNotTakenForLost() throws {
      try place.must("rekey", vault, "--yes", "--phrase-out", place("words"))
      let outcome = try since("HEAD")
      #expect(outcome.status == 0, "\(outcome)")
      let report = try JSON(outcome.output)
      #expect(report["since"]["rekeyed_compartments"].list?.count == 1)
      #expect(
        report["not_checked"].list?.contains { $0.string?.contains("re-keyed") == true } == true)
    }

    @Test func anExcusedSegmentIsPrinted() throws {
      let notes = try place.notes()
      var added: [Set<Name>] = []
      for name: Name in ["one.md", "two.md"] {
        let before = Set(try Disk.names(in: vault / "index"))
        try Disk.write("\(name)\n", to: notes / name)
        try place.must("pack", notes, vault, "--yes")
        added.append(Set(try Disk.names(in: vault / "index")).subtracting(before))
      }
      try git.commitAll(repository)
      let gone = try #require(added[0].first)
      try Disk.remove(vault / "index" / gone)
      #expect(try codes(since("HEAD")).contains("segment-dropped"))
      try place.must("verify", vault, "--repair", "--unlock", "--yes")
      let outcome = try since("HEAD")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try codes(outcome) == ["segment-excused"])
      #expect(
        try JSON(outcome.output)["since"]["excused_segments"][0].string
          == gone.text.split(separator: ".").first.map(String.init))
    }

    @Test(arguments: ["nothing", "-h", "--all", "HEAD:deep folder", "HEAD^{tree}", "HEAD~9"])
    func aNameThatIsNoCommitIsAnError(revision: String) throws {
      let outcome = try Tool.run("verify", vault, Name("--since=\(revision)"))
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errorText.contains("is no commit here"))
    }

    @Test func aNameThatAPushedTagCouldTakeIsAnError() throws {
      let first = try id("HEAD")
      try packLater()
      try git.commitAll(repository)
      let short = Name(bytes: Array(first.bytes.prefix(12)))
      try git(repository, "branch", "base", first)
      for name in ["base", short] { try git(repository, "tag", name, "HEAD") }
      for revision: Name in ["base", short, short + "^0", "base~0"] {
        let outcome = try Tool.run("verify", vault, "--since", revision)
        #expect(outcome.status == 1 && outcome.output.isEmpty, "\(revision) \(outcome)")
        #expect(outcome.errorText.contains("several things"), "\(outcome)")
      }
      for revision: Name in [first, "refs/heads/base"] {
        #expect(try since(revision).status == 0, "\(revision)")
      }
    }

    @Test func aLinkInPlaceOfTheVaultIsNotFollowed() throws {
      let older = repository / "deep folder/older"
      try Disk.copy(vault, to: older)
      try git.commitAll(repository)
      try packLater()
      try git.commitAll(repository)
      let base = try id("HEAD")
      try Disk.removeAll(vault)
      try Disk.makeLink(vault, to: "older")
      try git.commitAll(repository)
      for path in [vault, "deep folder/my vault"] {
        for options: [Name] in [["--since", base], ["--staged"]] {
          let outcome = try Tool.run(["verify", path] + options, in: repository)
          #expect(outcome.status == 1 && outcome.output.isEmpty, "\(options) \(outcome)")
          #expect(outcome.errorText.contains("is a link in the work tree"), "\(outcome)")
        }
      }
      let reconciled = try Tool.run(
        "git", "reconcile", vault, "--passphrase-file", place.sample.passphraseFile)
      #expect(reconciled.status == 1, "\(reconciled)")
      // A link outside of the repository is the owner's own.
      let outside = place("a link of mine")
      try Disk.makeLink(outside, to: older)
      #expect(try since("HEAD", of: outside).status == 0)
    }

    @Test func aCommitWithoutThisVaultOrWithABrokenOneIsAnError() throws {
      try git(repository, "checkout", "-q", "--orphan", "other")
      try git(repository, "rm", "-rqf", "--cached", ".")
      try git(repository, "commit", "-q", "--allow-empty", "-m", "Nothing")
      let none = try since("HEAD")
      #expect(none.status == 1 && none.output.isEmpty)
      #expect(none.errorText.contains("there is no vault in this folder at HEAD"), "\(none)")
      try git.commitAll(repository)
      let segment = try #require(
        try Disk.names(in: vault / "index").first { $0.text.hasSuffix(".seg") })
      let whole = try Disk.read(vault / "index" / segment)
      try Disk.write(Array(whole.dropLast()), to: vault / "index" / segment)
      try git.commitAll(repository)
      try Disk.write(whole, to: vault / "index" / segment)
      let broken = try since("HEAD")
      #expect(broken.status == 1 && broken.output.isEmpty)
      #expect(broken.errorText.contains("proves nothing"), "\(broken)")
      #expect(try since("HEAD~1").status == 0)
      let outside = try Tool.run("verify", place.sample.vault, "--since", "HEAD")
      #expect(outside.status == 1 && outside.errorText.contains("in no git repository"))
    }

    @Test func aShallowOrFilteredCloneIsExplained() throws {
      let base = try id("HEAD")
      try packLater()
      try place.must("compact", vault)
      try git.commitAll(repository)
      try git(repository, "config", "uploadpack.allowFilter", "true")
      try git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
      let shallow = place("shallow")
      try git("/", "clone", "-q", "--depth", "1", "file://" + repository, shallow)
      let clonedVault = shallow / "deep folder/my vault"
      let missing = try since(base, of: clonedVault)
      #expect(missing.status == 1 && missing.output.isEmpty)
      #expect(missing.errorText.contains("this clone is shallow: fetch more with"), "\(missing)")
      try git(shallow, "fetch", "-q", "--depth", "1", "origin", base)
      let fetched = try since(base, of: clonedVault)
      #expect(fetched.status == 0, "\(fetched)")
      #expect(
        try JSON(fetched.output)["not_checked"].list?.contains {
          $0.string?.contains("the clone is shallow") == true
        } == true)
    }

    @Test func aLinkedWorkTreeAndASubmoduleAreNoDifferent() throws {
      try packLater()
      try git.commitAll(repository)
      try git(repository, "worktree", "add", "-q", place("linked"), "-b", "linked")
      let linked = try since("HEAD~1", of: place("linked") / "deep folder/my vault")
      #expect(linked.status == 0, "\(linked)")
      #expect(try JSON(linked.output)["since"]["changed"].int == 3)
      try Disk.makeFolder(place("outer"))
      try git(place("outer"), "init", "-q")
      try git(place("outer"), "submodule", "--quiet", "add", "file://" + repository, "inner")
      let inner = try since("HEAD~1", of: place("outer/inner") / "deep folder/my vault")
      #expect(inner.status == 0, "\(inner)")
      #expect(try JSON(inner.output)["since"]["changed"].int == 3)
    }

    @Test func nothingStaysInTheTemporaryFolder() throws {
      try packLater()
      try Disk.makeFolder(place("tmp"))
      let environment = ["TMPDIR": place("tmp").text]
      for revision: Name in ["HEAD", "HEAD~9"] {
        _ = try Tool.run(["verify", vault, "--since", revision], environment: environment)
      }
      #expect(try Tool.run(["verify", vault, "--staged"], environment: environment).status == 0)
      #expect(try Disk.names(in: place("tmp")).isEmpty)
      let none = try Tool.run(
        ["verify", vault, "--staged"], environment: ["TMPDIR": place("none").text])
      #expect(none.status == 1, "\(none)")
    }
  }
}
