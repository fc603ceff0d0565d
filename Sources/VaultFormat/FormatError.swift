/// Why bytes are not what the format allows, as facts. Offsets are bytes from the start of the file
/// or of the decrypted part that was decoded; no case holds a secret or decrypted text.
package enum FormatError: Error, Equatable, Sendable {
  // MARK: Recognised damage (spec §3.5)

  /// The file has no bytes.
  case emptyFile
  /// The file is a placeholder of git's large file storage.
  case largeFilePointer
  /// The file begins with the markers of an unfinished merge.
  case mergeMarkers
  /// The file was converted to UTF-16.
  case utf16
  /// Line ends were converted as if the file were text.
  case textModeDamage
  /// The file begins with something else than the magic.
  case wrongMagic

  // MARK: Other versions and other files (spec §3.1)

  /// The file is of another kind than its place asks for.
  case wrongKind(expected: FileKind, found: UInt8)
  /// The file was made by a newer version of the format.
  case newerVersion(found: UInt8)
  /// The file uses an algorithm suite of a newer version.
  case newerSuite(found: UInt8)
  /// The segment needs a feature of a newer version.
  case newerFeature(found: UInt64)
  /// The slot serves a purpose of a newer version; it is passed over with a note.
  case unknownPurpose(found: UInt64)

  // MARK: Bytes

  /// A field needs more bytes than remain; `needed` is at most `Int.max`.
  case truncated(field: String, offset: Int, needed: Int, available: Int)
  /// Bytes follow where the value ends.
  case trailingBytes(offset: Int)
  /// A byte string, text or part has a byte count outside what is allowed.
  case wrongByteCount(field: String, offset: Int, allowed: ClosedRange<UInt64>, found: UInt64)
  /// An array has an item count outside what is allowed.
  case wrongItemCount(field: String, offset: Int, allowed: ClosedRange<UInt64>, found: UInt64)
  /// A number is outside what is allowed.
  case valueOutOfRange(field: String, offset: Int, found: UInt64, allowed: ClosedRange<UInt64>)
  /// A negative integer is below -2^63.
  case integerTooLow(field: String, offset: Int)
  /// A byte of padding is not zero.
  case nonZeroPadding(field: String, offset: Int)

  // MARK: CBOR (spec §3.2, §3.3)

  /// A value is not written in its shortest form.
  case nonShortest(field: String, offset: Int)
  /// A value is of another type.
  case wrongType(field: String, offset: Int, expected: CBOR.ItemType, found: CBOR.ItemType)
  /// A tag, float, null, indefinite length or reserved form.
  case unsupportedItem(field: String, offset: Int, initialByte: UInt8)
  /// Arrays and maps nest deeper than allowed.
  case tooDeep(field: String, offset: Int)
  /// A text is not valid UTF-8.
  case notUTF8(field: String, offset: Int)
  /// A map key is equal to the one before it or lower.
  case keysNotAscending(field: String, offset: Int, previous: UInt64, found: UInt64)
  /// A map key below 128 has no meaning there.
  case unknownKey(field: String, offset: Int, key: UInt64)
  /// A map ends, or goes on with a higher key, where a key is required.
  case missingKey(field: String, offset: Int, key: UInt64)

  // MARK: Relations

  /// An item of a list is equal to the one before it or lower.
  case notAscending(field: String, offset: Int)
  /// Two numbers that must agree do not.
  case mismatch(field: String, offset: Int, expected: UInt64, found: UInt64)
  /// An index entry states nothing, supersedes nothing and has no place (spec §7.1).
  case emptyEntry(offset: Int)
  /// An optional map is there without a key.
  case emptyMap(field: String, offset: Int)
  /// A signer stands twice in the line of a hand-over (spec §7.5).
  case repeatedSigner(offset: Int)
  /// The id of a companion is none of the names of spec §2.
  case notACompanion(offset: Int)
  /// A path may not be used (spec §8.3).
  case unsafePath(PathFault)
}
