import FoundationEssentials
import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

/// A vault of its own for one test, made by `VaultCreation` with a KDF that costs nothing.
struct TestVault {
  /// What a slot may ask for in tests.
  static let bounds = KDFBounds(passphrase: 2...9, phrase: 2...9)
  static let passphrase = "correct horse"
  /// 24 words whose checksum holds.
  static let phrase = String(repeating: "abandon ", count: 23) + "art"

  let temporary: TemporaryFolder
  var path: [UInt8] { temporary.bytes + bytes("/vault") }

  /// A new vault, with its first segment and no note.
  init() throws {
    temporary = try TemporaryFolder.inMemory()
    _ = try Self.creation(at: path).write()
  }

  /// A copy of a vault as it lies on the disk.
  init(copying other: TestVault, to place: TemporaryFolder? = nil) throws {
    temporary = try place ?? TemporaryFolder.inMemory()
    let from = String(decoding: other.path, as: UTF8.self)
    try #require(TemporaryFolder.run(["/bin/cp", "-a", from, temporary.path]) == 0)
  }

  /// A copy of a vault in `fixtures/vaults/v1`.
  init(fixture name: String) throws {
    temporary = try TemporaryFolder.inMemory()
    let from = Fixtures.url("vaults/v1/\(name)/vault").path
    try #require(TemporaryFolder.run(["/bin/cp", "-a", from, temporary.path]) == 0)
  }

  static func creation(
    at path: [UInt8], passphrase: String = passphrase, phrase: String = phrase
  ) throws -> VaultCreation {
    try VaultCreation(
      at: path, passphrase: secret(passphrase), phrase: secret(phrase: phrase), label: nil,
      hint: nil, costs: .init(passphrase: 2, phrase: 3), bounds: bounds)
  }

  static func secret(_ passphrase: String) throws -> VaultSecret {
    try VaultSecret(passphrase: SecretBytes(copying: bytes(passphrase).span), isNew: false)
  }

  static func secret(phrase: String) throws -> VaultSecret {
    try VaultSecret(phrase: SecretBytes(copying: bytes(phrase).span))
  }

  func open(faults: FaultPlan? = nil) throws -> VaultFolder {
    try VaultFolder(path: path, faults: faults)
  }

  func snapshot() throws -> Snapshot { try Snapshot.load(open(), bounds: Self.bounds) }

  /// What the passphrase opens of a vault.
  static func unlock(
    _ vault: VaultFolder, _ snapshot: Snapshot, with passphrases: String...
  ) throws -> UnlockedVault {
    let secrets = try (passphrases.isEmpty ? [passphrase] : passphrases).map {
      HeldSecret(try secret($0), origin: $0)
    }
    return try Unlocking(snapshot.usableSlots, of: vault.header, with: secrets).finish()
      .read(snapshot, of: vault)
  }

  func unlock() throws -> UnlockedVault {
    let vault = try open()
    return try Self.unlock(vault, Snapshot.load(vault, bounds: Self.bounds))
  }
}

// MARK: - What lies on the disk

extension TestVault {
  /// Runs a shell command in the vault's folder.
  func shell(_ command: String) throws {
    let folder = String(decoding: path, as: UTF8.self)
    let status = TemporaryFolder.run(["/bin/sh", "-c", "cd '\(folder)' && \(command)"])
    try #require(status == 0, "\(command)")
  }

  /// Writes a file, in place of one that is there.
  func put(_ name: String, _ content: [UInt8]) throws {
    let folder = try folder(of: name)
    let last = last(of: name)
    if try folder.status(of: last) != nil { try folder.unlink(last) }
    try folder.createFile(last).write(content.span, at: 0)
  }

  func content(_ name: String) throws -> [UInt8] {
    try folder(of: name).readWhole(last(of: name), limit: 1 << 24)
  }

  func remove(_ name: String) throws { try folder(of: name).unlink(last(of: name)) }

  /// The names in the vault's folder itself.
  func topNames() throws -> [String] {
    try Directory(path: path).entries().map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// The names in a folder of the vault; nil where there is no such folder.
  func names(_ name: String) throws -> [String]? {
    let folder = try folder(of: name)
    guard try folder.status(of: last(of: name)) != nil else { return nil }
    return try Directory(opening: last(of: name), in: folder).entries()
      .map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// All sealed files in `notes/` with their bytes.
  func sealedFiles() throws -> [NoteID: [UInt8]] {
    var files: [NoteID: [UInt8]] = [:]
    for folder in try names("notes") ?? [] {
      for name in try names("notes/\(folder)") ?? [] {
        let id = try #require(
          FileNameHex.noteID(bytes(name)), "no sealed file has the name \(name)")
        files[id] = try content("notes/\(folder)/\(name)")
      }
    }
    return files
  }

  private func folder(of name: String) throws -> Directory {
    let parts = bytes(name).split(separator: UInt8(ascii: "/")).map(Array.init)
    return try Directory(path: path).open(components: parts.dropLast())
  }

  private func last(of name: String) -> [UInt8] {
    bytes(name).split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
  }
}
