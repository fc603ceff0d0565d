import Testing
import VaultTestSupport

@testable import VaultSealing

/// One case of `fixtures/vectors/passphrase/cases.json`.
struct PassphraseVector: Decodable, CustomTestStringConvertible {
  let comment: String
  let mode: String
  let input: HexBytes
  let expect: PassphraseExpectation

  var testDescription: String { "\(comment), \(mode)" }

  var purpose: PassphrasePreparation.Purpose? {
    switch mode {
    case "setting": .setting
    case "opening": .opening
    default: nil
    }
  }

  static func all() throws -> [Self] {
    struct File: Decodable { let count: Int, cases: [PassphraseVector] }
    let file: File = try Fixtures.json("vectors/passphrase/cases.json")
    try #require(file.cases.count == file.count && file.count > 300)
    return file.cases
  }
}

/// One case of `fixtures/vectors/passphrase/files.json`.
struct PassphraseFileVector: Decodable, CustomTestStringConvertible {
  let comment: String
  let content: HexBytes
  let expect: PassphraseExpectation

  var testDescription: String { comment }

  static func all() throws -> [Self] {
    struct File: Decodable { let count: Int, files: [PassphraseFileVector] }
    let file: File = try Fixtures.json("vectors/passphrase/files.json")
    try #require(file.files.count == file.count && file.count > 20)
    return file.files
  }
}

/// The bytes or the error that a case expects.
struct PassphraseExpectation: Decodable {
  private let prepared: HexBytes?
  private let line: HexBytes?
  private let error: String?
  private let offset: Int?
  private let position: Int?
  private let found: Int?
  private let limit: Int?

  /// The expected bytes, or nil where an error is expected.
  var bytes: [UInt8]? { (prepared ?? line)?.bytes }

  /// The expected error; fails for one that the tests do not know.
  func expectedError() throws -> PassphraseError {
    switch try #require(error) {
    case "empty": .empty
    case "invalidUTF8": .invalidUTF8(offset: try #require(offset))
    case "tooLong": .tooLong(found: try #require(found), limit: try #require(limit))
    case "controlCharacter": .controlCharacter(position: try #require(position))
    case "unassigned": .unassigned(position: try #require(position))
    case "secondLine": .secondLine
    case "strayCarriageReturn": .strayCarriageReturn(offset: try #require(offset))
    case "byteOrderMark": .byteOrderMark
    case let other: throw FixtureError.malformed(path: "passphrase", reason: other)
    }
  }
}
