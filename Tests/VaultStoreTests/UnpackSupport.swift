import Foundation
import Synchronization
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// A place to unpack into, with an outside that must stay as it is.
struct UnpackBench {
  let temporary: TemporaryFolder
  var target: String { temporary.path(of: "target") }
  var outside: String { temporary.path(of: "outside") }

  init() throws {
    temporary = try TemporaryFolder.inMemory()
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
  }

  /// Unpacks all notes, or those at or below the paths.
  func unpack(
    _ vault: UnlockedVault, _ paths: [String] = [], existing: ExistingFiles = .refused,
    workers: Int = 2, faults: FaultPlan? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> UnpackReport {
    try Unpacking(
      try PathSelection(paths.map(bytes), of: vault).notes, of: vault, into: bytes(target),
      existing: existing, workerCount: workers, isInterrupted: isInterrupted, progress: { _ in },
      faults: faults
    ).unpack()
  }

  /// The same for a vault that is not opened yet, and kept until all is done.
  func unpack(
    _ vault: some ReadableTestVault, _ paths: [String] = [], existing: ExistingFiles = .refused,
    workers: Int = 2, faults: FaultPlan? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> UnpackReport {
    try withExtendedLifetime(vault) {
      try unpack(
        try vault.unlocked(), paths, existing: existing, workers: workers, faults: faults,
        isInterrupted: isInterrupted)
    }
  }

  /// Everything in the target: path to a line that says kind, mode, time and content.
  func tree() throws -> [String: String] {
    let script = """
      cd "$1" && find . -mindepth 1 -printf '%P|%y %m %T@ %l\\n' | LC_ALL=C sort
      find . -type f -exec md5sum {} + | LC_ALL=C sort
      """
    let output = try runShell(script, target)
    var tree: [String: String] = [:]
    for line in output.split(separator: "\n") {
      let parts = line.split(separator: "|", maxSplits: 1)
      tree[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
    }
    return tree
  }

  func content(_ path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: target + "/" + path).map { [UInt8]($0) }
  }

  func put(_ path: String, _ content: String) throws {
    let url = URL(filePath: target + "/" + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(content.utf8).write(to: url)
  }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: target + "/" + path, withIntermediateDirectories: true)
  }

  func makeLink(_ path: String, to destination: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: target + "/" + path, withDestinationPath: destination)
  }

  func status(_ path: String) throws -> FileStatus? {
    let place = UnpackPlace(bytes(path))
    var cursor = try UnpackCursor(try Directory(path: bytes(target)))
    try cursor.enter(place.folder)
    return try cursor.folder.status(of: place.name)
  }

  /// Names with our ending, anywhere below the target.
  func leftovers() throws -> [String] {
    try runShell("find \"$1\" -name '.vaulttool-*'", target).split(separator: "\n").map(String.init)
  }

  func outsideIsEmpty() throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty
  }
}

/// The output of a shell script with one argument; a failing script fails the test.
func runShell(_ script: String, _ argument: String) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", script, "sh", argument]
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0)
  return String(decoding: output, as: UTF8.self)
}

/// Answers yes from the n-th question on.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  func hasRunOut() -> Bool { left.subtract(1, ordering: .relaxed).newValue < 0 }
}
