import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A place for what salvage brings back.
struct SalvageBench {
  let temporary: TemporaryFolder
  var target: String { temporary.path(of: "target") }

  init() throws { temporary = try TemporaryFolder.inMemory() }

  static func watch(workers: Int = 2, isInterrupted: @escaping @Sendable () -> Bool = { false })
    -> SalvageWatch
  {
    SalvageWatch(workerCount: workers, isInterrupted: isInterrupted, progress: { _ in })
  }

  /// Salvages a vault of building blocks, whose index can be read or not.
  func salvage(_ vault: SealedVault, faults: FaultPlan? = nil) throws -> SalvageReport {
    try withExtendedLifetime(vault) {
      try Salvage(try vault.unlocked()).run(
        into: bytes(target), watch: Self.watch(), faults: faults)
    }
  }

  /// Salvages a vault with slots as the command does.
  func salvage(
    _ vault: TestVault, with secret: consuming VaultSecret
  ) throws -> SalvageReport {
    let base = try SalvageBase.load(path: vault.path, bounds: TestVault.bounds)
    try Salvage.check(target: bytes(target), of: base)
    let unlocked = try Unlocking(
      base.snapshot.usableSlots, of: base.vault.header, with: secret,
      unreadable: base.snapshot.unreadableSlots
    ).finish().read(base.snapshot, of: base.vault)
    return try Salvage(unlocked).run(into: bytes(target), watch: Self.watch())
  }

  func salvage(_ vault: TestVault) throws -> SalvageReport {
    try salvage(vault, with: try TestVault.secret(TestVault.passphrase))
  }

  func content(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: target + "/" + path).map { [UInt8]($0) }
  }

  func text(_ path: String) -> String? {
    content(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The paths of everything in the target.
  func paths() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: target).sorted()
  }
}

extension SealedVault {
  func change(_ number: Int, _ change: (inout [UInt8]) -> Void) throws {
    var content = [UInt8](try Data(contentsOf: url(number)))
    change(&content)
    try Data(content).write(to: url(number))
  }

  func content(_ number: Int) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(number))) }

  func put(_ path: String, _ content: [UInt8]) throws {
    let url = URL(filePath: self.path + "/" + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content).write(to: url)
  }

  func dropIndex() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path + "/index") {
      try FileManager.default.removeItem(atPath: path + "/index/" + name)
    }
  }
}

/// What a gap looks like: its text, cut to its length, and zeros.
func gap(_ byteCount: Int, text count: Int? = nil) -> [UInt8] {
  let text = Array("[vaulttool: \(count ?? byteCount) bytes lost]".utf8.prefix(byteCount))
  return text + [UInt8](repeating: 0, count: byteCount - text.count)
}

extension SalvageReport {
  var reasons: [SalvageProblem.Reason] { problems.map(\.reason) }
  var lostRanges: [[Range<UInt64>]] { problems.map(\.lost) }
}
