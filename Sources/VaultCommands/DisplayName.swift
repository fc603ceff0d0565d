/// Bytes made safe and unambiguous for people to read: a name, a label or a hint from a vault.
///
/// Printable text stays as it is. Everything that could steer a terminal, reorder a line or hide
/// is escaped: bytes that are not valid UTF-8 and ASCII control bytes as `\xNN`, invisible and
/// unassigned characters as `\u{N}`, a backslash as `\\`.
package struct DisplayName: Hashable, Sendable {
  /// The escaped text, without quotes.
  package let text: String
  private let needsQuotes: Bool

  package init(_ bytes: [UInt8]) {
    var text = String.UnicodeScalarView()
    var needsQuotes = bytes.isEmpty
    var previous: Unicode.Scalar?
    var offset = 0
    while offset < bytes.count {
      guard let (scalar, byteCount) = Self.scalar(at: offset, of: bytes) else {
        text.append(contentsOf: Self.escaped(byte: bytes[offset]))
        previous = nil
        offset += 1
        continue
      }
      needsQuotes = needsQuotes || scalar.properties.generalCategory == .spaceSeparator
      if Self.isVisible(scalar, after: previous) {
        text.append(contentsOf: scalar == "\\" ? "\\\\".unicodeScalars : "\(scalar)".unicodeScalars)
      } else if scalar.isASCII {
        text.append(contentsOf: Self.escaped(byte: bytes[offset]))
      } else {
        text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      }
      previous = scalar
      offset += byteCount
    }
    self.text = String(text)
    self.needsQuotes = needsQuotes
  }

  package init(_ text: String) { self.init(Array(text.utf8)) }

  /// The text in single quotes, with a quote inside written `\'`.
  package var quoted: String {
    let inside = text.unicodeScalars.map { $0 == "'" ? "\\'" : String($0) }
    return "'\(inside.joined())'"
  }
}

extension DisplayName: CustomStringConvertible {
  /// The text, in quotes only if it is empty or holds a space.
  package var description: String { needsQuotes ? quoted : text }
}

extension DisplayName {
  private static func scalar(
    at offset: Int, of bytes: [UInt8]
  ) -> (scalar: Unicode.Scalar, byteCount: Int)? {
    let byteCount =
      switch bytes[offset] {
      case 0x00..<0x80: 1
      case 0xC2..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF5: 4
      default: 0
      }
    guard byteCount > 0, offset + byteCount <= bytes.count else { return nil }
    let text = String(validating: bytes[offset..<(offset + byteCount)], as: UTF8.self)
    return text?.unicodeScalars.first.map { ($0, byteCount) }
  }

  private static func escaped(byte: UInt8) -> String.UnicodeScalarView {
    let digits = String(byte, radix: 16)
    return (digits.count == 1 ? "\\x0\(digits)" : "\\x\(digits)").unicodeScalars
  }

  /// Joiners and variation selectors are invisible, but belong to emoji that follow an emoji.
  private static func isVisible(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      return false
    default:
      break
    }
    guard properties.isDefaultIgnorableCodePoint || properties.generalCategory == .format else {
      return true
    }
    guard scalar == "\u{200D}" || scalar == "\u{FE0E}" || scalar == "\u{FE0F}", let previous
    else { return false }
    return previous == "\u{FE0F}" || (previous.properties.isEmoji && !previous.isASCII)
  }
}
