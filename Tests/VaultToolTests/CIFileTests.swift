import Testing

extension BuiltProgram {
  /// The files in `ci/` that people paste do what they say, as far as that goes without the hosts they are for.
  @Suite struct CIFiles {
    private let place: Workplace
    private let git: Git
    private var repository: Name { place("repository") }
    private var vault: Name { repository / "notes.vault" }

    /// A repository with a vault in one commit.
    init() throws {
      place = try Workplace()
      git = try Git(home: place("home"))
      try Disk.makeFolder(place("repository"))
      try Disk.must(["/bin/cp", "-R", place.sample.vault, place("repository") / "notes.vault"])
      try git.commitAll(place("repository"))
      try Disk.makeFolder(place("bin"))
      try Disk.must(["/bin/ln", "-s", Tool.path, place("bin") / "vaulttool"])
    }

    private func steps(_ arguments: Name..., environment: [String: String] = [:]) throws -> Outcome
    {
      let path = place("bin").text + ":/usr/local/bin:/usr/bin:/bin"
      let script = Tool.repository / "Tests/VaultToolTests/Scripts/ci-steps.py"
      return try Tool.program(
        ["/usr/bin/env", "python3", script] + arguments,
        environment: ["PATH": path, "HOME": place("home").text].merging(environment) { $1 },
        in: repository)
    }

    private func file(_ name: Name) -> Name { Tool.repository / name }

    private func head() throws -> Name {
      let bytes = try git(repository, "rev-parse", "HEAD").output
      return Name(bytes: Array(bytes.dropLast()))
    }

    /// Packs one more note and commits it.
    private func commitANote() throws {
      let notes = place("notes")
      try Disk.must(["/bin/cp", "-R", place.sample.notes, notes])
      try Disk.write("new", to: notes / "new.md")
      try place.must("pack", notes, vault, "--yes")
      try git.commitAll(repository, message: "A note")
    }

    private static let all: [Name] = [
      ".pre-commit-hooks.yaml", "ci/github/action.yml", "ci/github/workflow.yml",
      "ci/github/workflow-shards.yml", "ci/gitlab/vault.gitlab-ci.yml",
    ]

    @Test func theyAreStrictYAML() throws {
      for name in Self.all {
        let outcome = try steps("parse", file(name))
        #expect(outcome.status == 0, "\(name) \(outcome)")
      }
      let twice = place("twice.yml")
      try Disk.write("a: 1\na: 2\n", to: twice)
      #expect(try steps("parse", twice).status == 1)
    }

    // MARK: - GitHub

    @Test func theActionPassesAVaultThatIsSound() throws {
      let base = try head()
      try commitANote()
      let outcome = try steps(
        "action", file("ci/github/action.yml"), "vault=notes.vault",
        Name("signer=") + (try place.sample.signer()), Name("since=") + base)
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.text.contains("\nsignature: pinned\n"))
      #expect(outcome.text.contains("1 added"))
    }

    @Test func theActionFailsWithAnAnnotationForEachFinding() throws {
      try Disk.write("plain", to: vault / "diary.md")
      let outcome = try steps(
        "action", file("ci/github/action.yml"), "vault=notes.vault",
        Name("signer=") + (try place.sample.signer()), "since=" + Name(zeros))
      #expect(outcome.status == 5)
      #expect(outcome.text.contains("\n::error file=notes.vault/diary.md,title=vaulttool%3A "))
      #expect(outcome.text.contains("::notice title=vaulttool::no earlier commit"))
    }

    @Test func theActionFindsThatTheNewestNotesWereDropped() throws {
      try commitANote()
      let newest = try head()
      try git(repository, "reset", "-q", "--hard", "HEAD~1")
      let signer = Name("signer=") + (try place.sample.signer())
      let action = file("ci/github/action.yml")
      #expect(try steps("action", action, "vault=notes.vault", signer).status == 0)
      let outcome = try steps(
        "action", action, "vault=notes.vault", signer, Name("since=") + newest)
      #expect(outcome.status == 5)
      #expect(outcome.text.contains("title=vaulttool%3A segment-dropped::"))
    }

    @Test func theActionWantsASigner() throws {
      let outcome = try steps(
        "action", file("ci/github/action.yml"), "vault=notes.vault", "signer= ")
      #expect(outcome.status == 2)
      #expect(outcome.text.contains("no signer is pinned"))
    }

    @Test func noInputBecomesAPartOfAScript() throws {
      let outcome = try steps(
        "action", file("ci/github/action.yml"), "vault=$(touch injected); `touch injected`",
        "signer=$(touch injected) *", "since=$(touch injected)", "policy=;touch injected",
        "shard=\"; touch injected; \"", "format=text; touch injected")
      #expect(outcome.status == 2)
      #expect(!Disk.exists(repository / "injected"))
    }

    @Test func shardsTogetherAreComplete() throws {
      let signer = Name("signer=") + (try place.sample.signer())
      let workflow = file("ci/github/workflow-shards.yml")
      let last: Name = "All shards are clean and saw the same vault"
      for number in 1...4 {
        let outcome = try steps(
          "action", file("ci/github/action.yml"), "vault=notes.vault", signer,
          "shard=\(number)/4", "format=json", "output=shard-\(number).json")
        #expect(outcome.status == 0, "\(outcome)")
        // Before all are there the last job must not be content.
        #expect(try steps("job", workflow, "vault", last).status == (number == 4 ? 0 : 1))
      }
      // A shard that saw another state, or found something, is not covered by the others.
      try Disk.must(["/bin/rm", "-r", vault / "spare"])
      let damaged = try steps(
        "action", file("ci/github/action.yml"), "vault=notes.vault", signer, "shard=2/4",
        "format=json", "output=shard-2.json")
      #expect(damaged.status == 5)
      #expect(try steps("job", workflow, "vault", last).status == 1)
    }

    // MARK: - GitLab

    @Test func theGitLabJobReportsAndPassesOnTheStatus() throws {
      let job = file("ci/gitlab/vault.gitlab-ci.yml")
      let signer = Name("VAULT_SIGNER=") + (try place.sample.signer())
      let base = try head()
      try commitANote()
      let clean = try steps("gitlab", job, "vault", signer, Name("CI_COMMIT_BEFORE_SHA=") + base)
      #expect(clean.status == 0, "\(clean)")
      let report = String(decoding: try Disk.read(repository / "vault-report.xml"), as: UTF8.self)
      #expect(report.contains("failures=\"0\""))
      #expect(report.contains("name=\"since\" value=\"\(base)\""))
      let none = try steps(
        "gitlab", job, "vault", signer, "CI_COMMIT_BEFORE_SHA=" + Name(zeros))
      #expect(none.status == 0)
      #expect(none.text.contains("no earlier commit to compare with"))
      try Disk.write("plain", to: vault / "diary.md")
      let damaged = try steps("gitlab", job, "vault", signer, Name("CI_COMMIT_BEFORE_SHA=") + base)
      #expect(damaged.status == 5)
      #expect(damaged.text.contains("error foreign-file diary.md"))
      #expect(try steps("gitlab", job, "vault", "VAULT_SIGNER=").status == 2)
    }

    // MARK: - pre-commit

    @Test func theHookRefusesWhatWouldLeaveTheVaultDamaged() throws {
      let hooks = file(".pre-commit-hooks.yaml")
      #expect(try steps("hook", hooks, "vaulttool-verify", "notes.vault").status == 0)
      // What is not staged does not count.
      try Disk.write("plain", to: vault / "diary.md")
      #expect(try steps("hook", hooks, "vaulttool-verify", "notes.vault").status == 0)
      try git(repository, "add", "-A")
      let refused = try steps("hook", hooks, "vaulttool-verify", "notes.vault")
      #expect(refused.status == 5)
      #expect(refused.text.contains("error foreign-file diary.md"))
      // Also where files only go away.
      try git(repository, "reset", "-q", "--hard")
      try git(repository, "rm", "-q", "-r", "notes.vault/spare")
      #expect(try steps("hook", hooks, "vaulttool-verify", "notes.vault").status == 5)
    }

    // MARK: - Container

    /// That an image can be made of it needs a container engine; this is what can be told without one.
    @Test func theContainerFileNamesOnlyWhatIsThere() throws {
      let text = String(decoding: try Disk.read(file("ci/Containerfile")), as: UTF8.self)
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      let stages = lines.filter { $0.hasPrefix("FROM ") }
      #expect(stages.count == 3)
      var copied: [Name] = []
      for line in lines where line.hasPrefix("COPY ") {
        let words = line.split(separator: " ").dropFirst()
        if let from = words.first, from.hasPrefix("--from=") {
          #expect(from == "--from=build" && stages.contains { $0.hasSuffix(" AS build") })
        } else {
          copied += words.dropLast().map { Name(String($0)) }
        }
      }
      #expect(copied.sorted() == ["Package.swift", "Sources", "Tests"])
      #expect(copied.allSatisfy { Disk.exists(file($0)) })
    }

    private var zeros: String { String(repeating: "0", count: 40) }
  }
}
