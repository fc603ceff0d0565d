import FoundationEssentials

/// Reports as JSON: one object and a newline, with keys in a fixed order. A property `sealedBytes`
/// becomes the field `sealed_bytes`.
package enum JSONText {
  /// The bytes of a report.
  ///
  /// - Throws: `notEncodable` for a number that JSON cannot hold.
  package static func encode(_ report: some Encodable) throws(OutputError) -> [UInt8] {
    try encode(report, .convertToSnakeCase)
  }

  /// The bytes of a document of another format than our own, whose fields are called as the properties are.
  ///
  /// - Throws: as `encode`.
  package static func encodeAsNamed(_ document: some Encodable) throws(OutputError) -> [UInt8] {
    try encode(document, .useDefaultKeys)
  }

  private static func encode(
    _ report: some Encodable, _ keys: JSONEncoder.KeyEncodingStrategy
  ) throws(OutputError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = keys
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(report)) + [UInt8(ascii: "\n")]
    } catch {
      throw .notEncodable("\(error)")
    }
  }
}

/// A path inside a JSON object: the field `path` if the bytes are valid UTF-8, else `path_hex`.
///
/// An object that has a path calls `try path.encode(to: encoder)` beside its own container: both
/// fill the same object.
package struct JSONPath: Encodable, Hashable, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  private enum Key: String, CodingKey {
    case path
    case hex = "path_hex"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    if let text = String(validating: bytes, as: UTF8.self) {
      try container.encode(text, forKey: .path)
    } else {
      try container.encode(JSONText.hex(bytes), forKey: .hex)
    }
  }
}

extension JSONText {
  /// Bytes as lower-case hexadecimal digits.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }
}
