/// Names what commonly happens to files of a vault instead of calling them malformed (spec §3.5).
package enum Recognition {
  private static let pointer = Array("version https://git-lfs.github.com/spec/".utf8)
  private static let markers = Array("<<<<<<< ".utf8)
  /// Both byte orders: after a byte order mark, and the whole magic without one.
  private static let utf16Starts: [[UInt8]] = [
    [0xFF, 0xFE, 0x89, 0x00], [0xFE, 0xFF, 0x00, 0x89],
    Array(Preamble.magic.map { [$0, 0] }.joined()), Array(Preamble.magic.map { [0, $0] }.joined()),
  ]

  /// How many bytes from the start of a file are enough to recognise it.
  package static let byteCount = 64

  /// What is wrong with a file that begins with `bytes`: damage that has a name, or `wrongMagic`;
  /// nil if it begins with the magic, or with as much of the magic as it has bytes. Looks at no more
  /// than the first `byteCount` bytes.
  package static func damage(inFirst bytes: Span<UInt8>) -> FormatError? {
    if bytes.isEmpty { return .emptyFile }
    let magic = Preamble.magic
    let common = min(bytes.count, magic.count)
    if begins(bytes, with: magic[..<common]) { return nil }
    if begins(bytes, with: pointer[...]) { return .largeFilePointer }
    if begins(bytes, with: markers[...]) { return .mergeMarkers }
    for start in utf16Starts where begins(bytes, with: start[...]) { return .utf16 }
    if begins(bytes, with: magic[..<4]) { return .textModeDamage }
    return .wrongMagic
  }

  private static func begins(_ bytes: Span<UInt8>, with start: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= start.count else { return false }
    for (index, byte) in start.enumerated() where bytes[index] != byte { return false }
    return true
  }
}
