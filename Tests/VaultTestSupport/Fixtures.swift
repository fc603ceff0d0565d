package import Foundation

/// What went wrong while a test looked for its data. A test that finds none must fail, never pass.
package enum FixtureError: Error, Equatable {
  /// No readable file under `fixtures/` has that path.
  case missing(path: String)
  /// The file is there, and not what the test expects of it.
  case malformed(path: String, reason: String)
  /// The text is not an even number of hexadecimal digits.
  case notHexadecimal(String)
}

/// Loads what lies in the repository's `fixtures/` folder.
package enum Fixtures {
  /// The folder itself, found from where this source file lies.
  package static let folder = URL(filePath: #filePath, directoryHint: .notDirectory)
    .deletingLastPathComponent()  // Tests/VaultTestSupport
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()
    .appending(path: "fixtures", directoryHint: .isDirectory)

  /// Where `path`, relative to `fixtures/`, lies on disk.
  package static func url(_ path: String) -> URL { folder.appending(path: path) }

  /// The bytes of a file.
  /// - Throws: `missing`.
  package static func bytes(_ path: String) throws(FixtureError) -> [UInt8] {
    do { return [UInt8](try Data(contentsOf: url(path))) } catch { throw .missing(path: path) }
  }

  /// The lines of a UTF-8 text file, without their line feeds.
  /// - Throws: `missing`; `malformed` for a file that is not UTF-8.
  package static func lines(_ path: String) throws(FixtureError) -> [String] {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw .malformed(path: path, reason: "not UTF-8")
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// A JSON file as a value.
  /// - Throws: `missing`, `malformed`.
  package static func json<Value: Decodable>(
    _ path: String, as _: Value.Type = Value.self
  ) throws(FixtureError) -> Value {
    let bytes = try bytes(path)
    do { return try JSONDecoder().decode(Value.self, from: Data(bytes)) } catch {
      throw .malformed(path: path, reason: String(describing: error))
    }
  }
}

extension [UInt8] {
  /// Decodes hexadecimal digits of either case.
  /// - Throws: `notHexadecimal`.
  package init(hex text: String) throws(FixtureError) {
    let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { throw .notHexadecimal(text) }
    self.init()
    reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else {
        throw .notHexadecimal(text)
      }
      append(UInt8(high << 4 | low))
    }
  }

  /// The bytes as lower-case hexadecimal digits.
  package var hex: String {
    let digits = [UInt8]("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// A hexadecimal string of a JSON file, decoded.
package struct HexBytes: Decodable, Equatable, Sendable {
  /// The bytes.
  package let bytes: [UInt8]

  package init(from decoder: any Decoder) throws {
    bytes = try [UInt8](hex: try decoder.singleValueContainer().decode(String.self))
  }
}
