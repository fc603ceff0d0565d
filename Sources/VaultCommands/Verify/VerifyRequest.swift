import VaultFormat
import VaultStore

/// What a command line asks of `verify`.
struct VerifyRequest {
  static let vault = OperandSpec("VAULT")
  private static let signer = OptionSpec.value(
    "signer", "FINGERPRINT", repeatable: true,
    help: "The vault must be signed by this key, 64 hex digits as 'vaulttool signer' prints them. "
      + "With several compartments, name each signer.")
  private static let unlock = OptionSpec.flag(
    "unlock", help: "Also decrypt every note and compare it with the index; needs the secret.")
  private static let format = OptionSpec.value(
    "format", "FORMAT",
    help:
      "How to print the report: \(VerifyFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  private static let json = OptionSpec.flag("json", help: "The same as '--format json'.")
  private static let jobs = OptionSpec.value(
    "jobs", "N", help: "Threads to use, 1 to 256; all cores if not given.")
  private static let shard = OptionSpec.value(
    "shard", "I/N",
    help: "Check all but the notes, and of these the part I of N, so that N machines can share a "
      + "vault; 1/1 to 256/256.")
  private static let quiet = OptionSpec.flag("quiet", short: "q", help: "Print only findings.")

  static let options =
    [signer, unlock] + VerifyGitRequest.options + VerifyPolicyOptions.options
    + [shard, jobs, format, json, quiet] + VerifyRepair.options
    + SecretSources.severalOptions

  /// The vault, as it was named.
  let path: [UInt8]
  /// What is checked; its policy is that of `policyOptions` once that has been read.
  var options: VerifyOptions
  /// Whether contents are checked too.
  let unlocks: Bool
  let sources: SecretSources
  let policyOptions: VerifyPolicyOptions
  /// Nil where nothing shall be repaired.
  let repair: VerifyRepair.Wish?
  /// What is taken from git.
  let git: VerifyGitRequest
  let format: VerifyFormat
  /// Whether only findings are printed.
  let isQuiet: Bool

  /// Takes the request out of the arguments; reads no file.
  init(parsing arguments: ArgumentReader) throws(UsageError) {
    path = arguments.operand(Self.vault)
    sources = try SecretSources(parsing: arguments)
    unlocks = arguments.has(Self.unlock)
    var options = VerifyOptions(
      pins: try Self.pins(arguments), bounds: .standard, workerCount: try Self.jobs(arguments))
    options.shard = try Self.shard(arguments)
    self.options = options
    policyOptions = try VerifyPolicyOptions(parsing: arguments)
    repair = try VerifyRepair.Wish(parsing: arguments)
    git = try VerifyGitRequest(parsing: arguments, repairs: repair != nil)
    format = try Self.format(arguments)
    isQuiet = arguments.has(Self.quiet)
    try check()
  }

  private func check() throws(UsageError) {
    if isQuiet, format.isDocument {
      throw .refused("'--quiet' is of no use with '--format \(format.rawValue)'")
    }
    if repair != nil, !format.showsRepairs {
      throw .refused("'--format \(format.rawValue)' cannot show what '--repair' does")
    }
    if repair != nil, options.shard != nil {
      throw .conflictingOptions("repair", Self.shard.name)
    }
    if !unlocks, sources != SecretSources() {
      throw .refused("a secret is of use only with '--unlock'")
    }
  }

  // MARK: - Values

  private static func pins(_ arguments: ArgumentReader) throws(UsageError) -> [SignerKey] {
    var pins: [SignerKey] = []
    for value in arguments.values(of: signer) {
      guard let pin = SignerKey(hex: value.span) else {
        throw .invalidValue(
          option: signer.name, expected: "a fingerprint of 64 lower-case hex digits")
      }
      pins.append(pin)
    }
    return pins
  }

  private static func jobs(_ arguments: ArgumentReader) throws(UsageError) -> Int {
    guard let value = arguments.value(of: jobs) else { return Processors.count }
    guard let number = VerifyNumber.whole(value), (1...256).contains(number) else {
      throw .invalidValue(option: jobs.name, expected: "a number from 1 to 256")
    }
    return Int(number)
  }

  private static func shard(_ arguments: ArgumentReader) throws(UsageError) -> VerifyShard? {
    guard let value = arguments.value(of: shard) else { return nil }
    let parts = value.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let number = VerifyNumber.whole(parts[0]),
      let count = VerifyNumber.whole(parts[1]),
      let shard = VerifyShard(Int(clamping: number), of: Int(clamping: count))
    else {
      throw .invalidValue(
        option: shard.name, expected: "I/N with I from 1 to N and N at most 256, such as 2/4")
    }
    return shard
  }

  private static func format(_ arguments: ArgumentReader) throws(UsageError) -> VerifyFormat {
    guard let value = arguments.value(of: Self.format) else {
      return arguments.has(json) ? .json : .text
    }
    guard let format = VerifyFormat.allCases.first(where: { $0.rawValue.utf8.elementsEqual(value) })
    else {
      let names = VerifyFormat.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalidValue(option: Self.format.name, expected: "one of \(names)")
    }
    if arguments.has(json), format != .json {
      throw .conflictingOptions(Self.format.name, json.name)
    }
    return format
  }
}
