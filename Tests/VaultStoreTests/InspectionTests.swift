import Testing
import VaultFormat
import VaultTestSupport

@testable import VaultStore

@Suite struct InspectionTests {
  private func inspect(_ vault: borrowing VaultCopy, _ file: String) throws -> Inspection {
    try Inspection(path: bytes(vault.path(file)))
  }

  /// Companions have no structure.
  private func structured(_ vault: borrowing VaultCopy) throws -> [String] {
    try vault.files().filter { file in
      file == "VAULT" || file.contains("/") && !file.hasPrefix("kit/")
    }
  }

  private func number(_ name: String, in inspection: Inspection) -> UInt64? {
    guard case .number(let number)? = inspection.parts.first(where: { $0.name == name })?.value
    else { return nil }
    return number
  }

  private func hex(_ name: String, in inspection: Inspection) -> String? {
    guard case .bytes(let bytes)? = inspection.parts.first(where: { $0.name == name })?.value
    else { return nil }
    return bytes.hex
  }

  @Test(arguments: fixtureVaults) func thePartsOfEveryFileCoverItWithoutGaps(
    _ name: String
  ) throws {
    let vault = try VaultCopy(name)
    for file in try structured(vault) {
      let inspection = try inspect(vault, file)
      #expect(inspection.damage == nil, "\(file)")
      var end = 0
      for part in inspection.parts {
        #expect(part.offset == end, "\(part.name) of \(file)")
        end += part.byteCount
      }
      #expect(end == inspection.fileByteCount, "\(file)")
    }
  }

  @Test(arguments: fixtureVaults) func theNamesOfTheFilesAreInThem(_ name: String) throws {
    let vault = try VaultCopy(name)
    for file in try structured(vault) {
      let inspection = try inspect(vault, file)
      let stem = file.split(separator: "/").last?.split(separator: ".").first.map(String.init)
      switch inspection.kind {
      case .header: #expect(file == "VAULT")
      case .slot: #expect(hex("locator", in: inspection) == stem)
      case .segment: #expect(inspection.segment?.id.hex == stem)
      case .sealedFile: #expect(hex("note id", in: inspection) == stem)
      case .plan: #expect(stem == "plan" && inspection.plan?.items.isEmpty == false)
      case .local, .unknown: Issue.record("\(file) is \(inspection.kind)")
      }
      if inspection.kind != .plan {
        #expect(inspection.version == 1 && inspection.suite == 1)
        #expect(number("length", in: inspection).map { $0 > 0 } == true)
      }
    }
  }

  @Test func theDigestIsTheOneThatTheIndexLists() throws {
    let vault = try VaultCopy("basic")
    let folder = try VaultFolder(path: bytes(vault.path))
    let indexes = try Snapshot.load(folder, bounds: .standard).compartments.values
    for file in try vault.files(in: "notes") {
      let inspection = try inspect(vault, file)
      let chunks = try #require(inspection.chunks)
      let id = try #require(FileNameHex.noteID(bytes(String(file.dropFirst("notes/00/".count)))))
      let listed = indexes.compactMap { $0.notes[id]?.onlyCurrent }
      #expect(
        listed == [.file(chunks.digest, byteCount: UInt64(inspection.fileByteCount))])
    }
  }

  @Test func aSegmentShowsItsLists() throws {
    let vault = try VaultCopy("basic")
    let file = "index/39a58bc2f348bf82621d242563daf744.seg"
    let segment = try #require(try inspect(vault, file).segment)
    #expect(segment.signatureHolds)
    #expect(segment.lists.parents.map(\.hex) == ["f850d66e3906c69a7769c443f9e5e4a2"])
    #expect(segment.lists.entries.count == 1)
    try vault.change(file) { $0[300] ^= 1 }
    #expect(try inspect(vault, file).segment?.signatureHolds == false)
  }

  @Test func keysOfALaterVersionAreParts() throws {
    let vault = try VaultCopy("later-keys")
    let parts = try inspect(vault, "VAULT").parts.filter { $0.name.contains("later version") }
    #expect(!parts.isEmpty)
  }

  @Test func everyTruncationIsNamedAndShowsThePartsBeforeIt() throws {
    let vault = try VaultCopy("later-keys")
    for file in try structured(vault) where !file.hasPrefix("spare/") {
      let whole = try vault.read(file)
      let parts = try inspect(vault, file).parts
      let isSealed = file.hasSuffix(".sealed")
      for count in stride(from: 0, to: whole.count, by: whole.count > 400 ? 7 : 1) {
        try vault.write(file, Array(whole[..<count]))
        let inspection = try inspect(vault, file)
        // A sealed file that loses bytes of its last chunk is a shorter one.
        if !isSealed || count < whole.count - 511 {
          #expect(inspection.damage != nil, "\(file) cut to \(count)")
          #expect(parts.starts(with: inspection.parts), "\(file) cut to \(count)")
        }
      }
      try vault.write(file, whole)
    }
  }

  @Test(arguments: [
    ([], FormatError.emptyFile), (bytes("plain text"), .wrongMagic),
    (bytes("version https://git-lfs.github.com/spec/v1\n"), .largeFilePointer),
    (bytes("<<<<<<< HEAD\n"), .mergeMarkers),
    (
      Preamble.magic + [9, 1], .valueOutOfRange(field: "kind", offset: 8, found: 9, allowed: 1...4)
    ),
    (Preamble.magic, .truncated(field: "kind", offset: 8, needed: 1, available: 0)),
    (Preamble.magic + [1, 2, 1, 0, 0, 0, 0, 1, 0xA0], .newerVersion(found: 2)),
    (Preamble.magic + [4, 1, 7, 0, 0, 0, 0, 1, 0xA0], .newerSuite(found: 7)),
  ])
  func whatIsNoFileOfAVaultIsNamed(_ content: [UInt8], _ damage: FormatError) throws {
    let place = try Workplace()
    try place.folder.createFile(bytes("file")).write(content.span, at: 0)
    let inspection = try Inspection(path: place.temporary.bytes + bytes("/file"))
    #expect(inspection.damage == damage)
    #expect(inspection.fileByteCount == content.count)
  }

  @Test func aFolderOrLinkIsNotOpened() throws {
    let place = try Workplace()
    try place.folder.makeSymbolicLink(bytes("link"), target: bytes("/etc/passwd"))
    for (name, kind) in [("/link", VaultStore.FileKind.symlink), ("", .folder)] {
      let path = place.temporary.bytes + bytes(name)
      #expect(throws: StoreError.system(.notRegular(kind), path: path)) {
        _ = try Inspection(path: path)
      }
    }
  }
}
