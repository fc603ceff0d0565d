import Testing

/// What `spec/command-line.md` promises, read from the text itself.
private struct CommandLineSpec {
  /// The options of each command, without their dashes.
  private(set) var options: [String: Set<String>] = [:]

  init() throws {
    let text = String(
      decoding: try Disk.read(Tool.repository / "spec/command-line.md"), as: UTF8.self)
    var section = ""
    var secrets: Set<String> = []
    var newSecrets: Set<String> = []
    var taken: [String: [String]] = [:]
    for line in text.split(separator: "\n") {
      if line.hasPrefix("#") { section = String(line.drop { $0 == "#" || $0 == " " }) }
      guard line.hasPrefix("| `") else { continue }
      let cells = line.split(separator: "|")
      switch section {
      case "Secrets": secrets.formUnion(Self.names(in: cells[0]))
      case "New secrets": newSecrets.formUnion(Self.names(in: cells[0]))
      case "Other secrets":
        let kinds = cells[1].split(separator: ",").map { $0.drop { $0 == " " } }
        taken[Self.command(in: cells[0])] = kinds.map { $0.reversed().drop { $0 == " " } }
          .map { String($0.reversed()) }
      case "Commands":
        let command = Self.command(in: cells[0])
        options[command, default: []].formUnion(Self.names(in: line))
      case "pack", "verify": options[section, default: []].formUnion(Self.names(in: cells[0]))
      default: break
      }
    }
    for command in options.keys {
      for kind in taken[command] ?? ["passphrase", "phrase"] {
        let prefix = kind.replacing(" ", with: "-") + "-"
        options[command]?.formUnion(secrets.union(newSecrets).filter { $0.hasPrefix(prefix) })
      }
    }
  }

  /// The words at the beginning of a cell, less those in capitals.
  private static func command(in cell: some StringProtocol) -> String {
    String(cell).firstMatch(of: /[a-z]+(?: [a-z]+)?/).map { String($0.output) } ?? ""
  }

  static func names(in text: some StringProtocol) -> [String] {
    String(text).matches(of: /--([a-z][a-z-]+)/).map { String($0.output.1) }
  }
}

extension BuiltProgram {
  /// What is documented is there, and what is there is documented.
  @Suite struct DocumentedCommands {
    private let spec: CommandLineSpec

    init() throws { spec = try CommandLineSpec() }

    @Test func theDocumentedCommandsAreThoseOfTheProgram() throws {
      let overview = try Tool.run("--help").text.split(separator: "\n")
      let commands = overview.drop { $0 != "Commands:" }.dropFirst()
        .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        .compactMap { $0.firstMatch(of: /^  ([a-z]+(?: [a-z]+)?)\s/).map { String($0.output.1) } }
      #expect(Set(commands) == Set(spec.options.keys))
    }

    @Test func everyDocumentedOptionIsTakenAndEveryOtherIsDocumented() throws {
      for (command, options) in spec.options {
        let words = command.split(separator: " ").map { Name(String($0)) }
        let help = try Tool.run(words + ["--help"])
        #expect(help.status == 0 && help.errorBytes.isEmpty, "\(command)")
        let lines = help.text.split(separator: "\n").filter { $0.hasPrefix("  ") }
        let offered = Set(
          lines.compactMap { $0.firstMatch(of: /^ +(?:-[a-zA-Z], )?--([a-z-]+)/) }
            .map { String($0.output.1) }
        ).subtracting(["help"])
        #expect(offered == options, "\(command)")
        for option in options {
          let takesValue = try lines.contains { $0.contains(try Regex("--\(option) [A-Z]")) }
          let value: [Name] = takesValue ? ["1"] : []
          let outcome = try Tool.run(words + [Name("--\(option)")] + value + ["--help"])
          #expect(outcome.status == 0, "\(command) --\(option): \(outcome)")
        }
      }
    }

    @Test func theManualUsesOnlyWhatThereIs() throws {
      let text = String(decoding: try Disk.read(Tool.repository / "README.md"), as: UTF8.self)
      let lines = text.split(separator: "\n").filter { $0.hasPrefix("vaulttool ") }
      #expect(!lines.isEmpty)
      for line in lines {
        let words = line.split(separator: " ")
        guard words.count > 1, words[1].first?.isLetter == true else { continue }
        let name = words.dropFirst().prefix(2).joined(separator: " ")
        let options = try #require(
          spec.options[name] ?? spec.options[String(words[1])], "\(line)")
        for name in CommandLineSpec.names(in: line) {
          #expect(options.contains(name), "\(line)")
        }
      }
    }
  }

  /// The JSON reports have the documented fields.
  @Suite struct DocumentedReports {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func listing() throws {
      let report = try JSON(try place.must("ls", place.sample.vault, "--json").output)
      #expect(report["schema"].string == "vaulttool-ls/1")
      #expect(report.keys == ["locked_compartments", "locked_notes", "notes", "schema"])
      for note in try #require(report["notes"].list) {
        let keys = Set(try #require(note.keys)).subtracting(["media_type"])
        #expect(keys == ["bytes", "executable", "id", "modified", "path", "type"])
        #expect(note["modified"].keys == ["nanoseconds", "seconds"])
        #expect(["file", "folder", "link"].contains(note["type"].string))
      }
    }

    @Test func information() throws {
      let report = try JSON(try place.must("info", place.sample.vault, "--json", "--unlock").output)
      #expect(
        report.keys == [
          "compartments", "format_version", "schema", "sealed_bytes", "slots", "unlocked",
          "vault_id",
        ])
      #expect(
        report["compartments"][0].keys == [
          "deleted", "id", "live_segments", "notes", "segments", "signer",
        ])
      #expect(
        report["unlocked"].keys == [
          "content_bytes", "files", "folders", "links", "locked_notes", "opened_compartments",
          "opened_slots",
        ])
    }

    @Test func inspection() throws {
      let sealed = try #require(
        Damage.files(of: place.sample.vault).first { $0.text.hasSuffix(".sealed") })
      let outcome = try Tool.run("inspect", place.sample.vault / sealed, "--json")
      let report = try JSON(outcome.output)
      #expect(
        report.keys == [
          "chunk_bytes", "chunks", "digest", "file_bytes", "kind", "parts", "schema", "sha256",
          "suite", "version",
        ], "\(outcome)")
      let parts = try #require(report["parts"].list)
      #expect(parts.first?["offset"].int == 0)
      #expect(report["file_bytes"].int == (try Disk.read(place.sample.vault / sealed)).count)
    }

    @Test func packing() throws {
      let vault = try place.vault()
      let outcome = try place.must("pack", place.sample.laterNotes, vault, "--yes", "--json")
      let report = try JSON(outcome.output)
      let keys = try #require(report.keys)
      #expect(
        keys == [
          "added", "bytes_sealed", "changed", "changes", "dry_run", "excluded", "kept", "problems",
          "removed", "renamed", "schema", "segment", "skipped", "unchanged",
        ], "\(outcome)")
      #expect(report["changed"].int == 3 && report["removed"].int == 1)
      #expect(report["changes"].list?.count == 4)
      #expect(
        report["changes"][0]["action"].string != nil && report["changes"][0]["path"].string != nil)
    }

    @Test func unpacking() throws {
      let outcome = try place.must("unpack", place.sample.vault, place("out"), "--json")
      let report = try JSON(outcome.output)
      #expect(report["schema"].string == "vaulttool-unpack/1")
      #expect(report.keys == ["failed", "not_tried", "problems", "schema", "skipped", "written"])
      let again = try place.run("unpack", place.sample.vault, place("out"), "--json")
      #expect(again.status == 1)
      let problem = try JSON(again.output)["problems"][0]
      #expect(problem["path"].string != nil && problem["reason"].string != nil)
    }

    @Test func verifying() throws {
      let vault = try place.vault()
      try Disk.remove(vault / "README.md")
      let outcome = try place.verify(vault, "--json")
      let report = try JSON(outcome.output)
      #expect(
        report.keys == [
          "checked", "findings", "level", "not_checked", "schema", "signature", "signers", "state",
          "status", "verdict",
        ])
      #expect(report["checked"].keys == ["bytes", "files", "notes", "segments", "slots"])
      #expect(report["signers"][0].keys == ["compartment", "fingerprint", "pinned"])
      #expect(report["findings"].list?.count == 1)
      let finding = report["findings"][0]
      #expect(finding["code"].string == "companion-missing")
      #expect(finding["severity"].string == "error" && finding["path"].string == "README.md")
      #expect(finding["message"].string?.isEmpty == false)
    }
  }
}

/// The table of field cases says of each what vaulttool does, and which tests hold it to that.
@Suite struct FieldCaseTableTests {
  @Test func everyTestThatTheTableNamesExists() throws {
    let page = String(
      decoding: try Disk.read(Tool.repository / "fixtures/field-cases.md"), as: UTF8.self)
    let found = try Disk.must([
      "/bin/grep", "-rhoE", "func [A-Za-z0-9_]+", Tool.repository / "Tests",
    ])
    let tests = Set(found.text.split(separator: "\n").map { $0.dropFirst(5) })
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| FR-") }
    #expect(rows.count == 108)
    for row in rows {
      let cells = row.split(separator: "|", omittingEmptySubsequences: false)
      try #require(cells.count == 5, "\(row)")
      let names = cells[3].split(separator: "`").filter { $0.first?.isLetter == true }
      #expect(!names.isEmpty, "\(row)")
      for name in names { #expect(tests.contains(name), "\(name) is no test") }
    }
  }
}
