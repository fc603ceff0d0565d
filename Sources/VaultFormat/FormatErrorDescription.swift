extension FormatError: CustomStringConvertible {
  /// What is wrong and where: lower case, without a full stop, without advice.
  package var description: String {
    switch self {
    case .emptyFile: "the file is empty"
    case .largeFilePointer: "the file is a large-file pointer, not the file itself"
    case .mergeMarkers: "the file begins with merge markers"
    case .utf16: "the file was converted to UTF-16"
    case .textModeDamage: "line ends in the file were converted as if it were text"
    case .wrongMagic: "the file does not begin as a file of a vault"
    case .wrongKind(let expected, let found):
      "the file is of kind \(found), not of kind \(expected.rawValue) (\(expected))"
    case .newerVersion(let found): "made by a newer version (format version \(found))"
    case .newerSuite(let found): "made by a newer version (suite \(found))"
    case .newerFeature(let found): "made by a newer version (feature \(found))"
    case .unknownPurpose(let found): "the slot has an unknown purpose (\(found))"
    case .truncated(let field, let offset, let needed, let available):
      "'\(field)' at byte \(offset) needs \(plural(needed, "byte")) but \(remain(available))"
    case .trailingBytes(let offset): "bytes follow at byte \(offset), where the end should be"
    case .wrongByteCount(let field, let offset, let allowed, let found):
      "'\(field)' at byte \(offset) has \(plural(found, "byte")), not \(text(allowed))"
    case .wrongItemCount(let field, let offset, let allowed, let found):
      "'\(field)' at byte \(offset) has \(plural(found, "item")), not \(text(allowed))"
    case .valueOutOfRange(let field, let offset, let found, let allowed):
      "'\(field)' at byte \(offset) is \(found), not \(text(allowed))"
    case .integerTooLow(let field, let offset): "'\(field)' at byte \(offset) is below -2^63"
    case .nonZeroPadding(let field, let offset): "'\(field)' at byte \(offset) is not zero"
    case .nonShortest(let field, let offset):
      "'\(field)' at byte \(offset) is not in its shortest form"
    case .wrongType(let field, let offset, let expected, let found):
      "'\(field)' at byte \(offset) is \(found.description), not \(expected.description)"
    case .unsupportedItem(let field, let offset, let initialByte):
      "'\(field)' at byte \(offset) begins with byte \(initialByte), which the format does not use"
    case .tooDeep(let field, let offset):
      "'\(field)' at byte \(offset) nests more than \(Limits.nesting) deep"
    case .notUTF8(let field, let offset): "'\(field)' at byte \(offset) is not valid UTF-8"
    case .keysNotAscending(let field, let offset, let previous, let found):
      "'\(field)' at byte \(offset) has key \(found) after key \(previous)"
    case .unknownKey(let field, let offset, let key):
      "'\(field)' at byte \(offset) has the unknown key \(key)"
    case .missingKey(let field, let offset, let key):
      "'\(field)' (key \(key)) is missing at byte \(offset)"
    case .notAscending(let field, let offset):
      "'\(field)' at byte \(offset) is not above the item before it"
    case .mismatch(let field, let offset, let expected, let found):
      "'\(field)' at byte \(offset) is \(found), where \(expected) belongs"
    case .emptyEntry(let offset): "the entry at byte \(offset) says nothing"
    case .emptyMap(let field, let offset): "'\(field)' at byte \(offset) is an empty map"
    case .repeatedSigner(let offset):
      "the predecessors at byte \(offset) name a signer twice"
    case .notACompanion(let offset): "the entry at byte \(offset) names no companion file"
    case .unsafePath(let fault): "the path \(fault)"
    }
  }

  private func plural(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  private func remain(_ count: Int) -> String {
    count == 1 ? "1 remains" : "\(count) remain"
  }

  private func text(_ allowed: ClosedRange<UInt64>) -> String {
    allowed.lowerBound == allowed.upperBound
      ? "\(allowed.lowerBound)" : "\(allowed.lowerBound) to \(allowed.upperBound)"
  }
}
