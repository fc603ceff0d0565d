import Foundation
import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

/// Files that are somewhere they do not belong.
@Suite struct VerifyForeignTests {
  private let note = "notes/13/13c596c08c8a2e04460f383d5d98a11d.sealed"

  @Test(arguments: [
    "secret.md", "notes/secret.md", "notes/13/secret.md", "index/secret.md", "spare/secret.md",
    "staging/secret.md", "local.md", "VAULT.bak", "notes/13/A.sealed", "index/plan",
    "notes/AB", "index/7C16DE612E73D79E2F4472618022C8AC.seg",
    "notes/13/13c596c08c8a2e04460f383d5d98a11d (1).sealed", ".DS_Store2", "notes/.DS_Store",
    ".github", ".gitlab-ci.yml",
  ])
  func aForeignFileIsNamed(_ file: String) throws {
    let vault = try VaultCopy("later-keys")
    try vault.write(file, bytes("plain"))
    #expect(try vault.findings() == [Reported(.foreignFile, file)])
  }

  @Test func aForeignFolderIsNamedOnce() throws {
    let vault = try VaultCopy("later-keys")
    try vault.write("more notes/a.md", bytes("a"))
    try vault.write("kit/sub/b.md", bytes("b"))
    try vault.write("notes/zz/c.md", bytes("c"))
    #expect(
      try vault.findings() == [
        Reported(.notARegularFile, "kit/sub"), Reported(.foreignFile, "more notes"),
        Reported(.foreignFile, "notes/zz"),
      ])
  }

  @Test func namesThatAreNotTextAreReportedAsTheyAre() throws {
    let vault = try VaultCopy("later-keys")
    let folder = try Directory(path: bytes(vault.path))
    try folder.createFile([0x61, 0xFF, 0x0A]).close()
    #expect(try vault.verify().findings.map(\.path) == [[0x61, 0xFF, 0x0A]])
  }

  @Test func repositoryFilesArePassedOverOrListed() throws {
    let vault = try VaultCopy("basic")
    for file in [
      ".git/config", ".gitmodules", ".DS_Store", "Thumbs.db", "desktop.ini", "local/base.cache",
    ] {
      try vault.write(file, bytes("x"))
    }
    #expect(try vault.verify().findings == [])
    try vault.write(".github/workflows/verify.yml", bytes("x"))
    try vault.write(".gitlab-ci.yml", bytes("x"))
    let report = try vault.verify()
    #expect(
      report.findings.map(Reported.init) == [
        Reported(.notChecked, ".github"), Reported(.notChecked, ".gitlab-ci.yml"),
      ])
    #expect(!report.hasErrors)
    #expect(
      report.unchecked.prefix(3) == [
        .repositoryFile(bytes(".github")), .repositoryFile(bytes(".gitlab-ci.yml")), .localFolder,
      ])
  }

  @Test func aLinkUnderAPassedOverNameIsStillAFinding() throws {
    let vault = try VaultCopy("later-keys")
    try FileManager.default.createSymbolicLink(
      atPath: vault.path(".DS_Store"), withDestinationPath: "/etc/passwd")
    #expect(try vault.findings() == [Reported(.notARegularFile, ".DS_Store")])
  }

  @Test(arguments: ["notes", "index", "spare", "staging", "kit", "local"])
  func aFileOrLinkInPlaceOfAFolderIsNamed(_ folder: String) throws {
    let vault = try VaultCopy("basic")
    try? vault.remove(folder)
    try vault.write(folder, bytes("x"))
    #expect(try vault.findings() == [Reported(.notARegularFile, folder)])
    try vault.remove(folder)
    try FileManager.default.createSymbolicLink(
      atPath: vault.path(folder), withDestinationPath: vault.temporary.path)
    #expect(try vault.findings() == [Reported(.notARegularFile, folder)])
  }

  @Test func filesOfAnotherVaultAreCalledForeign() throws {
    let other = try VaultCopy("conflict")
    for file in try other.files(in: "index") + other.files(in: "spare") {
      let vault = try VaultCopy("later-keys")
      try vault.write(file, try other.read(file))
      #expect(try vault.findings() == [Reported(.foreignVault, file)])
    }
    let note = "notes/7a/7abe85d8f811fde8685fcbf1e8bb2fc7.sealed"
    let vault = try VaultCopy("later-keys")
    try vault.write(note, try other.read(note))
    #expect(try vault.findings() == [Reported(.foreignVault, note)])
    try vault.remove(note)
    try vault.write("VAULT", try other.read("VAULT"))
    #expect(try vault.findings() == [Reported(.headerDiffers, "VAULT")])
  }

  @Test func aSealedFileUnderAnotherNameIsMisnamed() throws {
    let vault = try VaultCopy("two-compartments")
    let notes = try vault.files(in: "notes")
    let contents = try notes.map { try vault.read($0) }
    try vault.write(notes[0], contents[1])
    try vault.write(notes[1], contents[0])
    #expect(
      try vault.findings() == [Reported(.misnamed, notes[0]), Reported(.misnamed, notes[1])])
    try vault.write(notes[0], contents[0])
    try vault.write(notes[1], contents[1])
    let elsewhere = "notes/ff/" + (notes[0].split(separator: "/").last ?? "")
    try vault.write(elsewhere, contents[0])
    #expect(try vault.findings() == [Reported(.misnamed, elsewhere)])
  }

  @Test func swappedSlotsAndSegmentsAreMisnamed() throws {
    let vault = try VaultCopy("conflict")
    for (ending, code) in [(".slot", Finding.Code.misnamed), (".seg", .misnamed)] {
      let files = try vault.files(in: "index").filter { $0.hasSuffix(ending) }
      let contents = try files.map { try vault.read($0) }
      try vault.write(files[0], contents[1])
      try vault.write(files[1], contents[0])
      let found = try vault.findings()
      #expect(found.contains(Reported(code, files[0])))
      #expect(found.contains(Reported(code, files[1])))
      try vault.write(files[0], contents[0])
      try vault.write(files[1], contents[1])
    }
  }

  @Test func oldAndDeletedNotesThatCameBackAreNamed() throws {
    let vault = try VaultCopy("basic")
    for (file, code) in [
      ("notes/ed/edd3846b5f958c8c9c2234399b1a7fe0.sealed", Finding.Code.noteSuperseded),
      ("notes/76/76ec35a8cd4dead2e6a360753ecf9646.sealed", .noteDeleted),
      ("notes/2f/2f2dd82af5d0cadf90fa9d8da2b5f0e3.sealed", .noteDeleted),
    ] {
      let fresh = try? vault.read(file)
      try vault.restoreOlder(file)
      #expect(try vault.findings() == [Reported(code, file)])
      if let fresh { try vault.write(file, fresh) } else { try vault.remove(file) }
    }
  }

  @Test func withoutAnySlotAndVAULTOnlyTheNamesCanBeChecked() throws {
    let vault = try VaultCopy("later-keys")
    try vault.write("VAULT", bytes("x"))
    for file in try vault.files() where file.hasSuffix(".slot") { try vault.remove(file) }
    try vault.write("secret.md", bytes("plain"))
    let found = try vault.findings()
    #expect(found.contains(Reported(.malformed, "VAULT")))
    #expect(found.contains(Reported(.noIndex, "index")))
    #expect(found.contains(Reported(.foreignFile, "secret.md")))
  }

  @Test func aFolderThatIsNoVaultIsAnError() throws {
    let place = try Workplace()
    try place.put("a.md", "a")
    let path = place.temporary.bytes
    let options = VerifyOptions(pins: [], bounds: .standard, workerCount: 1)
    #expect(throws: StoreError.notAVault(path: path)) {
      _ = try Verification(path: path, options: options)
    }
  }

  @Test func aVaultWithoutSegmentsHasNoIndex() throws {
    let vault = try VaultCopy("later-keys")
    for file in try vault.files(in: "index") where file.hasSuffix(".seg") {
      try vault.remove(file)
    }
    #expect(try vault.findings() == [Reported(.noIndex, "index")])
  }
}
