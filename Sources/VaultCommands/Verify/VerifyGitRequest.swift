/// What a command line asks of `verify` about git.
struct VerifyGitRequest {
  private static let since = OptionSpec.value(
    "since", "REV",
    help: "Nothing that the vault had in this git commit may be lost: name the commit that was "
      + "verified last. Says what changed since.")
  private static let staged = OptionSpec.flag(
    "staged", help: "Check what git would commit now, not what lies in the folder.")

  static let options = [since, staged]

  /// The commit to compare with, as it was named.
  let since: [UInt8]?
  let isStaged: Bool

  init(parsing arguments: ArgumentReader, repairs: Bool) throws(UsageError) {
    since = arguments.value(of: Self.since)
    isStaged = arguments.has(Self.staged)
    guard repairs else { return }
    if since != nil { throw .conflictingOptions(Self.since.name, "repair") }
    if isStaged { throw .conflictingOptions(Self.staged.name, "repair") }
  }
}
