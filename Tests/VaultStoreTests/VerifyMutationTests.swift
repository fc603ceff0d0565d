import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// What happens to one file of a vault, and what keyless verification has to say.
@Suite struct VerifyMutationTests {
  /// Small and clean, with every kind of file.
  private static let vaults = ["later-keys", "two-compartments"]

  /// What a file of a vault is.
  private enum Kind { case header, slot, spare, segment, note, companion }

  private func kind(of file: String) -> Kind {
    if file == "VAULT" { return .header }
    if file.hasPrefix("spare/") { return .spare }
    if file.hasSuffix(".slot") { return .slot }
    if file.hasSuffix(".seg") { return .segment }
    return file.hasSuffix(".sealed") ? .note : .companion
  }

  private func codes(_ vault: borrowing VaultCopy, at file: String) throws -> [String] {
    try vault.findings().filter { $0.path == file }.map(\.code)
  }

  /// Changes each file in turn, hands it to the check, and puts it back.
  private func forEachFile(
    of name: String,
    _ body: (borrowing VaultCopy, _ file: String, _ bytes: [UInt8]) throws -> Void
  ) throws {
    let vault = try VaultCopy(name)
    for file in try vault.files() {
      let bytes = try vault.read(file)
      try body(vault, file, bytes)
      try? vault.remove(file)
      try vault.write(file, bytes)
    }
    #expect(try vault.findings() == [])
  }

  @Test(arguments: vaults) func aChangedByteIsFoundWhereverItIs(_ name: String) throws {
    try forEachFile(of: name) { vault, file, bytes in
      let count = bytes.count
      let ends = Set([0, 3, 4, 8, 9, 10, 11, 12, 15, 16, 17, 20, 40, 90, 110, 150])
      for index in ends.union([count / 3, count / 2, count - 70, count - 1]).filter({
        (0..<count).contains($0)
      }) {
        var changed = bytes
        changed[index] ^= 0x20
        try vault.write(file, changed)
        let found = try codes(vault, at: file)
        #expect(!found.isEmpty, "byte \(index) of \(file)")
      }
    }
  }

  @Test(arguments: vaults) func aCutFileIsCalledCut(_ name: String) throws {
    try forEachFile(of: name) { vault, file, bytes in
      for count in [1, 7, 8, 12, 16, 17, 60, bytes.count / 2, bytes.count - 17, bytes.count - 1]
      where (1..<bytes.count).contains(count) {
        try vault.write(file, Array(bytes[..<count]))
        let expected: Finding.Code = kind(of: file) == .companion ? .companionChanged : .cutFile
        #expect(try codes(vault, at: file) == [expected.rawValue], "\(file) cut to \(count)")
      }
    }
  }

  @Test(arguments: vaults) func bytesAtTheEndAreCalledSo(_ name: String) throws {
    try forEachFile(of: name) { vault, file, bytes in
      for count in [1, 16, 17, 5_000] {
        try vault.write(file, bytes + [UInt8](repeating: 0x0A, count: count))
        let expected: Finding.Code = kind(of: file) == .companion ? .companionChanged : .extraBytes
        #expect(try codes(vault, at: file) == [expected.rawValue], "\(file) and \(count)")
      }
    }
  }

  @Test(arguments: vaults) func aMissingFileIsNamed(_ name: String) throws {
    try forEachFile(of: name) { vault, file, _ in
      try vault.remove(file)
      let found = try vault.findings()
      switch kind(of: file) {
      case .header: #expect(found == [Reported(.headerDiffers, file)])
      case .slot: #expect(found == [Reported(.slotMissing, file)])
      case .spare: #expect(found == [Reported(.spareMissing, file)])
      case .note: #expect(found == [Reported(.noteMissing, file)])
      case .companion: #expect(found == [Reported(.companionMissing, file)])
      // The last segment is named by none; then what it lists is not listed.
      case .segment: #expect(!found.isEmpty)
      }
    }
  }

  @Test(arguments: vaults) func aMissingParentIsNamed(_ name: String) throws {
    let expected = try ExpectedVault.load(name)
    let first = try #require(expected.segments.first { isParent($0, in: name) })
    let vault = try VaultCopy(name)
    try vault.remove("index/\(first).seg")
    #expect(try codes(vault, at: "index/\(first).seg") == ["segment-missing"])
  }

  private func isParent(_ segment: String, in name: String) -> Bool {
    let vault = try? VaultFolder(
      path: bytes(Fixtures.url("vaults/v1/\(name)/vault").path(percentEncoded: false)))
    guard let vault, let snapshot = try? Snapshot.load(vault, bounds: .standard) else {
      return false
    }
    return snapshot.compartments.values.contains { index in
      index.live.contains { $0.lists.parents.contains { $0.hex == segment } }
    }
  }

  @Test(arguments: vaults) func conversionsOfWholeFilesAreCalledByName(_ name: String) throws {
    try forEachFile(of: name) { vault, file, bytes in
      let lineEnds: [UInt8] = bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
      let wide: [UInt8] = [0xFF, 0xFE] + bytes.flatMap { [$0, 0] }
      let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
      let markers = "<<<<<<< HEAD\n"
      for (content, code) in [
        ([], Finding.Code.emptyFile), (lineEnds, .textDamage), (wide, .utf16),
        (Array(pointer.utf8), .largeFilePointer), (Array(markers.utf8) + bytes, .mergeMarkers),
      ] {
        try vault.write(file, content)
        #expect(try codes(vault, at: file) == [code.rawValue], "\(file)")
      }
      guard kind(of: file) != .companion else { return }
      // Line feeds alone, as a checkout without carriage returns gives them.
      try vault.write(file, bytes.filter { $0 != 0x0D })
      #expect(try codes(vault, at: file) == ["text-damage"], "\(file)")
      try vault.write(file, [0xFE, 0xFF] + bytes.flatMap { [0, $0] })
      #expect(try codes(vault, at: file) == ["utf-16"], "\(file)")
    }
  }

  @Test(arguments: vaults) func aLinkOrPipeIsNeverOpened(_ name: String) throws {
    try forEachFile(of: name) { vault, file, bytes in
      try vault.remove(file)
      let outside = vault.temporary.path(of: "outside")
      try Data(bytes).write(to: URL(filePath: outside))
      try FileManager.default.createSymbolicLink(
        atPath: vault.path(file), withDestinationPath: outside)
      #expect(try codes(vault, at: file) == ["not-a-regular-file"], "\(file)")
      try vault.remove(file)
      #expect(TemporaryFolder.run(["/usr/bin/mkfifo", vault.path(file)]) == 0)
      #expect(try codes(vault, at: file) == ["not-a-regular-file"], "\(file)")
      try vault.remove(file)
      try FileManager.default.createDirectory(
        atPath: vault.path(file), withIntermediateDirectories: false)
      #expect(try codes(vault, at: file) == ["not-a-regular-file"], "\(file)")
    }
  }

  @Test(arguments: vaults) func aPlaceholderIsOneFindingAndNoMissingFile(_ name: String) throws {
    try forEachFile(of: name) { vault, file, bytes in
      try vault.remove(file)
      let folder = file.lastIndex(of: "/").map { file[...$0] } ?? ""
      let placeholder = "\(folder).\(file.dropFirst(folder.count)).icloud"
      try vault.write(placeholder, Array("bplist00".utf8))
      let found = try vault.findings()
      if kind(of: file) == .segment {
        #expect(found.contains(Reported(.notDownloaded, placeholder)))
        #expect(!found.contains(Reported(.segmentMissing, file)))
      } else {
        #expect(found == [Reported(.notDownloaded, placeholder)])
      }
      try vault.remove(placeholder)
    }
  }

  @Test func fiftySeededChangesAreAllFound() throws {
    let vault = try VaultCopy("basic")
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededBytes(seed: seed)
    let files = try vault.files()
    for round in 0..<50 {
      let file = files[Int.random(in: 0..<files.count, using: &random)]
      let bytes = try vault.read(file)
      var changed = bytes
      switch round % 5 {
      case 0: changed[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << (random.next() & 7)
      case 1: changed.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 2: changed += random.bytes(Int.random(in: 1...40, using: &random))
      case 3: changed.removeFirst(Int.random(in: 1...bytes.count, using: &random))
      default: changed = random.bytes(bytes.count)
      }
      try vault.write(file, changed)
      #expect(!(try codes(vault, at: file)).isEmpty, "seed \(seed), round \(round): \(file)")
      try vault.write(file, bytes)
    }
  }

  @Test func noTruncationOfAnyLengthEndsTheProgram() throws {
    let vault = try VaultCopy("later-keys")
    for file in try vault.files() where kind(of: file) != .spare {
      let bytes = try vault.read(file)
      for count in stride(from: 0, to: bytes.count, by: kind(of: file) == .header ? 1 : 13) {
        try vault.write(file, Array(bytes[..<count]))
        #expect(try vault.verify().hasErrors, "\(file) cut to \(count)")
      }
      try vault.write(file, bytes)
    }
  }
}
