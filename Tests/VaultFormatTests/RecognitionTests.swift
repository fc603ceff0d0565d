import Testing
import VaultFormat

@Suite struct RecognitionTests {
  private static let magic: [UInt8] = [0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let whole = Samples.vault.file(.vault)

  private func decode(_ bytes: [UInt8]) throws(FormatError) {
    _ = try VaultHeader(decoding: bytes.span)
  }

  /// What text-mode conversions make of a whole file.
  private static func replacing(_ old: [UInt8], by new: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = whole[...]
    while let first = rest.first {
      if rest.starts(with: old) {
        result += new
        rest = rest.dropFirst(old.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  static let damaged: [(String, [UInt8], FormatError)] = [
    ("no bytes", [], .emptyFile),
    (
      "large-file pointer",
      Array("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n".utf8),
      .largeFilePointer
    ),
    ("merge markers", Array("<<<<<<< HEAD\n".utf8) + whole, .mergeMarkers),
    ("UTF-16 with mark", [0xFF, 0xFE] + whole.flatMap { [$0, 0] }, .utf16),
    ("UTF-16 with mark, big-endian", [0xFE, 0xFF] + whole.flatMap { [0, $0] }, .utf16),
    ("UTF-16", whole.flatMap { [$0, 0] }, .utf16),
    ("UTF-16, big-endian", whole.flatMap { [0, $0] }, .utf16),
    ("CR LF to LF", replacing([0x0D, 0x0A], by: [0x0A]), .textModeDamage),
    ("LF to CR LF", replacing([0x0A], by: [0x0D, 0x0A]), .textModeDamage),
    ("lone LF to CR LF", [0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x1A, 0x0D, 0x0A], .textModeDamage),
    ("CR to LF", replacing([0x0D], by: [0x0A]), .textModeDamage),
    ("cut at control Z", [0x89, 0x56, 0x4C, 0x54, 0x0D, 0x0A, 0x00], .textModeDamage),
    ("top bit lost", [0x09] + whole.dropFirst(), .wrongMagic),
    ("read as Latin-1, written as UTF-8", [0xC2] + whole, .wrongMagic),
    ("text", Array("# Notes\n".utf8), .wrongMagic),
    ("almost a pointer", Array("version https://git-lfs.github.com/".utf8), .wrongMagic),
    ("seven angles", Array("<<<<<<<".utf8), .wrongMagic),
    ("zeros", [UInt8](repeating: 0, count: 64), .wrongMagic),
  ]

  @Test(arguments: damaged)
  func damageHasItsName(name: String, bytes: [UInt8], error: FormatError) {
    #expect(throws: error) { try decode(bytes) }
    let first = Array(bytes.prefix(Recognition.byteCount))
    let damage = Recognition.damage(inFirst: first.span)
    #expect(damage == error)
  }

  @Test func partOfTheMagicIsACutFile() {
    for count in 1..<8 {
      let first = Array(Self.magic.prefix(count))
      let damage = Recognition.damage(inFirst: first.span)
      #expect(damage == nil)
      #expect(
        throws: FormatError.truncated(field: "magic", offset: 0, needed: 8, available: count)
      ) { try decode(first) }
    }
  }

  @Test func aWholeFileHasNoDamage() {
    let whole = Self.whole
    let damage = Recognition.damage(inFirst: whole.span)
    #expect(damage == nil)
  }
}
