import Testing
import VaultFormat

@Suite struct FormatErrorTests {
  static let descriptions: [(FormatError, String)] = [
    (.emptyFile, "the file is empty"),
    (.largeFilePointer, "the file is a large-file pointer, not the file itself"),
    (.mergeMarkers, "the file begins with merge markers"),
    (.utf16, "the file was converted to UTF-16"),
    (.textModeDamage, "line ends in the file were converted as if it were text"),
    (.wrongMagic, "the file does not begin as a file of a vault"),
    (
      .wrongKind(expected: .sealedFile, found: 2),
      "the file is of kind 2, not of kind 4 (sealed file)"
    ),
    (.newerVersion(found: 2), "made by a newer version (format version 2)"),
    (.newerSuite(found: 7), "made by a newer version (suite 7)"),
    (.newerFeature(found: 9), "made by a newer version (feature 9)"),
    (.unknownPurpose(found: 3), "the slot has an unknown purpose (3)"),
    (
      .truncated(field: "note id", offset: 12, needed: 16, available: 3),
      "'note id' at byte 12 needs 16 bytes but 3 remain"
    ),
    (
      .truncated(field: "kind", offset: 8, needed: 1, available: 0),
      "'kind' at byte 8 needs 1 byte but 0 remain"
    ),
    (.trailingBytes(offset: 88), "bytes follow at byte 88, where the end should be"),
    (
      .wrongByteCount(field: "label", offset: 4, allowed: 1...256, found: 257),
      "'label' at byte 4 has 257 bytes, not 1 to 256"
    ),
    (
      .wrongByteCount(field: "salt", offset: 4, allowed: 32...32, found: 1),
      "'salt' at byte 4 has 1 byte, not 32"
    ),
    (
      .wrongItemCount(field: "parents", offset: 1, allowed: 0...256, found: UInt64.max),
      "'parents' at byte 1 has 18446744073709551615 items, not 0 to 256"
    ),
    (
      .valueOutOfRange(field: "x", offset: 1, found: 127, allowed: 0...UInt64.max),
      "'x' at byte 1 is 127, not 0 to 18446744073709551615"
    ),
    (.integerTooLow(field: "modified", offset: 3), "'modified' at byte 3 is below -2^63"),
    (.nonZeroPadding(field: "box padding", offset: 9), "'box padding' at byte 9 is not zero"),
    (.nonShortest(field: "x", offset: 9), "'x' at byte 9 is not in its shortest form"),
    (
      .wrongType(field: "x", offset: 9, expected: .bytes, found: .text),
      "'x' at byte 9 is a text string, not a byte string"
    ),
    (
      .unsupportedItem(field: "x", offset: 9, initialByte: 0xF6),
      "'x' at byte 9 begins with byte 246, which the format does not use"
    ),
    (.tooDeep(field: "x", offset: 9), "'x' at byte 9 nests more than 8 deep"),
    (.notUTF8(field: "x", offset: 9), "'x' at byte 9 is not valid UTF-8"),
    (
      .keysNotAscending(field: "x", offset: 9, previous: 3, found: 2),
      "'x' at byte 9 has key 2 after key 3"
    ),
    (.unknownKey(field: "x", offset: 9, key: 12), "'x' at byte 9 has the unknown key 12"),
    (.missingKey(field: "salt", offset: 9, key: 2), "'salt' (key 2) is missing at byte 9"),
    (.notAscending(field: "x", offset: 9), "'x' at byte 9 is not above the item before it"),
    (
      .mismatch(field: "x", offset: 9, expected: 1, found: 2),
      "'x' at byte 9 is 2, where 1 belongs"
    ),
    (.emptyEntry(offset: 9), "the entry at byte 9 says nothing"),
    (.emptyMap(field: "x", offset: 9), "'x' at byte 9 is an empty map"),
    (.notACompanion(offset: 9), "the entry at byte 9 names no companion file"),
    (.unsafePath(.empty), "the path is empty"),
    (.unsafePath(.tooLong(byteCount: 8_193)), "the path has 8193 bytes, more than 8192"),
    (.unsafePath(.tooManyParts(count: 1_025)), "the path has 1025 parts, more than 1024"),
    (.unsafePath(.emptyPart), "the path has an empty part"),
    (.unsafePath(.partTooLong(byteCount: 256)), "the path has a part of 256 bytes, more than 255"),
    (.unsafePath(.dotPart), "the path has the part '.' or '..'"),
    (.unsafePath(.nulByte), "the path has a byte 00"),
  ]

  @Test(arguments: descriptions)
  func aDescriptionSaysWhatAndWhere(error: FormatError, description: String) {
    #expect("\(error)" == description)
  }
}
