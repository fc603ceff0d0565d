import Testing
import VaultTestSupport

/// A folder that was packed into a fresh vault and unpacked again, once for all tests of a suite.
struct RoundTrip: Sendable {
  @TaskLocal static var current: RoundTrip?

  private let folder: TemporaryFolder
  let source: Name
  let vault: Name
  let unpacked: Name
  let packing: Outcome
  let unpacking: Outcome
  /// The source as it was packed.
  let before: Tree
  /// What came out.
  let after: Tree

  fileprivate init(filling fill: (Name) throws -> Void) throws {
    let sample = try #require(Sample.current)
    folder = try TemporaryFolder()
    source = folder.path / "source"
    vault = folder.path / "vault"
    unpacked = folder.path / "unpacked"
    try Disk.makeFolder(source)
    try fill(source)
    try Disk.copy(sample.empty, to: vault)
    let secret: [Name] = ["--passphrase-file", sample.passphraseFile]
    packing = try Tool.run(["pack", source, vault, "--json"] + secret)
    unpacking = try Tool.run(["unpack", vault, unpacked, "--json"] + secret)
    before = try Tree(source)
    after = try Tree(unpacked)
  }

  /// Whether an entry came back as it was, time included.
  func kept(_ path: Name) -> Bool {
    before.entries[path] != nil && before.entries[path] == after.entries[path]
  }
}

/// Gives a suite a round trip of what a closure lays out.
struct RoundTripTrait: SuiteTrait, TestScoping {
  let fill: @Sendable (Name) throws -> Void

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let trip = try RoundTrip(filling: fill)
    try await RoundTrip.$current.withValue(trip) { try await function() }
  }
}

extension Trait where Self == RoundTripTrait {
  /// The suite works on a round trip of the folder that the closure fills.
  static func roundTrip(of fill: @escaping @Sendable (Name) throws -> Void) -> RoundTripTrait {
    RoundTripTrait(fill: fill)
  }
}
