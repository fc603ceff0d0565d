internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// Names what happened to a companion, which is text and has no magic (spec §3.5).
enum VerifyText {
  /// A finding about changed bytes, with the code that says what changed them where that can be told.
  static func recognised(_ finding: Finding, _ bytes: [UInt8], _ register: Register) -> Finding {
    guard let cause = cause(bytes, register) else { return finding }
    return Finding(
      Finding.Code(cause), finding.path, "\(cause)", expected: finding.expected,
      found: finding.found)
  }

  private static func cause(_ bytes: [UInt8], _ register: Register) -> FormatError? {
    if bytes.isEmpty { return .emptyFile }
    if Recognition.damage(inFirst: bytes.span.extracting(first: Recognition.byteCount))
      == .largeFilePointer
    {
      return .largeFilePointer
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return .utf16 }
    if hasMergeMarkers(bytes) { return .mergeMarkers }
    return isListed(withOtherLineEnds(bytes), register) ? .textModeDamage : nil
  }

  /// Whether a line begins as git begins the first side of a conflict.
  private static func hasMergeMarkers(_ bytes: [UInt8]) -> Bool {
    bytes.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: "<<<<<<< ".utf8) }
  }

  private static func isListed(_ bytes: [UInt8], _ register: Register) -> Bool {
    // Where libcrypto fails the file stays "changed", which it is.
    guard let digest = try? Digest(SHA256.digest(bytes.span)) else { return false }
    return register.current.contains(.file(digest, byteCount: UInt64(bytes.count)))
  }

  /// CR LF becomes LF; where there is none, LF becomes CR LF.
  private static func withOtherLineEnds(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 64)
    let hasReturns = bytes.contains(UInt8(ascii: "\r"))
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "\r")
      where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"):
        continue
      case UInt8(ascii: "\n") where !hasReturns:
        result += [UInt8(ascii: "\r"), byte]
      default:
        result.append(byte)
      }
    }
    return result
  }
}
