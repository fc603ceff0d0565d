import Testing
import VaultTestSupport

/// A folder that was prepared once for all tests of a suite; tests only read it.
struct Prepared: Sendable {
  @TaskLocal static var current: Prepared?

  private let folder: TemporaryFolder

  fileprivate init() throws { folder = try TemporaryFolder() }

  func callAsFunction(_ name: Name) -> Name { folder.path / name }
}

/// Gives a suite a prepared folder.
struct PreparedTrait: SuiteTrait, TestScoping {
  let prepare: @Sendable (Prepared) throws -> Void

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let prepared = try Prepared()
    try prepare(prepared)
    try await Prepared.$current.withValue(prepared) { try await function() }
  }
}

extension Trait where Self == PreparedTrait {
  /// The suite shares a folder that the closure fills.
  static func prepared(_ prepare: @escaping @Sendable (Prepared) throws -> Void) -> PreparedTrait {
    PreparedTrait(prepare: prepare)
  }
}
