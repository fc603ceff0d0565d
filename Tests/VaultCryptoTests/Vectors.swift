import VaultCrypto
import VaultTestSupport

/// A file of third-party vectors, as `fixtures/vectors/README.md` describes it.
struct Vectors<Vector: KnownAnswer>: Decodable {
  let tests: [Vector]

  /// Loads the file and prints what is in it, so that a run shows how much was checked.
  static func load(_ path: String) throws -> [Vector] {
    let tests = try Fixtures.json("vectors/\(path)", as: Vectors<Vector>.self).tests
    let valid = tests.count { $0.result == .valid }
    print("\(path): \(tests.count) vectors, \(valid) valid, \(tests.count - valid) invalid")
    return tests
  }
}

/// One vector: whether it must work is written in it.
protocol KnownAnswer: Decodable, Sendable {
  var result: Verdict { get }
}

/// What a vector's author expects of an implementation.
enum Verdict: String, Decodable {
  case valid, invalid
}

/// Copies lent bytes out; only tests may do that to a secret.
func copy(_ bytes: Span<UInt8>) -> [UInt8] { bytes.indices.map { bytes[$0] } }

/// Copies a secret out, which only tests may do.
func copy(_ secret: borrowing SecretBytes) -> [UInt8] { secret.withBytes { copy($0) } }
