import FoundationEssentials
import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// A source folder and a vault of its own for one test.
struct PackBench {
  let vault: TestVault
  let sourcePath: [UInt8]

  init() throws {
    vault = try TestVault()
    sourcePath = vault.temporary.bytes + bytes("/source")
    try Directory(path: vault.temporary.bytes).makeDirectory(bytes("source"), mode: 0o755)
  }

  /// What a run of `pack` decided and did.
  struct Run {
    let decision: PackDecision
    let outcome: PackOutcome

    /// The changes as words: `added a.md`.
    var changes: [String] {
      outcome.changes.map { "\($0.kind.rawValue) \(String(decoding: $0.path, as: UTF8.self))" }
    }

    var problems: [String] {
      outcome.problems.map { "\(String(decoding: $0.path, as: UTF8.self)): \($0.reason)" }
    }

    var kept: [String] {
      outcome.kept.map { "\($0.reason) \(String(decoding: $0.path, as: UTF8.self))" }
    }
  }

  /// One pack, from the lock to the end, without asking anybody.
  @discardableResult
  func pack(
    with passphrase: String = TestVault.passphrase, from path: [UInt8]? = nil,
    excluding excludes: [String] = [], keepsMissing: Bool = false,
    compression: CompressionPolicy = .automatic, removesSource: Bool = false,
    faults: FaultPlan? = nil, readsAhead: Bool = false,
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    afterReading: @escaping @Sendable ([UInt8]) -> Void = { _ in }
  ) throws -> Run {
    let folder = try vault.open(faults: faults)
    var session = try TestVault.session(folder)
    let watch = PackWatch(isInterrupted: isInterrupted, didHandle: { _ in })
    try PackSoundness.checkIndex(session.snapshot)
    let unlocked = try TestVault.unlock(folder, session.snapshot, with: passphrase)
    try PackSoundness.checkPresence(
      session.snapshot, of: folder, in: unlocked.compartments.map(\.index.compartment))
    let source = try SourceFolder(path: path ?? sourcePath)
    let scan = try scan(path, excluding: excludes)
    var ahead: PackReadAhead.Contents?
    if readsAhead {
      ahead = try PackReadAhead(scan, of: source, policy: compression, watch: watch).complete()
    }
    let packing = try Packing(
      scan, of: source, into: unlocked,
      options: .init(
        keepsMissing: keepsMissing, compression: compression, removesSource: removesSource),
      watch: watch, afterReading: afterReading)
    let decision = try packing.decide()
    try session.removeLeftovers()
    return Run(
      decision: decision, outcome: try packing.carryOut(decision, in: &session, ahead: ahead))
  }

  func scan(_ path: [UInt8]? = nil, excluding excludes: [String] = []) throws -> SourceScan {
    let identity = try Directory(path: vault.path).descriptor.status().identity
    return try SourceScan(
      SourceFolder(path: path ?? sourcePath), excluding: excludes.map { Glob(bytes($0)) },
      passingOver: identity, isInterrupted: { false })
  }

  // MARK: - The source

  /// Runs a shell command in the source folder.
  func shell(_ command: String) throws {
    let folder = String(decoding: sourcePath, as: UTF8.self)
    let status = TemporaryFolder.run(["/bin/sh", "-c", "cd '\(folder)' && \(command)"])
    try #require(status == 0, "\(command)")
  }

  /// Writes a file, in place of one that is there; folders above it must be there.
  func put(_ path: String, _ content: [UInt8]) throws {
    let url = URL(filePath: String(decoding: sourcePath, as: UTF8.self) + "/" + path)
    try Data(content).write(to: url)
  }

  func put(_ path: String, _ content: String) throws { try put(path, bytes(content)) }

  // MARK: - The vault

  /// Shown paths with contents as text; a folder has the content `/`, a link `-> target`.
  func contents() throws -> [String: String] {
    var contents: [String: String] = [:]
    for (note, content) in try notes() {
      let text = String(decoding: content, as: UTF8.self)
      contents[String(decoding: note.shownPath, as: UTF8.self)] =
        switch note.record.type {
        case .file: text
        case .folder: "/"
        case .link: "-> \(text)"
        }
    }
    return contents
  }

  /// Every note with its content, read and checked as `unpack` does.
  func notes() throws -> [(note: NoteInfo, content: [UInt8])] {
    let unlocked = try vault.unlock()
    let files = try NoteReaderFiles(unlocked.vault)
    var reader = try NoteReader()
    return try unlocked.notes.map { note in
      let compartment = try #require(unlocked.compartment(of: note))
      let content = try reader.content(
        try files.open(note), of: note, in: compartment, limit: 1 << 26)
      return (note, content)
    }
  }

  func note(_ path: String) throws -> NoteInfo {
    try #require(try vault.unlock().notes.first { $0.shownPath == bytes(path) })
  }

  /// All bytes of the vault, but those of `local/`, by path: to see whether anything was written.
  func state() throws -> [String: String] {
    let root = URL(filePath: String(decoding: vault.path, as: UTF8.self))
    var state: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      if name.hasPrefix("local") { continue }
      let url = root.appending(path: name)
      var status = "folder"
      if let data = try? Data(contentsOf: url) {
        status = "\(Digest(try SHA256.digest([UInt8](data).span)).hex)"
      }
      state[name] = status
    }
    return state
  }
}
