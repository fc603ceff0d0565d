import Testing
import VaultFormat
import VaultStore

@testable import VaultCommands

/// The file of a policy (spec/command-line.md "Policy").
@Suite struct PolicyFileTests {
  private let fingerprint = "0f4e5142604d6271b8fe275c109a7c651d63b24d8d280b7d21848df83c66abde"

  private func policy(_ text: String) throws -> VerifyPolicy {
    try PolicyFile(Array(text.utf8)).policy
  }

  private var whole: VerifyPolicy {
    var policy = VerifyPolicy()
    policy.minimumIterations = 800_000
    policy.maximumFileByteCount = 104_857_600
    policy.requiresPadding = true
    policy.requiresCompanionsUnchanged = true
    policy.signers = [SignerKey(hex: Array(fingerprint.utf8).span)].compactMap(\.self)
    return policy
  }

  @Test func bothFormsSayTheSame() throws {
    let table = """
      # what we ask for
      min-iterations = 800_000   # as of 2026
      max-file-size = "100M"

      require-padding=true
      'companions-unchanged' = true
      "signers" = [ # one so far
        '\(fingerprint)',
      ]
      """
    let object = """
       {"min-iterations": 800000, "max-file-size": "100M", "require-padding": true,
        "companions-unchanged": true, "signers": ["\(fingerprint)"]}
      """
    #expect(try policy(table) == whole)
    #expect(try policy(object) == whole)
    #expect(try policy(table.replacing("\n", with: "\r\n") + "\r\n") == whole)
    #expect(try policy(object.replacing("\n", with: "\r\n")) == whole)
    #expect(try policy("\u{FEFF}" + table) == whole)
    #expect(try policy("\u{FEFF}" + object) == whole)
  }

  @Test func anEmptyPolicyAsksForNothing() throws {
    for text in ["", "\n\n", "# nothing", "{}", " { \n } \n"] {
      #expect(try policy(text) == VerifyPolicy(), "\(text)")
    }
    #expect(try policy("require-padding = false") == VerifyPolicy())
  }

  @Test(arguments: [
    ("100", 100), ("0", 0), ("1K", 1_024), ("1KiB", 1_024), ("1KB", 1_000), ("3M", 3_145_728),
    ("2MB", 2_000_000), ("1G", 1_073_741_824), ("1GB", 1_000_000_000),
    ("9223372036854775807", 9_223_372_036_854_775_807),
  ])
  func sizesHaveTheUnitsOfGNUTools(_ text: String, _ byteCount: UInt64) throws {
    #expect(VerifyNumber.byteCount(Array(text.utf8)) == byteCount)
    #expect(try policy("max-file-size = \"\(text)\"").maximumFileByteCount == byteCount)
  }

  @Test(arguments: [
    "", "K", "1k", "1 K", "-1", "+1", "01", "1.5M", "1T", "0x10", "1e3", "9223372036854775808",
    "99999999999G", "18446744073709551616", "1KK", "١",
  ])
  func whatIsNoSizeIsRefused(_ text: String) {
    #expect(VerifyNumber.byteCount(Array(text.utf8)) == nil)
    #expect(throws: PolicyFile.Failure.self) { try policy("max-file-size = \"\(text)\"") }
  }

  /// A slip of the pen must never weaken a policy: each of these is refused, with its line.
  @Test(arguments: [
    ("min-iteration = 1", 1), ("\n\nmin_iterations = 1", 3), ("Min-Iterations = 1", 1),
    ("require-padding = True", 1), ("require-padding = \"true\"", 1), ("require-padding = 1", 1),
    ("require-padding", 1), ("require-padding =", 1), ("require-padding = true false", 1),
    ("require-padding = true\nrequire-padding = false", 2), ("[table]\nrequire-padding = true", 1),
    ("signers = []", 1), ("signers = \"ab\"", 1), ("signers = [\"ab\"]", 1),
    ("signers = [[\"ab\"]]", 1), ("signers = [1]", 1), ("signers = [\"ab\"", 1),
    ("min-iterations = 800.000", 1), ("min-iterations = 0800000", 1),
    ("min-iterations = 8__0", 1), ("min-iterations = _8", 1), ("min-iterations = -1", 1),
    ("min-iterations = 4294967296", 1), ("min-iterations = \"800000\"", 1),
    ("min-iterations = 1 = 2", 1), ("min-iterations = 1; require-padding = true", 1),
    ("max-file-size = 1M", 1), ("max-file-size = 'a\\x'", 1), ("max-file-size = \"1M", 1),
    ("max-file-size = \"1\nM\"", 1), ("a.b = 1", 1), ("= 1", 1), ("\u{0}", 1), ("\r", 1),
    ("{\"min-iterations\": 1", 1), ("{\"min-iterations\": 1,}", 1), ("{\"min-iterations\" 1}", 1),
    ("{min-iterations: 1}", 1), ("{'min-iterations': 1}", 1), ("{\n\"unknown\": 1}", 2),
    ("{\"min-iterations\": 1}\nx", 2), ("{\"min-iterations\": 8_0}", 1), ("{} {}", 1), ("{", 1),
    ("{\"min-iterations\": 1, # no\n}", 1), ("{\"signers\": [\"ab\",]}", 1),
    ("{\"min-iterations\": 1, \"min-iterations\": 1}", 1), ("{\"min-iterations\": {}}", 1),
    ("{\"min-iterations\": null}", 1), ("{\"min-iterations\": 1e9}", 1), ("[]", 1), ("true", 1),
  ])
  func whatIsNotUnderstoodIsRefusedWithItsLine(_ text: String, _ line: Int) {
    #expect {
      try policy(text)
    } throws: {
      ($0 as? PolicyFile.Failure)?.line == line
    }
  }

  @Test func anUnknownKeyHasASuggestion() {
    #expect(
      throws: PolicyFile.Failure(
        line: 1, reason: "unknown key 'min-iteration'", hint: "did you mean 'min-iterations'?")
    ) { try policy("min-iteration = 1") }
    #expect(
      throws: PolicyFile.Failure(
        line: 1, reason: "unknown key 'zzz'",
        hint: "there are: min-iterations, max-file-size, require-padding, signers, "
          + "companions-unchanged")
    ) { try policy("zzz = 1") }
  }

  /// Whatever bytes a file has: a policy or a refusal, and no trap.
  @Test func everyPrefixAndEveryByteIsTakenOrRefused() throws {
    let text = Array("min-iterations = 1\nsigners = [\"\(fingerprint)\", 'x'] # c\n".utf8)
    for end in text.indices { _ = try? PolicyFile(Array(text[..<end])) }
    for index in text.indices {
      for byte: UInt8 in [0, 9, 10, 13, 32, 34, 35, 39, 44, 61, 91, 92, 93, 123, 125, 128, 255] {
        var changed = text
        changed[index] = byte
        _ = try? PolicyFile(changed)
      }
    }
    // Depth costs nothing: nothing nests.
    let deep = Array(String(repeating: "[", count: 60_000).utf8)
    #expect(throws: PolicyFile.Failure.self) { try PolicyFile(Array("signers = ".utf8) + deep) }
  }

  @Test func theStricterOfBothCounts() throws {
    let first = try policy("min-iterations = 5\nmax-file-size = 10\nrequire-padding = true")
    let second = try policy("min-iterations = 7\nmax-file-size = 20\ncompanions-unchanged = true")
    for joined in [first.joined(with: second), second.joined(with: first)] {
      #expect(joined.minimumIterations == 7)
      #expect(joined.maximumFileByteCount == 10)
      #expect(joined.requiresPadding && joined.requiresCompanionsUnchanged)
    }
    #expect(first.joined(with: VerifyPolicy()) == first)
    #expect(VerifyPolicy().joined(with: first) == first)
  }
}
