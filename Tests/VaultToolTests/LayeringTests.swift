import Testing

/// The layers stay apart, and what can bring the process down or reach past Swift's checks stays in few places
/// (spec/decisions/0003-layers.md).
@Suite struct LayeringTests {
  static let files = Result { try SourceFile.all() }

  @Test func everyImportIsOneThatItsLayerMayHave() throws {
    for file in try Self.files.get() {
      guard let allowed = LayeringTable.modules(for: file.path) else {
        Issue.record("\(file.path) belongs to no target of the table")
        continue
      }
      for module in file.imports where !allowed.contains(module) {
        Issue.record("\(file.path) must not import \(module)")
      }
    }
  }

  @Test func everyLineOfTheTableIsNeeded() throws {
    let files = try Self.files.get()
    for entry in LayeringTable.imports {
      #expect(files.contains { $0.path.hasPrefix(entry.path) }, "\(entry.path)")
    }
    for place in LayeringTable.unsafePlaces {
      #expect(
        files.contains { $0.path.hasPrefix(place) && $0.words.contains("unsafe") }, "\(place)")
    }
  }

  @Test func unsafeStandsOnlyWhereItIsListed() throws {
    for file in try Self.files.get() where file.path.hasPrefix("Sources/") {
      let isListed = LayeringTable.unsafePlaces.contains { file.path.hasPrefix($0) }
      if isListed { continue }
      if file.words.contains("unsafe") || file.code.contains(where: { $0.contains("@unchecked") }) {
        Issue.record("\(file.path) must be neither unsafe nor @unchecked")
      }
    }
  }

  @Test func nothingForcesOrEndsTheProcess() throws {
    let forbidden = ["try!", "as!", "fatalError("]
    for file in try Self.files.get() {
      for (number, line) in file.code.enumerated() {
        for text in forbidden where line.contains(text) {
          Issue.record("\(file.path):\(number + 1) must not say '\(text)'")
        }
      }
    }
  }

  @Test func onlyTheCommandsPrintExitOrReadTheSurroundings() throws {
    let upper = ["Sources/VaultCommands/", "Sources/vaulttool/"]
    let forbidden: Set = ["print", "debugPrint", "exit", "getenv", "environ", "CommandLine"]
    for file in try Self.files.get() where file.path.hasPrefix("Sources/") {
      if upper.contains(where: { file.path.hasPrefix($0) }) { continue }
      let found = file.words.intersection(forbidden)
      #expect(found.isEmpty, "\(file.path)")
    }
  }

  @Test func noFileHasMoreThan400Lines() throws {
    for file in try Self.files.get() { #expect(file.code.count <= 400, "\(file.path)") }
  }

  @Test func theScannerKeepsCodeAndDropsCommentsAndTexts() {
    let file = SourceFile(
      path: "x",
      text: """
        import A  // import B
        @testable internal import C
        // unsafe
        let a = "unsafe \\" // no" + b
        let c = \"\"\"
          try! x
          \"\"\" + d
        package import struct E.F
        """)
    #expect(file.imports == ["A", "C", "E"])
    #expect(
      file.words == [
        "import", "A", "testable", "internal", "C", "let", "a", "b", "c", "d", "package", "struct",
        "E", "F",
      ])
    #expect(file.code.count == 8)
  }
}
