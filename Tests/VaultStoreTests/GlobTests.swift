import Testing

@testable import VaultStore

@Suite struct GlobTests {
  private func matches(_ pattern: String, _ path: String) -> Bool {
    Glob(bytes(pattern)).matchesEntry(bytes(path))
  }

  private func covers(_ pattern: String, _ path: String) -> Bool {
    Glob(bytes(pattern)).matchesAtOrAbove(bytes(path))
  }

  @Test(arguments: [
    ("*.tmp", "a.tmp"), ("*.tmp", "deep/below/a.tmp"), ("*.tmp", ".tmp"), ("a?c", "x/abc"),
    ("node_modules", "x/node_modules"), ("[a-c]x", "bx"), ("[!a-c]x", "dx"), ("[^a-c]x", "dx"),
    ("[]]", "]"), ("[a-]", "-"), ("[", "["), ("[ab", "[ab"), ("\\*", "*"), ("[\\]]", "]"),
    ("build/", "x/build"), ("*", "anything"),
  ])
  func aPatternWithoutASlashMatchesTheLastPart(pattern: String, path: String) {
    #expect(matches(pattern, path))
  }

  @Test(arguments: [
    ("*.tmp", "a.tmp/b"), ("*.tmp", "a.tmpx"), ("a?c", "ac"), ("[a-c]x", "dx"), ("[!a-c]x", "ax"),
    ("\\*", "a"), ("a", "A"), ("?", "\u{E9}"),
  ])
  func anythingElseIsNotMatched(pattern: String, path: String) {
    #expect(!matches(pattern, path))
  }

  @Test(arguments: [
    ("a/*.md", "a/x.md"), ("/a", "a"), ("a/**", "a/b/c"), ("**/x", "x"), ("**/x", "a/b/x"),
    ("a/**/z", "a/z"), ("a/**/z", "a/b/c/z"), ("a/**z", "a/b/cz"), ("*/b", "a/b"),
  ])
  func aPatternWithASlashMatchesTheWholePath(pattern: String, path: String) {
    #expect(matches(pattern, path))
  }

  @Test(arguments: [
    ("a/*.md", "a/b/x.md"), ("a/*.md", "b/a/x.md"), ("/a", "b/a"), ("a/**", "a"), ("**/x", "ax"),
    ("a/**/z", "az"), ("a/?", "a//"), ("a/[!b]c", "a//c"),
  ])
  func starAndSetStopAtASlashAndTwoStarsDoNot(pattern: String, path: String) {
    #expect(!matches(pattern, path))
  }

  @Test func anExcludedFolderCoversAllBelowIt() {
    #expect(covers("cache", "cache/a/b"))
    #expect(covers("cache", "x/cache/a"))
    #expect(covers("x/cache", "x/cache/a"))
    #expect(!covers("x/cache", "y/x/cache/a"))
    #expect(!covers("cache", "cached/a"))
  }

  @Test func bytesThatAreNotUTF8Match() {
    #expect(Glob([0xE4, 0x2A]).matchesEntry([0x2F, 0xE4, 0xFF]))
    #expect(Glob([0x3F]).matchesEntry([0xFF]))
  }

  @Test func manyStarsAreNotSlow() {
    let pattern = Array(repeating: UInt8(ascii: "*"), count: 1)
    let hostile = (0..<40).flatMap { _ in pattern + bytes("a") } + bytes("b")
    #expect(!Glob(hostile).matchesEntry(Array(repeating: UInt8(ascii: "a"), count: 255)))
  }
}
