import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// Every file of a vault by its name, as git sees it.
typealias VaultFiles = [String: [UInt8]]

extension TestVault {
  /// All files but those of this machine.
  func files() throws -> VaultFiles {
    let root = String(decoding: path, as: UTF8.self)
    var files: VaultFiles = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root) {
      let kind = try FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")[.type]
      guard kind as? FileAttributeType == .typeRegular, !name.hasPrefix("local/") else { continue }
      files[name] = try content(name)
    }
    return files
  }

  /// Makes the vault's files these.
  func checkOut(_ files: VaultFiles) throws {
    let root = String(decoding: path, as: UTF8.self)
    for name in try self.files().keys where files[name] == nil {
      try FileManager.default.removeItem(atPath: "\(root)/\(name)")
    }
    for (name, bytes) in files {
      let folder = (("\(root)/\(name)") as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(bytes).write(to: URL(fileURLWithPath: "\(root)/\(name)"))
    }
  }

  /// A copy of the vault on another branch.
  func branch() throws -> TestVault { try TestVault(copying: self) }

  /// Merges as git does: file by file, with a person's choice where both sides changed one.
  func merge(
    _ theirs: TestVault, base: VaultFiles,
    choosing choose: (_ name: String, _ ours: [UInt8]?, _ theirs: [UInt8]?) throws -> [UInt8]? = {
      name, _, _ in
      Issue.record("\(name) is in conflict")
      return nil
    }
  ) throws {
    let (own, other) = (try files(), try theirs.files())
    var merged: VaultFiles = [:]
    for name in Set(own.keys).union(other.keys) {
      let (before, ours, theirs) = (base[name], own[name], other[name])
      if ours == theirs || theirs == before {
        merged[name] = ours
      } else if ours == before {
        merged[name] = theirs
      } else {
        merged[name] = try choose(name, ours, theirs)
      }
    }
    try checkOut(merged)
  }

  /// What applying the change from one state to another gives: a cherry-pick, or with the two swapped a revert.
  func apply(from: VaultFiles, to: VaultFiles) throws {
    var files = try files()
    for name in Set(from.keys).union(to.keys) where from[name] != to[name] {
      files[name] = to[name]
    }
    try checkOut(files)
  }

  /// The codes of the errors that keyless verification finds, ascending.
  func errorCodes() throws -> [String] {
    try report().findings.filter { $0.severity == .error }.map(\.code.rawValue).sorted()
  }

  private func report() throws -> VerifyReport {
    try Verification(path: path, options: Self.verifyOptions).run(progress: .silent, keys: nil)
  }

  static let verifyOptions = VerifyOptions(pins: [], bounds: bounds, workerCount: 2)

  /// Reconciles what a test chooses, and gives the whole plan.
  @discardableResult
  func reconcile(
    with passphrase: String = passphrase, faults: FaultPlan? = nil,
    _ choose: (ReconcileItem) -> Bool = { $0.isAutomatic }
  ) throws -> [ReconcileItem] {
    let vault = try open(faults: faults)
    let snapshot = try Snapshot.load(vault, bounds: Self.bounds)
    let opened = try Unlocking(
      snapshot.usableSlots, of: vault.header, with: try Self.secret(passphrase)
    ).finish()
    var reconciling = try Reconciling(
      vault, Self.verifyOptions, isWriting: true, progress: .silent)
    let plan = try reconciling.plan(with: opened)
    let chosen = plan.items.filter { choose($0) && $0.step != .none }
    if !chosen.isEmpty { _ = try reconciling.carryOut(chosen, of: plan) }
    return plan.items
  }
}
