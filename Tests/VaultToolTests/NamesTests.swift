import Testing

/// Names that other tools lost, and a folder full of them.
private enum OddNames {
  static let composed: Name = "caf\u{E9}.md"
  static let decomposed: Name = "cafe\u{301}.md"
  static let latin1 = Name(bytes: [0x62, 0x69, 0x6E, 0xE4, 0x72])
  static let longFolder = Name(String(repeating: "f", count: 200))
  static let longNote = Name(String(repeating: "n", count: 255))
  static let escaping: Name = "x\u{1B}]0;title\u{07}\rhidden\nline\u{202E}.md"
  static let hidden: [Name] = [".obsidian/app.json", ".trash/x.md", "_draft.md"]
  static let dashed: [Name] = ["--help.md", "-", "-rf", "--"]
  static let awkward: [Name] = [
    "Note.md", "note.md", "a\\b.md", "*?[x].md", "sp ace ", " ", "'quoted\".md", "con", "e.",
    "\u{FEFF}bom.md", "\u{1F331} Garden.md", "tab\tname.md",
  ]

  static func fill(_ source: Name) throws {
    for folder: Name in [longFolder, ".obsidian", ".trash"] {
      try Disk.makeFolder(source / folder)
    }
    let files = [composed, decomposed, latin1, longFolder / longNote, escaping]
    for (number, file) in (files + hidden + dashed + awkward).enumerated() {
      try Disk.write("note \(number)", to: source / file)
    }
  }
}

extension BuiltProgram {
  /// Field cases A: names are bytes.
  @Suite(.roundTrip { try OddNames.fill($0) }) struct Names {
    private let place: Workplace
    private let trip: RoundTrip

    init() throws {
      place = try Workplace()
      trip = try #require(RoundTrip.current)
    }

    @Test func everyNameComesBack() {
      #expect(trip.packing.status == 0, "\(trip.packing)")
      #expect(trip.unpacking.status == 0, "\(trip.unpacking)")
      #expect(trip.after.differences(from: trip.before) == [])
    }

    @Test func fr001CanonicallyEqualNamesStayTwo() throws {
      #expect(trip.kept(OddNames.composed) && trip.kept(OddNames.decomposed))
      let listed = try place.must("ls", trip.vault, "--null").output.split(separator: 0)
      #expect(listed.contains { $0.elementsEqual(OddNames.composed.bytes) })
      #expect(listed.contains { $0.elementsEqual(OddNames.decomposed.bytes) })
    }

    @Test func fr003AnotherNormalFormIsPointedAt() throws {
      let vault = try place.emptyVault()
      let source = try place.source([OddNames.decomposed: "only one form"])
      try place.must("pack", source, vault)
      let outcome = try place.run("unpack", vault, place("out"), OddNames.composed)
      #expect(outcome.status == 1, "\(outcome)")
      #expect(outcome.errorBytes.contains(OddNames.decomposed.bytes), "\(outcome)")
      let cat = try place.run("cat", vault, OddNames.composed)
      #expect(cat.status == 1 && cat.output.isEmpty)
    }

    @Test(arguments: ["C", "C.UTF-8", "tr_TR.UTF-8"])
    func fr004NamesDoNotDependOnTheLocale(locale: String) throws {
      #expect(trip.kept(OddNames.latin1))
      let arguments: [Name] = ["--null", "--passphrase-file", place.sample.passphraseFile]
      let listed = try Tool.run(
        ["ls", trip.vault] + arguments, environment: ["LC_ALL": locale])
      #expect(listed.status == 0)
      #expect(listed.output.split(separator: 0).map { Name(bytes: Array($0)) } == trip.before.paths)
      let shown = try Tool.run(
        "cat", trip.vault, OddNames.latin1, "--passphrase-file", place.sample.passphraseFile,
        environment: ["LC_ALL": locale])
      #expect(shown.output == trip.before.contents[OddNames.latin1])
    }

    @Test func fr004AListingOfJSONKeepsTheBytes() throws {
      let report = try JSON(try place.must("ls", trip.vault, "--json").output)
      let hex = report["notes"].list?.compactMap { $0["path_hex"].string }
      #expect(hex == ["62696ee472"])
    }

    @Test func fr006TheLongestNamesComeBack() {
      #expect(trip.kept(OddNames.longFolder / OddNames.longNote))
    }

    @Test func fr007PathsBeyondPathMaxComeBack() throws {
      let make =
        "for i in $(seq 60); do mkdir \"$1\" && cd \"$1\" || exit 1; done; echo deep > note.md"
      let source = try place.source()
      let part = Name(String(repeating: "d", count: 100))
      try Disk.must(["/bin/bash", "-c", Name(make), "bash", part], in: source)
      let vault = try place.emptyVault()
      try place.must("pack", source, vault)
      #expect(try place.verify(vault).status == 0)
      try place.must("unpack", vault, place("out"))
      let archives = try [source, place("out")].map { folder in
        try Disk.must(
          ["/bin/tar", "--sort=name", "--owner=0", "--group=0", "--mode=755", "-cf", "-", part],
          in: folder
        )
        .output
      }
      #expect(archives[0] == archives[1] && archives[0].contains(Array("deep\n".utf8)))
    }

    @Test func fr009ControlBytesAreShownEscaped() throws {
      let vault = place("vault")
      try Disk.copy(trip.vault, to: vault)
      for file in try Damage.files(of: vault) where file.text.hasSuffix(".sealed") {
        try Disk.write(try Disk.read(vault / file) + [0], to: vault / file)
      }
      let edited = place("source")
      try Disk.copy(trip.source, to: edited)
      try Disk.write("changed", to: edited / OddNames.escaping)
      let outcomes = [
        try place.must("ls", trip.vault), try place.must("ls", trip.vault, "--long"),
        try place.run("ls", trip.vault, "nothing" + OddNames.escaping),
        try place.run("cat", trip.vault, "nothing" + OddNames.escaping),
        try place.run("verify", vault, "--unlock"), try place.run("unpack", vault, place("out")),
        try place.run("pack", edited, trip.vault, "--dry-run", "--verbose"),
        try place.run("verify", OddNames.escaping), try place.run("info", OddNames.escaping),
        try Tool.run(OddNames.escaping), try Tool.run("ls", "--" + OddNames.escaping),
      ]
      for outcome in outcomes {
        #expect(
          outcome.allBytes.allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) }, "\(outcome)")
        #expect(!outcome.allBytes.contains(Array("\u{202E}".utf8)), "\(outcome)")
      }
      #expect(outcomes[0].text.contains(#"x\x1b]0;title\x07\x0dhidden\x0aline\u{202e}.md"#))
    }

    @Test func fr010NamesLikeOptionsAreNames() throws {
      for name in OddNames.dashed { #expect(trip.kept(name), "\(name)") }
      try Disk.copy(trip.vault, to: place("-v"))
      let secret: [Name] = ["--passphrase-file", place.sample.passphraseFile]
      for name: Name in ["--help.md", "-"] {
        let outcome = try Tool.run(["cat"] + secret + ["--", "-v", name], in: place.path)
        #expect(outcome.status == 0 && outcome.output == trip.before.contents[name], "\(outcome)")
      }
      #expect(try Tool.run("verify", "--", "-v", in: place.path).status == 0)
      let out = try Tool.run(["unpack"] + secret + ["--", "-v", "-o", "-rf"], in: place.path)
      #expect(out.status == 0, "\(out)")
      #expect(try Tree(place("-o")).paths == ["-rf"])
    }

    @Test func fr012NamesThatDifferInCaseStayTwo() {
      #expect(trip.kept("Note.md") && trip.kept("note.md"))
    }

    @Test func fr013SealedNamesAreInOneCase() throws {
      let files = try Damage.files(of: trip.vault)
      let folded = Set(files.map { $0.text.lowercased() })
      #expect(folded.count == files.count)
      let vault = place("vault")
      try Disk.copy(trip.vault, to: vault)
      let sealed = try #require(
        files.first { $0.text.hasSuffix(".sealed") && $0.text.contains { "abcdef".contains($0) } })
      let parts = sealed.text.split(separator: "/")
      let upper = Name("\(parts[0])/\(parts[1])/" + parts[2].dropLast(7).uppercased() + ".sealed")
      try #require(upper != sealed)
      try Disk.move(vault / sealed, to: vault / upper)
      let outcome = try place.verify(vault, "--json")
      #expect(outcome.status == 5, "\(outcome)")
      let codes = try JSON(outcome.output)["findings"].list?.compactMap { $0["code"].string }
      #expect(codes?.contains("note-missing") == true, "\(outcome)")
    }

    @Test func fr015HiddenFilesArePacked() throws {
      for name in OddNames.hidden { #expect(trip.kept(name), "\(name)") }
      #expect(try JSON(trip.packing.output)["excluded"].int == 0)
    }
  }
}
