internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// Reads `index/` and `spare/` once.
struct SnapshotLoader {
  let vault: VaultFolder
  let bounds: KDFBounds
  private var slots: [SlotFile] = []
  private var segments: [CompartmentID: [LiveSegment]] = [:]
  private var signers: [CompartmentID: SignerKey] = [:]
  private var segmentCount = 0
  private var readFileCount = 0
  private var readByteCount: UInt64 = 0
  private var findings: [Finding] = []

  init(vault: VaultFolder, bounds: KDFBounds) {
    self.vault = vault
    self.bounds = bounds
  }

  mutating func load() throws(StoreError) -> Snapshot {
    var names: [[UInt8]] = []
    if let index = try vault.subfolder(Layout.index) {
      names = try list(index, Layout.index).map(\.name)
      for name in names { try take(name, in: index) }
    }
    try takeSpares()
    var compartments: [CompartmentID: CompartmentIndex] = [:]
    for (id, segments) in segments {
      guard let signer = signers[id] else { continue }
      compartments[id] = CompartmentIndex(compartment: id, signer: signer, segments: segments)
    }
    return Snapshot(
      slots: slots, compartments: compartments, indexNames: names, findings: findings,
      segmentCount: segmentCount, readFileCount: readFileCount, readByteCount: readByteCount)
  }

  /// The spares are second copies: that they cannot be listed is a finding, and the rest is read all the same.
  private mutating func takeSpares() throws(StoreError) {
    let entries: [DirectoryEntry]
    do throws(SystemError) {
      guard try vault.root.status(of: Layout.spare) != nil else { return }
      let spare = try Directory(opening: Layout.spare, in: vault.root)
      entries = try spare.entries()
    } catch {
      return findings.append(Finding(error, at: Layout.spare))
    }
    guard let spare = try vault.subfolder(Layout.spare) else { return }
    for entry in entries { try takeSlot(entry.name, in: spare, isSpare: true) }
  }

  private func list(
    _ folder: borrowing Directory, _ path: [UInt8]
  ) throws(StoreError) -> [DirectoryEntry] {
    do { return try folder.entries() } catch { throw .system(error, path: path) }
  }

  private mutating func take(_ name: [UInt8], in index: borrowing Directory) throws(StoreError) {
    if let id = FileNameHex.segmentID(name) {
      segmentCount += 1
      guard segmentCount <= Limits.segmentFiles else {
        if segmentCount == Limits.segmentFiles + 1 {
          add(
            .tooMany, Layout.index, "more segments than the format allows",
            expected: "\(Limits.segmentFiles)")
        }
        return
      }
      try takeSegment(name, id, in: index)
    } else {
      try takeSlot(name, in: index, isSpare: false)
    }
  }

  // MARK: - Segments

  private mutating func takeSegment(
    _ name: [UInt8], _ id: SegmentID, in index: borrowing Directory
  ) throws(StoreError) {
    let path = Layout.path(Layout.index, name)
    guard let bytes = try read(name, path, in: index, limit: Self.segmentByteCount) else { return }
    if let damage = Recognition.damage(inFirst: bytes.span.extracting(first: Recognition.byteCount))
    {
      return add(Finding.Code(damage), path, "\(damage)")
    }
    do {
      let verified = try SegmentOpening.verify(bytes.span, vaultID: vault.header.vaultID)
      guard verified.id == id else {
        return add(
          .misnamed, path, "the segment's name is not its SHA-256", expected: id.hex,
          found: verified.id.hex)
      }
      let head = verified.file.head
      if head.vaultDigest != vault.headerDigest {
        add(
          .headerDiffers, Layout.header, "VAULT is not the one that this segment names",
          expected: head.vaultDigest.hex, found: vault.headerDigest.hex)
      }
      signers[head.compartment] = head.signer
      segments[head.compartment, default: []].append(LiveSegment(verified, bytes: bytes))
    } catch {
      switch error {
      case .crypto(let error): throw .crypto(error)
      case .format(let error): try addDamage(error, to: bytes, id, path)
      case .signerDoesNotFit: addMisfit(bytes, path, "\(error)")
      case .signatureInvalid: add(.badSignature, path, "\(error)")
      default: add(.malformed, path, "\(error)")
      }
    }
  }

  /// Only a segment whose name is its SHA-256 may be called newer: any other was altered (spec §7).
  private mutating func addDamage(
    _ error: FormatError, to bytes: [UInt8], _ id: SegmentID, _ path: [UInt8]
  ) throws(StoreError) {
    let code = Finding.Code(error)
    let found: Digest
    do { found = Digest(try SHA256.digest(bytes.span)) } catch { throw .crypto(error) }
    if code == .newerVersion, found.segmentID != id {
      return add(
        .malformed, path, "the segment was altered: its name is not its SHA-256", expected: id.hex,
        found: found.segmentID.hex)
    }
    add(code, path, "\(error)")
  }

  /// A signer that does not fit its compartment here may fit it in the vault that the segment was made for.
  private mutating func addMisfit(_ bytes: [UInt8], _ path: [UInt8], _ message: String) {
    // It was decoded before, so there is a head.
    if let head = try? SegmentFile(decoding: bytes.span).head,
      head.vaultDigest != vault.headerDigest
    {
      return add(
        .foreignVault, path, "the segment belongs to another vault",
        expected: vault.headerDigest.hex, found: head.vaultDigest.hex)
    }
    add(.wrongSigner, path, message)
  }

  private static let segmentByteCount =
    Limits.preambleByteCount + Limits.publicMapByteCount.upperBound + Limits.commitmentByteCount
    + Limits.listsByteCount.upperBound + Limits.segmentBoxByteCount.upperBound
    + 2 * Limits.signatureByteCount

  // MARK: - Slots

  private mutating func takeSlot(
    _ name: [UInt8], in folder: borrowing Directory, isSpare: Bool
  ) throws(StoreError) {
    let folderName = isSpare ? Layout.spare : Layout.index
    let path = Layout.path(folderName, name)
    guard let locator = FileNameHex.locator(name) else {
      return findings.append(Finding.foreign(name, at: path))
    }
    guard slots.count(where: { $0.isSpare == isSpare }) < Limits.slotFiles else {
      return add(
        .tooMany, path, "more slots than the format allows", expected: "\(Limits.slotFiles)")
    }
    guard let bytes = try read(name, path, in: folder, limit: Limits.slotFileByteCount) else {
      return
    }
    let state: State
    do {
      state = .file(Digest(try SHA256.digest(bytes.span)), byteCount: UInt64(bytes.count))
    } catch {
      throw .crypto(error)
    }
    slots.append(
      SlotFile(
        locator: locator, isSpare: isSpare, slot: parse(bytes, locator, path), state: state))
  }

  private mutating func parse(_ bytes: [UInt8], _ locator: Locator, _ path: [UInt8]) -> KeySlot? {
    if let damage = Recognition.damage(inFirst: bytes.span.extracting(first: Recognition.byteCount))
    {
      add(Finding.Code(damage), path, "\(damage)")
      return nil
    }
    do {
      let slot = try KeySlot(decoding: bytes.span, bounds: bounds)
      guard slot.head.locator == locator else {
        add(
          .misnamed, path, "the slot's name is not its locator", expected: slot.head.locator.hex,
          found: locator.hex)
        return nil
      }
      if slot.head.vaultID != vault.header.vaultID || slot.head.vaultSalt != vault.header.vaultSalt
      {
        add(
          .foreignVault, path, "the slot belongs to another vault",
          expected: vault.header.vaultID.hex, found: slot.head.vaultID.hex)
      }
      return slot
    } catch {
      switch error {
      case .newerVersion, .newerSuite, .unknownPurpose: add(.slotPassedOver, path, "\(error)")
      default: add(Finding.Code(error), path, "\(error)")
      }
      return nil
    }
  }

  // MARK: - Both

  /// The file's bytes; nil with a finding where it cannot be read. A file that vanished is thrown.
  private mutating func read(
    _ name: [UInt8], _ path: [UInt8], in folder: borrowing Directory, limit: Int
  ) throws(StoreError) -> [UInt8]? {
    do {
      let bytes = try folder.readWhole(name, limit: limit)
      readFileCount += 1
      readByteCount += UInt64(bytes.count)
      return bytes
    } catch {
      if error.code == .notFound { throw .system(error, path: path) }
      findings.append(Finding(error, at: path))
      return nil
    }
  }

  private mutating func add(
    _ code: Finding.Code, _ path: [UInt8], _ message: String, expected: String? = nil,
    found: String? = nil
  ) {
    findings.append(Finding(code, path, message, expected: expected, found: found))
  }
}

extension Finding {
  /// What a system error on a file of the vault means.
  package init(_ error: SystemError, at path: [UInt8]) {
    switch error {
    case .notRegular(let kind):
      self.init(.notARegularFile, path, "not a regular file", found: "\(kind)")
    case .overLimit(let byteCount):
      self.init(
        .extraBytes, path, "larger than a file of its kind can be",
        expected: "at most \(byteCount) bytes")
    case .failed(_, let code) where code == .notAFolder || code == .link || code == .isAFolder:
      self.init(.notARegularFile, path, "a link, folder or special file where another kind belongs")
    case .failed:
      self.init(.unreadable, path, "\(error)")
    }
  }

  /// A file whose name is none of the vault's.
  package static func foreign(_ name: [UInt8], at path: [UInt8]) -> Finding {
    if name.first == UInt8(ascii: "."), name.suffix(7).elementsEqual(".icloud".utf8) {
      return Finding(
        .notDownloaded, path, "a placeholder of a sync tool; the file itself was not downloaded")
    }
    return Finding(.foreignFile, path, "does not belong into a vault")
  }
}
