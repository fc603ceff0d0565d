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
  private static let quiet = OptionSpec.flag("quiet", short: "q", help: "Print only findings.")

  static let options =
    [signer, unlock] + VerifyGitRequest.options + VerifyRepair.options + [format, json, quiet]
    + SecretSources.severalOptions

  /// The vault, as it was named.
  let path: [UInt8]
  /// What is checked.
  let options: VerifyOptions
  /// Whether contents are checked too.
  let unlocks: Bool
  let sources: SecretSources
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
    options = VerifyOptions(
      pins: try Self.pins(arguments), bounds: .standard, workerCount: Processors.count)
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
