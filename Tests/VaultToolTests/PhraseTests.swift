import Testing

extension BuiltProgram {
  /// Field cases D: a recovery phrase as it is typed from paper. (The rules one by one are tested in
  /// VaultSealingTests; here the built program is.)
  @Suite struct PhrasesFromPaper {
    private let place: Workplace
    private let words: [String]

    init() throws {
      place = try Workplace()
      let text = String(decoding: try Disk.read(place.sample.phraseFile), as: UTF8.self)
      words = text.split { $0 == " " || $0.isNewline }.map(String.init)
    }

    private func opening(_ phrase: String, environment: [String: String] = [:]) throws -> Outcome {
      try Disk.write(phrase, to: place("p"))
      return try Tool.run(
        "ls", place.sample.vault, "--phrase-file", place("p"), environment: environment)
    }

    @Test func fr060BlanksAndLineEndsDoNotMatter() throws {
      let rows = stride(from: 0, to: 24, by: 4).map { words[$0..<($0 + 4)].joined(separator: "  ") }
      let outcome = try opening("\t " + rows.joined(separator: " \r\n") + "\r\n\r\n")
      #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func fr061CapitalsDoNotMatterInAnyLocale() throws {
      let shouted = words.map { $0.uppercased() }.joined(separator: " ")
      let outcome = try opening(
        shouted, environment: ["LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"])
      #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func fr063InvisibleCharactersAreDropped() throws {
      let hidden =
        "\u{FEFF}" + words[..<3].joined(separator: " ") + "\u{200B} "
        + words[3...].joined(separator: "\u{A0}")
      let outcome = try opening(hidden)
      #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func fr064FourLettersAreEnough() throws {
      let outcome = try opening(words.map { String($0.prefix(4)) }.joined(separator: " "))
      #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(arguments: [0, 23]) func fr066AWrongWordIsNamedByItsPlace(index: Int) throws {
      var wrong = words
      wrong[index] = "qqqqq"
      let outcome = try opening(wrong.joined(separator: " "))
      #expect(outcome.status == 4, "\(outcome)")
      #expect(outcome.errorText.contains("word \(index + 1)"), "\(outcome)")
      let others = words.filter { $0.count > 5 }
      #expect(others.allSatisfy { !outcome.errorText.contains($0) }, "\(outcome)")
    }

    @Test func fr067SwappedWordsAreRefused() throws {
      // 255 of 256 swaps break the checksum; whichever this is, nothing opens.
      var swapped = words
      let other = try #require(words.indices.first { words[$0] != words[0] })
      swapped.swapAt(0, other)
      #expect(try opening(swapped.joined(separator: " ")).status == 4)
    }

    @Test func fr069AnotherCountOrAnotherListIsSaid() throws {
      let short = try opening(words[..<12].joined(separator: " "))
      #expect(short.status == 4 && short.errorText.contains("12"), "\(short)")
      let spanish = try opening(Array(repeating: "\u{E1}baco", count: 24).joined(separator: " "))
      #expect(spanish.status == 4 && spanish.errorText.contains("another word list"), "\(spanish)")
    }
  }
}
