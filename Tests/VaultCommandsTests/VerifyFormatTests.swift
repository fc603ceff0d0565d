import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultCommands
@testable import VaultStore

/// The forms in which a report is printed; that they fit their public schemas is a test of the built program.
@Suite struct VerifyFormatTests {
  private func run(_ arguments: String...) -> (status: CInt, output: String, errors: String) {
    let console = Console.recording()
    let status = Program.run(arguments.map { Array($0.utf8) }, on: console)
    return (
      status, String(decoding: console.recorded.output, as: UTF8.self),
      String(decoding: console.recorded.errors, as: UTF8.self)
    )
  }

  private func path(of vault: String) -> String {
    Fixtures.url("vaults/v1/\(vault)/vault").path(percentEncoded: false)
  }

  private func copy(of vault: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try #require(
      TemporaryFolder.run(["/bin/cp", "-R", path(of: vault), folder.path(of: "vault")]) == 0)
    return folder
  }

  private func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  // MARK: - Which format

  @Test func jsonIsASynonym() {
    let vault = path(of: "conflict")
    let json = run("verify", "--json", vault)
    #expect(json.status == 5)
    #expect(run("verify", "--format", "json", vault).output == json.output)
    #expect(run("verify", "--format=json", "--json", vault).output == json.output)
    #expect(
      run("verify", "--format", "text", vault).output == run("verify", vault).output)
  }

  @Test func formatsThatDoNotFitAreWrongUsage() {
    let vault = path(of: "basic")
    for arguments in [
      ["--format", "xml"], ["--format", "JSON"], ["--format", ""], ["--format", "text", "--json"],
      ["--format", "junit", "--json"], ["--format", "junit", "--quiet"],
      ["--format", "sarif", "-q"], ["--format", "json", "-q"],
      ["--format", "junit", "--repair"], ["--format", "sarif", "--repair", "--dry-run"],
      ["--format", "github", "--repair"], ["--shard", "1/2", "--repair"],
      ["--shard", "0/2"], ["--shard", "3/2"], ["--shard", "1/257"], ["--shard", "1"],
      ["--shard", "1/"], ["--shard", "/1"], ["--shard", "1/2/3"], ["--shard", "+1/2"],
      ["--shard", "01/2"], ["--jobs", "0"], ["--jobs", "257"], ["--jobs", "two"],
      ["--jobs", "-1"], ["--min-iterations", "x"], ["--min-iterations", "4294967296"],
      ["--max-file-size", "1T"], ["--max-file-size", "ten"],
    ] {
      let console = Console.recording()
      let words = ["verify"] + arguments + [vault]
      #expect(Program.run(words.map { Array($0.utf8) }, on: console) == 2, "\(arguments)")
      #expect(console.recorded.output.isEmpty)
    }
  }

  @Test func anyNumberOfThreadsFindsTheSame() {
    let vault = path(of: "conflict")
    let all = run("verify", "--json", vault).output
    for jobs in ["1", "3", "256"] {
      #expect(run("verify", "--json", "--jobs", jobs, vault).output == all)
    }
  }

  // MARK: - Shards

  @Test func aShardIsNamedInEveryForm() throws {
    let vault = path(of: "basic")
    let text = run("verify", "--shard", "2/100", vault)
    #expect(text.status == 0)
    #expect(text.output.contains("\nshard 2 of 100\nstate "))
    #expect(
      text.output.contains(
        "\nnot checked: shard 2 of 100: the notes of the others were not checked\n"))
    let json = run("verify", "--shard", "2/100", "--json", vault).output
    #expect(
      json.contains(
        "\"shard\":{\"count\":100,\"index\":2,\"note_folders\":[\"01\",\"65\",\"c9\"]}"))
    #expect(!run("verify", "--json", vault).output.contains("\"shard\""))
    let junit = run("verify", "--shard", "2/100", "--format", "junit", vault).output
    #expect(junit.contains("(shard 2 of 100)\""))
    #expect(junit.contains("<property name=\"shard\" value=\"2/100\"/>"))
    let sarif = run("verify", "--shard", "2/100", "--format", "sarif", vault).output
    #expect(sarif.contains("\"automationDetails\":{\"id\":\"vaulttool/verify-2-of-100/\"}"))
  }

  // MARK: - Policy

  @Test func aPolicyIsReadFromItsFile() throws {
    let folder = try TemporaryFolder()
    let file = folder.path(of: "vault-policy.toml")
    try write("min-iterations = 600_001\n", to: file)
    let outcome = run("verify", "-q", "--policy", file, path(of: "basic"))
    #expect(outcome.status == 5)
    #expect(outcome.output.contains("error policy-iterations index/"))
    try write("min-iterations = 600_000\n", to: file)
    #expect(run("verify", "-q", "--policy", file, path(of: "basic")).status == 0)
    // An option and the file: the stricter counts.
    let both = run(
      "verify", "-q", "--policy", file, "--min-iterations", "700000", path(of: "basic"))
    #expect(both.status == 5)
  }

  @Test func aPolicyThatIsNotUnderstoodChecksNothing() throws {
    let folder = try TemporaryFolder()
    let file = folder.path(of: "p.toml")
    try write("require-padding = true\nmin-iteration = 1\n", to: file)
    let outcome = run("verify", "--policy", file, path(of: "basic"))
    #expect(outcome.status == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("p.toml, line 2: unknown key 'min-iteration'"))
    #expect(outcome.errors.contains("did you mean 'min-iterations'?"))
    let missing = run("verify", "--policy", folder.path(of: "none"), path(of: "basic"))
    #expect(missing.status == 1)
    #expect(missing.output == "")
    #expect(run("verify", "--policy", folder.path, path(of: "basic")).status == 1)
    try write(String(repeating: "#", count: 65_537), to: file)
    #expect(run("verify", "--policy", file, path(of: "basic")).status == 1)
  }

  // MARK: - JUnit

  @Test func junitHasACaseForEachKindOfCheckAndEachError() throws {
    let clean = run("verify", "--format", "junit", path(of: "basic"))
    #expect(clean.status == 0)
    #expect(clean.output.contains("tests=\"10\" failures=\"0\" errors=\"0\" skipped=\"3\""))
    for kind in VerifyCheckKind.allCases where ![.policy, .contents, .history].contains(kind) {
      #expect(
        clean.output.contains(
          "<testcase classname=\"vaulttool.verify.\(kind.rawValue)\" name=\"\(kind.title)\"/>"))
    }
    let broken = run("verify", "--format", "junit", path(of: "conflict"))
    #expect(broken.status == 5)
    #expect(broken.output.contains("tests=\"10\" failures=\"1\" errors=\"0\" skipped=\"3\""))
    #expect(broken.output.contains("<failure type=\"note-conflict\" message=\"two branches"))
    #expect(!broken.output.contains(VerifyCheckKind.notes.title))
    let withPolicy = run(
      "verify", "--format", "junit", "--max-file-size", "1", path(of: "later-keys"))
    #expect(withPolicy.output.contains("classname=\"vaulttool.verify.policy\""))
  }

  @Test func aRefusedSecretIsAnErrorInEveryForm() throws {
    let folder = try TemporaryFolder()
    let file = folder.path(of: "secret")
    try write("wrong\n", to: file)
    let words = ["--unlock", "--passphrase-file", file, path(of: "basic")]
    for (format, text) in [
      ("junit", "failures=\"0\" errors=\"1\""), ("sarif", "\"executionSuccessful\":false"),
    ] {
      let console = Console.recording()
      let all = ["verify", "--format", format] + words
      #expect(Program.run(all.map { Array($0.utf8) }, on: console) == 4)
      #expect(String(decoding: console.recorded.output, as: UTF8.self).contains(text))
    }
  }

  @Test func xmlHoldsAnyText() {
    let hostile = "a]]>b<c>&\"'\u{1}\u{1B}[31m\u{FFFE}\t\n\r😀"
    #expect(
      VerifyReportJUnit.content(hostile)
        == "a]]&gt;b&lt;c&gt;&amp;\"'\\u{1}\\u{1b}[31m\\u{fffe}\t\n&#13;😀")
    #expect(
      VerifyReportJUnit.attribute(hostile)
        == "\"a]]&gt;b&lt;c&gt;&amp;&#34;'\\u{1}\\u{1b}[31m\\u{fffe}&#9;&#10;&#13;😀\"")
  }

  // MARK: - SARIF

  @Test func aURIHoldsAnyPath() {
    #expect(
      VerifyReportSARIF.uri(Array("my vault/a:b?c#d%e/../x".utf8))
        == "my%20vault/a%3Ab%3Fc%23d%25e/../x")
    #expect(VerifyReportSARIF.uri([0xFF, 0x0A, 0x41]) == "%FF%0AA")
    #expect(VerifyReportSARIF.uri(Array("ü".utf8)) == "%C3%BC")
  }

  @Test func theSameFindingHasTheSameFingerprint() throws {
    func fingerprints(_ vault: String) throws -> [String] {
      let data = Data(run("verify", "--format", "sarif", vault).output.utf8)
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      let runs = try #require(object["runs"] as? [[String: Any]])
      let results = try #require(runs.first?["results"] as? [[String: Any]])
      return results.compactMap {
        ($0["partialFingerprints"] as? [String: String])?["vaulttoolFinding/v1"]
      }
    }
    let first = try copy(of: "basic")
    let second = try copy(of: "basic")
    for folder in [first, second] {
      try FileManager.default.removeItem(atPath: folder.path(of: "vault/README.md"))
      try write("x", to: folder.path(of: "vault/plain.md"))
    }
    let found = try fingerprints(first.path(of: "vault"))
    #expect(found.count == 2 && Set(found).count == 2)
    #expect(try fingerprints(second.path(of: "vault")) == found)
  }

  // MARK: - GitHub

  @Test func workflowCommandsAreEscaped() {
    #expect(VerifyReportGitHub.data("a%b\r\nc:d,e") == "a%25b%0D%0Ac:d,e")
    #expect(VerifyReportGitHub.property("a%b\r\nc:d,e") == "a%25b%0D%0Ac%3Ad%2Ce")
    #expect(VerifyReportGitHub.data("x ##[error]y") == "x ##\\x5berror]y")
    #expect(VerifyReportGitHub.property("##[set-env name=A]") == "##\\x5bset-env name=A]")
  }

  @Test func annotationsAreLimitedAndTheRestIsCounted() throws {
    let folder = try copy(of: "basic")
    for number in 10..<25 { try write("x", to: folder.path(of: "vault/plain\(number).md")) }
    let outcome = run("verify", "--format", "github", folder.path(of: "vault"))
    #expect(outcome.status == 5)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("::error ") } == 10)
    #expect(lines.last == "and 5 more of severity error, in the report above")
    #expect(lines.count { $0.hasPrefix("error foreign-file ") } == 15)
    let quiet = run("verify", "--format", "github", "--quiet", folder.path(of: "vault"))
    #expect(quiet.output.split(separator: "\n").count == 11)
    #expect(quiet.output.hasPrefix("::error file="))
    let clean = run("verify", "--format", "github", "-q", path(of: "basic"))
    #expect(clean.output == "" && clean.status == 0)
  }

  @Test func noNameBeginsACommand() throws {
    let folder = try copy(of: "basic")
    for name in ["a\n::add-mask::b", "##[error]c", "::stop-commands::x", "d,e:f%g\r"] {
      try write("x", to: folder.path(of: "vault/" + name))
    }
    let lines = run("verify", "--format", "github", folder.path(of: "vault")).output
      .split(whereSeparator: { "\n\r\r\n".contains($0) })
    #expect(lines.allSatisfy { !$0.contains("##[") })
    let commands = lines.filter { $0.contains("::") && $0.drop { $0 == " " }.hasPrefix("::") }
    #expect(commands.count == 4)
    #expect(commands.allSatisfy { $0.hasPrefix("::error file=") })
    #expect(commands.contains { $0.contains("/d%2Ce%3Af%25g\\x0d,title=") })
  }

  // MARK: - Paths

  @Test func filesAreNamedFromTheTopOfTheRepository() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path(of: "repository/.git"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(
      atPath: folder.path(of: "repository/a/my.vault"), withIntermediateDirectories: true)
    let vault = folder.path(of: "repository/a/my.vault")
    for name in [vault, vault + "/", vault + "/../my.vault", vault + "//."] {
      let place = RepositoryPath(ofVault: Array(name.utf8))
      #expect(place.file(Array("notes/x".utf8)) == Array("a/my.vault/notes/x".utf8), "\(name)")
      #expect(place.file([]) == Array("a/my.vault/VAULT".utf8))
    }
    // A vault that is the top of its repository, also where `.git` is a file.
    try write("gitdir: elsewhere", to: vault + "/.git")
    #expect(RepositoryPath(ofVault: Array(vault.utf8)).prefix == [])
  }

  @Test func outsideOfARepositoryThePathIsAsNamed() {
    #expect(
      RepositoryPath(ofVault: Array("no/such/vault".utf8)).prefix
        == Array("no/such/vault/".utf8))
    #expect(RepositoryPath(ofVault: Array("./no-such".utf8)).prefix == Array("no-such/".utf8))
  }

  // MARK: - Tables

  @Test func everyCodeHasAMeaning() {
    let meanings = Finding.Code.allCases.map(\.meaning)
    #expect(Set(meanings).count == meanings.count)
    #expect(meanings.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
  }

  @Test func aFindingAboutAFileIsOfTheKindOfTheFile() {
    for (path, kind) in [
      ("VAULT", VerifyCheckKind.header), ("index/00.seg", .segments), ("index/00.slot", .slots),
      ("spare/00.slot", .slots), ("notes/00/x.sealed", .notes), ("README.md", .companions),
      ("kit/SPEC.md", .companions), ("other", .structure), ("", .structure),
    ] {
      #expect(Finding(.malformed, Array(path.utf8), "").checkKind == kind, "\(path)")
    }
  }
}
