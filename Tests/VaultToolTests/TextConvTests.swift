import Testing
import VaultTestSupport

extension BuiltProgram {
  /// What `git textconv` says of a file, whatever it is: git goes on only at status 0.
  @Suite struct TextConv {
    private let place: Workplace
    private let top: Name
    private var vault: Name { top / "v" }

    /// A repository whose configuration opens the vault.
    init() throws {
      place = try Workplace()
      top = place("repo")
      try Disk.makeFolder(top)
      try Disk.copy(place.sample.empty, to: top / "v")
      try Disk.must(["/usr/bin/git", "init", "-q"], in: top)
      try Disk.must(
        [
          Tool.path, "git", "setup", "v", "--passphrase-command",
          "cat '\(place.sample.passphraseFile)'",
        ], in: top)
    }

    /// Packs one file and gives the sealed one.
    private func sealed(_ content: [UInt8], as name: Name) throws -> Name {
      let source = try place.source(as: "source of " + name)
      try Disk.write(content, to: source / name)
      try place.must("pack", source, vault, "--yes")
      let files = try Damage.files(of: vault).filter { $0.text.hasSuffix(".sealed") }
      try #require(files.count == 1)
      return vault / files[0]
    }

    private func convert(_ file: Name) throws -> Outcome {
      let outcome = try Tool.run("git", "textconv", file, in: top)
      #expect(outcome.status == 0, "\(outcome)")
      return outcome
    }

    private func isOneLine(_ outcome: Outcome) -> Bool {
      outcome.text.hasSuffix("\n") && outcome.text.count(where: { $0 == "\n" }) == 1
    }

    @Test(arguments: ["", "no line end", "Grüße\r\n\tund mehr\u{C}\n", "\u{FEFF}mark\n"])
    func textIsWrittenAsItIs(text: String) throws {
      let outcome = try convert(try sealed(Array(text.utf8), as: "note.md"))
      #expect(outcome.output == Array(text.utf8), "\(outcome)")
    }

    @Test(
      arguments: [
        ("photo.png", [0x89, 0x50, 0, 1] as [UInt8], "image/png, 4 bytes, modified 20"),
        ("unknown", [0xFF], "not text, 1 byte, modified 20"),
        ("steers.md", Array("a\u{1B}[2Jb".utf8), "text/markdown, 6 bytes, modified 20"),
      ] as [(Name, [UInt8], String)])
    func whatIsNoTextIsOneLine(name: Name, content: [UInt8], beginning: String) throws {
      let outcome = try convert(try sealed(content, as: name))
      #expect(outcome.text.hasPrefix(beginning) && isOneLine(outcome), "\(outcome)")
    }

    @Test func aLinkIsItsTarget() throws {
      let source = try place.source()
      try Disk.must(["/bin/ln", "-s", "some/where else", source / "link"])
      try place.must("pack", source, vault, "--yes")
      let file = try #require(
        Damage.files(of: vault).first { $0.text.hasSuffix(".sealed") })
      let outcome = try convert(vault / file)
      #expect(outcome.text.hasPrefix("link to 'some/where else', modified 20"), "\(outcome)")
    }

    @Test(arguments: [100, 3_000_000])
    func aDamagedNoteGivesGitOneLine(byteCount: Int) throws {
      let text = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
      try place.must("pack", try place.source(), vault, "--yes")
      let source = try place.source(as: "large")
      try Disk.write(text, to: source / "note.txt")
      try place.must("pack", source, vault, "--yes", "--compress", "never")
      let name = try #require(
        Damage.files(of: vault).first { $0.text.hasSuffix(".sealed") })
      #expect(try convert(vault / name).output == text)
      var bytes = try Disk.read(vault / name)
      bytes[bytes.count - 20] ^= 1
      try Disk.write(bytes, to: place("damaged"))
      let outcome = try convert(place("damaged"))
      #expect(isOneLine(outcome), "\(outcome.text.prefix(100))")
      #expect(outcome.text.hasPrefix("sealed, \(bytes.count) bytes, damaged: "), "\(outcome)")
      try Disk.write(Array(bytes[..<(bytes.count - 1)]), to: place("cut"))
      #expect(isOneLine(try convert(place("cut"))))
    }

    @Test func anyOtherFileIsOneLine() throws {
      for content in [
        "", "plain text\nof two lines\n", "<<<<<<< ours\n", "version https://git-lfs",
      ] {
        try Disk.write(content, to: place("file"))
        let outcome = try convert(place("file"))
        #expect(outcome.text.hasPrefix("not a sealed note: ") && isOneLine(outcome), "\(outcome)")
      }
      #expect(try convert("/dev/null").output.isEmpty)
      let missing = try Tool.run("git", "textconv", place("nothing"), in: top)
      #expect(missing.status == 1 && missing.output.isEmpty, "\(missing)")
    }

    @Test func withoutAKeyTheLineSaysSealedAndNobodyIsAsked() throws {
      let file = try sealed(Array("A note.\n".utf8), as: "note.md")
      let line = "sealed, \(try Disk.read(file).count) bytes\n"
      // Outside the repository nothing is configured.
      try Disk.copy(file, to: place("blob"))
      let outside = try Tool.run("git", "textconv", place("blob"), in: place.path)
      #expect(outside.text == line && outside.errorText.isEmpty && outside.status == 0)
      try Disk.write("wrong", to: place("wrong"))
      try Disk.must(
        [Tool.path, "git", "setup", "v", "--passphrase-command", "cat '\(place("wrong"))'"], in: top
      )
      let wrong = try convert(file)
      #expect(wrong.text == line && wrong.errorText.contains("was not opened"), "\(wrong)")
      #expect(!wrong.errorText.contains("wrong\n"), "\(wrong)")
    }
  }
}
