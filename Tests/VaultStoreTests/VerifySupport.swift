import Foundation
import Testing
import VaultCrypto
import VaultFormat
import VaultSealing
import VaultTestSupport

@testable import VaultStore

/// A copy of a vault that ships as a fixture, to be damaged at will.
struct VaultCopy: ~Copyable {
  let temporary: TemporaryFolder
  let name: String

  struct Failed: Error {}

  init(_ name: String) throws {
    let temporary = try TemporaryFolder()
    let from = Fixtures.url("vaults/v1/\(name)/vault").path(percentEncoded: false)
    guard TemporaryFolder.run(["/bin/cp", "-R", from, temporary.path(of: "vault")]) == 0 else {
      throw Failed()
    }
    self.temporary = temporary
    self.name = name
  }

  var path: String { temporary.path(of: "vault") }

  func path(_ file: String) -> String { path + "/" + file }

  func read(_ file: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(file))))
  }

  func write(_ file: String, _ bytes: [UInt8]) throws {
    let url = URL(filePath: path(file))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func change(_ file: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try read(file)
    change(&bytes)
    try write(file, bytes)
  }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(atPath: path(file))
  }

  /// Puts an earlier version of a file back, from the fixture's folder `older`.
  func restoreOlder(_ file: String) throws {
    try write(file, try Fixtures.bytes("vaults/v1/\(name)/older/\(file)"))
  }

  /// All files of the vault in bytewise order, below a folder or everywhere.
  func files(in folder: String = "") throws -> [String] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: path(folder))
    let files = try names.filter { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: path(folder) + "/" + name)
      return attributes[.type] as? FileAttributeType != .typeDirectory
    }
    return files.map { folder.isEmpty ? $0 : folder + "/" + $0 }.sorted()
  }

  func verify(pins: [SignerKey] = [], workerCount: Int = 2) throws -> VerifyReport {
    let options = VerifyOptions(pins: pins, bounds: .standard, workerCount: workerCount)
    return try Verification(path: bytes(path), options: options).run(
      progress: .silent, keys: nil)
  }

  /// The codes and paths that keyless verification reports, notes left out.
  func findings() throws -> [Reported] {
    try verify().findings.filter { $0.severity != .note }.map(Reported.init)
  }
}

/// A finding by what is promised of it.
struct Reported: Hashable, Comparable, CustomStringConvertible, Decodable {
  let code: String
  let path: String

  private enum CodingKeys: String, CodingKey { case code, path }

  init(_ code: Finding.Code, _ path: String) {
    self.code = code.rawValue
    self.path = path
  }

  init(_ finding: Finding) {
    self.init(finding.code, String(decoding: finding.path, as: UTF8.self))
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    code = try container.decode(String.self, forKey: .code)
    path = try container.decodeIfPresent(String.self, forKey: .path) ?? ""
  }

  var description: String { "\(code) \(path)" }

  static func < (first: Reported, second: Reported) -> Bool {
    (first.path, first.code) < (second.path, second.code)
  }
}

/// What `expected.json` of a fixture says.
struct ExpectedVault: Decodable {
  struct Note: Decodable {
    let id: String
    let sealedByteCount: UInt64
  }

  struct Second: Decodable {
    let passphrase: String
    let signer: String
    let notes: [Note]
  }

  let findings: [Reported]
  let unlockedFindings: [Reported]?
  let passphrase: String
  let phrase: String
  let signer: String
  let segments: [String]
  let notes: [Note]
  let second: Second?

  static func load(_ name: String) throws -> ExpectedVault {
    try Fixtures.json("vaults/v1/\(name)/expected.json")
  }

  private enum CodingKeys: String, CodingKey {
    case findings, unlockedFindings, passphrase, phrase, signer, segments, notes, second
  }
}

/// Vaults that ship as fixtures.
let fixtureVaults = [
  "basic", "conflict", "later-keys", "merged", "missing-segment", "two-compartments",
  "unfinished-commit",
]

/// A signer from its fingerprint.
func signer(_ fingerprint: String) throws -> SignerKey {
  let key = SignerKey(hex: bytes(fingerprint).span)
  return try #require(key)
}
