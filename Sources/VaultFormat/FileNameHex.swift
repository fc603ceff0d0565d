/// The names of the files in a vault: an id in lower-case hex and an ending (spec §2).
package enum FileNameHex {
  private static let sealed = Array(".sealed".utf8)
  private static let segment = Array(".seg".utf8)
  private static let slot = Array(".slot".utf8)

  /// The note id in `<32 hex>.sealed`; nil for any other name.
  package static func noteID(_ name: [UInt8]) -> NoteID? {
    stem(of: name, before: sealed).flatMap { NoteID(hex: $0.span) }
  }

  /// The segment id in `<32 hex>.seg`; nil for any other name.
  package static func segmentID(_ name: [UInt8]) -> SegmentID? {
    stem(of: name, before: segment).flatMap { SegmentID(hex: $0.span) }
  }

  /// The locator in `<64 hex>.slot`; nil for any other name.
  package static func locator(_ name: [UInt8]) -> Locator? {
    stem(of: name, before: slot).flatMap { Locator(hex: $0.span) }
  }

  /// The first byte of the note ids in the folder `<2 hex>` of `notes/`; nil for any other name.
  package static func folderByte(_ name: [UInt8]) -> UInt8? {
    guard name.count == 2, let high = Hex.value(name[0]), let low = Hex.value(name[1]) else {
      return nil
    }
    return high << 4 | low
  }

  /// `<32 hex>.sealed`.
  package static func name(of id: NoteID) -> [UInt8] { Array(id.hex.utf8) + sealed }

  /// `<32 hex>.seg`.
  package static func name(of id: SegmentID) -> [UInt8] { Array(id.hex.utf8) + segment }

  /// `<64 hex>.slot`.
  package static func name(of locator: Locator) -> [UInt8] { Array(locator.hex.utf8) + slot }

  /// `<2 hex>`, the folder in `notes/` of a sealed file.
  package static func folder(of id: NoteID) -> [UInt8] { Array(id.hex.utf8.prefix(2)) }

  private static func stem(of name: [UInt8], before ending: [UInt8]) -> [UInt8]? {
    name.count > ending.count && name.suffix(ending.count) == ending[...]
      ? Array(name.dropLast(ending.count)) : nil
  }
}
