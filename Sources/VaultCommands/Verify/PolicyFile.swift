import VaultFormat
import VaultStore

/// A policy as it stands in a file: flat TOML or a flat JSON object (spec/command-line.md "Policy"). What is not
/// understood is refused: a slip of the pen must never weaken a policy.
struct PolicyFile {
  /// What is wrong with it, and in which line, counted from 1.
  struct Failure: Error, Equatable {
    let line: Int
    let reason: String
    var hint: String?
  }

  /// The most bytes of a policy.
  static let maximumByteCount = 65_536

  enum Key: String, CaseIterable {
    case minIterations = "min-iterations"
    case maxFileSize = "max-file-size"
    case requirePadding = "require-padding"
    case signers
    case companionsUnchanged = "companions-unchanged"
  }

  private(set) var policy = VerifyPolicy()
  private var seen: Set<Key> = []

  init(_ bytes: [UInt8]) throws(Failure) {
    var text = PolicyText(bytes)
    let items = try text.isObject ? text.object() : text.table()
    for item in items { try take(item) }
  }

  private mutating func take(_ item: PolicyText.Item) throws(Failure) {
    guard let key = Key.allCases.first(where: { $0.rawValue.utf8.elementsEqual(item.key) }) else {
      let nearest = nearestName(to: item.key, among: Key.allCases.map(\.rawValue))
      throw Failure(
        line: item.line, reason: "unknown key \(DisplayName(item.key).quoted)",
        hint: nearest.map { "did you mean '\($0)'?" }
          ?? "there are: \(Key.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    guard seen.insert(key).inserted else {
      throw Failure(line: item.line, reason: "'\(key.rawValue)' stands there twice")
    }
    func refusal(_ expected: String) -> Failure {
      Failure(line: item.line, reason: "'\(key.rawValue)' needs \(expected)")
    }
    switch (key, item.value) {
    case (.minIterations, .integer(let number)):
      guard let number = UInt32(exactly: number) else { throw refusal("a smaller number") }
      policy.minimumIterations = number
    case (.maxFileSize, .integer(let number)):
      policy.maximumFileByteCount = number
    case (.maxFileSize, .text(let text)):
      guard let number = VerifyNumber.byteCount(text) else { throw refusal(Self.byteCountForm) }
      policy.maximumFileByteCount = number
    case (.requirePadding, .boolean(let isSet)):
      policy.requiresPadding = isSet
    case (.companionsUnchanged, .boolean(let isSet)):
      policy.requiresCompanionsUnchanged = isSet
    case (.signers, .list(let texts)):
      for text in texts {
        guard let signer = SignerKey(hex: text.span) else {
          throw refusal("fingerprints of 64 lower-case hex digits")
        }
        policy.signers.append(signer)
      }
      // No signer at all could be meant as "any" or as "none".
      if texts.isEmpty { throw refusal("at least one fingerprint") }
    case (.minIterations, _): throw refusal("a whole number")
    case (.maxFileSize, _): throw refusal(Self.byteCountForm)
    case (.requirePadding, _), (.companionsUnchanged, _): throw refusal("true or false")
    case (.signers, _): throw refusal("a list of fingerprints: [\"…\", \"…\"]")
    }
  }

  private static let byteCountForm = "a number of bytes, or a text such as \"100M\""
}

extension PolicyFile.Failure {
  /// One line about it.
  func text(in path: [UInt8]) -> String { "\(DisplayName(path)), line \(line): \(reason)" }
}
