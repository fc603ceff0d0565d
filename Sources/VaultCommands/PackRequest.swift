package import VaultStore

/// What the arguments of `pack` ask for.
package struct PackRequest: Sendable {
  package let excludes: [Glob]
  package let options: Packing.Options
  package let isDryRun: Bool
  package let answersYes: Bool
  package let isVerbose: Bool
  package let printsJSON: Bool
  package let secrets: SecretSources

  /// - Throws: `invalidValue`, and what `SecretSources` refuses.
  package init(_ arguments: ArgumentReader) throws(UsageError) {
    let compression: CompressionPolicy
    switch try arguments.text(of: PackCommand.compress) {
    case nil, "auto": compression = .automatic
    case "never": compression = .never
    default: throw .invalidValue(option: "compress", expected: "auto or never")
    }
    secrets = try SecretSources(parsing: arguments)
    excludes = arguments.values(of: PackCommand.exclude).map(Glob.init)
    options = Packing.Options(
      keepsMissing: arguments.has(PackCommand.keepMissing), compression: compression,
      removesSource: arguments.has(PackCommand.removeSource))
    isDryRun = arguments.has(PackCommand.dryRun)
    answersYes = arguments.has(PackCommand.yes)
    isVerbose = arguments.has(PackCommand.verbose)
    printsJSON = arguments.has(PackCommand.json)
  }
}
