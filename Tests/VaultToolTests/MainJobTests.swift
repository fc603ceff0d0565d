import Testing

extension BuiltProgram {
  /// The main job on the sample notes: pack, list, verify, read, unpack.
  @Suite struct MainJob {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func everyByteNameLinkBitAndTimeComesBack() throws {
      let out = try place.unpacked(place.sample.vault)
      #expect(out.differences(from: try Tree(place.sample.notes)) == [])
      let same = try Tool.program([
        "/usr/bin/diff", "-r", "--no-dereference", place.sample.notes, place("out"),
      ])
      #expect(same.status == 0 && same.output.isEmpty)
    }

    @Test func thePhraseOpensTheSame() throws {
      let outcome = try Tool.run(
        "unpack", place.sample.vault, place("out"), "--phrase-file", place.sample.phraseFile)
      #expect(outcome.status == 0, "\(outcome)")
      let out = try Tree(place("out"))
      #expect(out.differences(from: try Tree(place.sample.notes)) == [])
    }

    @Test func lsNamesEveryEntryRaw() throws {
      let listed = try place.must("ls", place.sample.vault, "--null")
      let names = listed.output.split(separator: 0).map { Name(bytes: Array($0)) }
      #expect(listed.output.last == 0)
      #expect(names == (try Tree(place.sample.notes)).paths)
    }

    @Test func verifyIsCleanAtEveryLevel() throws {
      let vault = place.sample.vault
      for more: [Name] in [[], ["--signer", try place.sample.signer()]] {
        let outcome = try Tool.run(["verify", vault] + more)
        #expect(outcome.status == 0, "\(outcome)")
      }
      let unlocked = try place.run("verify", vault, "--unlock", "--json")
      #expect(unlocked.status == 0, "\(unlocked)")
      let report = try JSON(unlocked.output)
      #expect(report["level"].string == "unlocked")
      #expect(report["verdict"].string == "clean")
      #expect(report["findings"].list?.isEmpty == true)
    }

    @Test func anotherSignerIsAFinding() throws {
      let other = Name(String(repeating: "ab", count: 32))
      let outcome = try place.verify(place.sample.vault, "--signer", other, "--json")
      #expect(outcome.status == 5)
      let codes = try JSON(outcome.output)["findings"].list?.compactMap { $0["code"].string }
      #expect(codes?.contains("signer-unpinned") == true)
      #expect(codes?.contains("signer-absent") == true)
    }

    @Test func noNameAndNoWordOfANoteIsInTheVault() throws {
      let files = try Tree(place.sample.vault).contents
      for word in ["Welcome", "Harz", "Reading list", "Grandmother", Sample.passphrase] {
        for (path, content) in files {
          #expect(!content.contains(Array(word.utf8)), "\(word) in \(path)")
        }
      }
    }

    @Test func oneNoteIsReadToStandardOutput() throws {
      let path: Name = "recipes/Rye bread.md"
      let expected = try Disk.read(place.sample.notes / path)
      #expect(try place.must("cat", place.sample.vault, path).output == expected)
      #expect(try place.must("unpack", place.sample.vault, "-", path).output == expected)
    }

    @Test func someNotesAreUnpackedByTheirFolder() throws {
      try place.must("unpack", place.sample.vault, place("out"), "trip", "latest.md")
      let all = try Tree(place.sample.notes)
      let wanted = all.entries.filter { path, _ in
        path == "latest.md" || path == "trip" || path.bytes.starts(with: "trip/".utf8)
      }
      #expect(try Tree(place("out")).entries == wanted)
    }

    @Test func infoAndInspectTellWhatAnyoneCanSee() throws {
      let info = try JSON(try place.must("info", place.sample.vault, "--json", "--unlock").output)
      #expect(info["schema"].string == "vaulttool-info/1")
      #expect(info["slots"].list?.count == 2)
      #expect(info["slots"][0]["hint"].string == nil || info["slots"][1]["hint"].string == nil)
      let tree = try Tree(place.sample.notes)
      let files = tree.contents.count
      #expect(info["unlocked"]["files"].int == files)
      for (path, _) in try Tree(place.sample.vault, leavingOut: ["local"]).contents
      where path != "README.md" && !path.bytes.starts(with: ".git".utf8) {
        let seen = try Tool.run("inspect", place.sample.vault / path, "--json")
        #expect(seen.status == 0, "\(path): \(seen)")
        let report = try JSON(seen.output)
        #expect(report["schema"].string == "vaulttool-inspect/1")
        #expect(report["parts"].list?.isEmpty == false)
      }
    }
  }
}

extension [UInt8] {
  /// Whether these bytes hold others in one piece.
  func contains(_ part: [UInt8]) -> Bool {
    guard let first = part.first, part.count <= count else { return part.isEmpty }
    var start = startIndex
    while let index = self[start...].firstIndex(of: first), index + part.count <= count {
      if self[index..<(index + part.count)].elementsEqual(part) { return true }
      start = index + 1
    }
    return false
  }
}
