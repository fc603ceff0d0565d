import Foundation
import Testing
import VaultTestSupport

/// What the tests of the built program share, made once: deriving keys takes half a second, so
/// every test starts from a copy of these.
struct Sample: Sendable {
  @TaskLocal static var current: Sample?

  static let passphrase = "correct horse battery staple"

  private let folder: TemporaryFolder
  /// The sample notes, laid out with times and modes. Not to be changed.
  let notes: Name
  /// A vault without notes, as `init` makes it. Not to be changed.
  let empty: Name
  /// The same with the sample notes packed. Not to be changed.
  let vault: Name
  /// The sample notes with some edited and one gone. Not to be changed.
  let laterNotes: Name
  /// The packed vault after those edits were packed too. Not to be changed.
  let laterVault: Name
  /// The passphrase in a file.
  let passphraseFile: Name
  /// The recovery phrase in a file.
  let phraseFile: Name

  fileprivate init() throws {
    folder = try TemporaryFolder()
    notes = folder.path / "notes"
    empty = folder.path / "empty.vault"
    vault = folder.path / "notes.vault"
    laterNotes = folder.path / "later"
    laterVault = folder.path / "later.vault"
    passphraseFile = folder.path / "passphrase"
    phraseFile = folder.path / "phrase"
    try Disk.write(Sample.passphrase + "\n", to: passphraseFile, mode: 0o600)
    let script = Fixtures.url("make-notes.py").path(percentEncoded: false)
    try Disk.must(["/usr/bin/env", "python3", Name(script), notes])
    try Disk.must([
      Tool.path, "init", empty, "--hint", "the comic", "--passphrase-file", passphraseFile,
      "--phrase-out", phraseFile,
    ])
    try Disk.copy(empty, to: vault)
    let secret: [Name] = ["--passphrase-file", passphraseFile]
    try Disk.must([Tool.path, "pack", notes, vault] + secret)
    try Disk.copy(notes, to: laterNotes)
    try Disk.copy(vault, to: laterVault)
    for edited: Name in ["Welcome.md", "trip/Harz in May.md", "recipes/Rye bread.md"] {
      try Disk.write("A later version of \(edited).\n", to: laterNotes / edited)
    }
    try Disk.remove(laterNotes / "latest.md")
    try Disk.must([Tool.path, "pack", laterNotes, laterVault, "--yes"] + secret)
  }

  /// The signer's fingerprint of both vaults, 64 hex digits.
  func signer() throws -> Name {
    let outcome = try Tool.run("info", empty, "--json")
    let info = try JSON(outcome.output)
    return Name(try #require(info["compartments"][0]["signer"].string))
  }
}

/// Gives a suite and all below it the sample.
struct SampleTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let sample = try Sample()
    try await Sample.$current.withValue(sample) { try await function() }
  }
}

extension Trait where Self == SampleTrait {
  static var sample: SampleTrait { SampleTrait() }
}

/// All tests of the built program. Each works in a folder of its own.
@Suite(.sample) struct BuiltProgram {}

/// The folder in which one test works, with copies of the sample.
struct Workplace {
  let sample: Sample
  private let folder: TemporaryFolder
  /// Where everything of this test lies.
  let path: Name

  init() throws {
    sample = try #require(Sample.current)
    folder = try TemporaryFolder()
    path = Name(folder.path)
  }

  /// A path in the folder.
  func callAsFunction(_ name: Name) -> Name { path / name }

  /// A copy of the packed sample vault.
  func vault(_ name: Name = "vault") throws -> Name {
    try Disk.copy(sample.vault, to: self(name))
    return self(name)
  }

  /// A copy of the empty vault.
  func emptyVault(_ name: Name = "vault") throws -> Name {
    try Disk.copy(sample.empty, to: self(name))
    return self(name)
  }

  /// A copy of the sample notes.
  func notes(_ name: Name = "notes") throws -> Name {
    try Disk.copy(sample.notes, to: self(name))
    return self(name)
  }

  /// A new folder with these files.
  func source(_ files: [Name: String] = [:], as name: Name = "source") throws -> Name {
    try Disk.makeFolder(self(name))
    for (file, content) in files { try Disk.write(content, to: self(name) / file) }
    return self(name)
  }

  /// Runs `vaulttool` with the passphrase.
  func run(_ arguments: Name...) throws -> Outcome {
    try Tool.run(arguments + ["--passphrase-file", sample.passphraseFile], in: path)
  }

  /// Runs `vaulttool` with the passphrase; anything but status 0 fails the test.
  @discardableResult func must(_ arguments: Name...) throws -> Outcome {
    try Disk.must(
      [Tool.path] + arguments + ["--passphrase-file", sample.passphraseFile], in: path)
  }

  /// Runs `verify` without a secret.
  func verify(_ vault: Name, _ more: Name...) throws -> Outcome {
    try Tool.run(["verify", vault] + more, in: path)
  }

  /// Unpacks a vault into a new folder and reads what came out.
  func unpacked(_ vault: Name, to name: Name = "out") throws -> Tree {
    try must("unpack", vault, self(name))
    return try Tree(self(name))
  }
}
