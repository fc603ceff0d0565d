import Testing

extension BuiltProgram {
  /// Reports fit the schemas that are published for them, whatever names a vault holds.
  @Suite struct ReportSchemas {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private static let json: Name = "spec/schemas/vaulttool-verify-1.schema.json"
    private static let sarif: Name = "fixtures/schemas/sarif-schema-2.1.0.json"
    private static let junit: Name = "fixtures/schemas/junit-10.xsd"

    /// Names that could break out of their place in one of the formats.
    private static let hostile: [Name] = [
      "a]]>b", "c\"d'e", "<f>&g", "h\ni", "j\tk", "l\r\n::error::m", "n,o:p%q", "##[error]r",
      "s t", "u\\v", "\u{1b}[31mw", "\u{202e}x", "y\u{7f}", "ü", "😀", "-z", "%0A",
      Name(bytes: [0xFF, 0xFE]), Name(bytes: [0x61, 0xC3]), Name(bytes: [0xED, 0xA0, 0x80]),
      Name(bytes: [0xEF, 0xBF, 0xBE]), Name(bytes: [0x01, 0x0B, 0x0C]),
    ]

    private func hostileVault() throws -> Name {
      let vault = place("hostile.vault")
      try Disk.must(["/bin/cp", "-R", place.sample.vault, vault])
      for name in Self.hostile {
        try Disk.write([], to: vault / name)
        try Disk.write([], to: vault / "notes" / name)
        try Disk.write([], to: vault / "index" / name)
      }
      try Disk.must(["/bin/rm", "-r", vault / "spare"])
      return vault
    }

    private func expectAllValid(_ vault: Name, _ more: Name...) throws {
      for (format, schema, isClosed) in [("json", Self.json, true), ("sarif", Self.sarif, false)] {
        let outcome = try Tool.run(["verify", "--format", Name(format)] + more + [vault])
        let file = place("report." + Name(format))
        try Disk.write(outcome.output, to: file)
        let valid = try Tool.script(
          "validate-json.py", (isClosed ? ["--closed"] : []) + [Tool.repository / schema, file])
        #expect(valid.status == 0, "\(format) \(valid)")
      }
      let outcome = try Tool.run(["verify", "--format", "junit"] + more + [vault])
      let file = place("report.xml")
      try Disk.write(outcome.output, to: file)
      let valid = try Tool.program([
        "/usr/bin/xmllint", "--nonet", "--noout", "--schema", Tool.repository / Self.junit, file,
      ])
      #expect(valid.status == 0, "\(valid)")
    }

    @Test func aCleanReportIsValid() throws {
      try expectAllValid(place.sample.vault)
      try expectAllValid(
        place.sample.vault, "--shard", "3/5", "--signer", try place.sample.signer())
    }

    @Test func aReportOfHostileNamesIsValid() throws {
      let vault = try hostileVault()
      try expectAllValid(vault)
      try expectAllValid(
        vault, "--max-file-size", "1", "--min-iterations", "900000", "--require-padding",
        "--signer", Name(String(repeating: "ab", count: 32)))
    }

    @Test func aReportAboutCommitsIsValid() throws {
      let git = try Git(home: place("home"))
      let repository = place("repository")
      try Disk.makeFolder(repository)
      try Disk.must(["/bin/cp", "-R", place.sample.vault, repository / "my.vault"])
      try git.commitAll(repository)
      let notes = place("notes")
      try Disk.must(["/bin/cp", "-R", place.sample.notes, notes])
      try Disk.write("new", to: notes / "new \u{1b}.md")
      try place.must("pack", notes, repository / "my.vault", "--yes")
      try expectAllValid(repository / "my.vault", "--since", "HEAD")
      try git(repository, "add", "-A")
      try expectAllValid(repository / "my.vault", "--since", "HEAD", "--staged")
      let names = try place.run(
        "verify", repository / "my.vault", "--since", "HEAD", "--unlock", "--json")
      #expect(names.status == 0, "\(names)")
      let file = place("names.json")
      try Disk.write(names.output, to: file)
      let valid = try Tool.script(
        "validate-json.py", ["--closed", Tool.repository / Self.json, file])
      #expect(valid.status == 0, "\(valid)")
      #expect(names.text.contains("\"since\":"))
    }

    @Test func aRefusedSecretIsAValidReport() throws {
      let file = place("wrong")
      try Disk.write("wrong\n", to: file)
      try expectAllValid(place.sample.vault, "--unlock", "--passphrase-file", file)
    }

    /// A schema that takes everything would prove nothing.
    @Test func theSchemaRefusesWhatIsNoReport() throws {
      let good = try Tool.run("verify", "--json", place.sample.vault).text
      for (from, to) in [
        ("\"level\":\"keyless\"", "\"level\":\"some\""), ("\"status\":0", "\"status\":\"0\""),
        ("vaulttool-verify/1", "vaulttool-verify/2"), ("\"findings\":[]", "\"findings\":[{}]"),
        (",\"verdict\":\"clean\"", ""), ("\"level\"", "\"extra\":1,\"level\""),
      ] {
        let changed = good.replacing(from, with: to)
        try #require(changed != good, "\(from)")
        let file = place("changed.json")
        try Disk.write(changed, to: file)
        let outcome = try Tool.script(
          "validate-json.py", ["--closed", Tool.repository / Self.json, file])
        #expect(outcome.status == 1, "\(from)")
      }
    }
  }
}
