internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// Reads `index/` and `spare/` once.
struct SnapshotLoader {
  let vault: VaultFolder
  let bounds: KDFBounds
  let reading: Snapshot.Reading
  private var slots: [SlotFile] = []
  private var segments: [CompartmentID: [LiveSegment]] = [:]
  private var signers: [CompartmentID: SignerKey] = [:]
  private var segmentCount = 0
  private var readFileCount = 0
  private var readByteCount: UInt64 = 0
  private var findings: [Finding] = []
  private var handOvers = HandOvers()
  private var handedOverSegments: [SegmentID] = []

  init(vault: VaultFolder, bounds: KDFBounds, reading: Snapshot.Reading) {
    self.vault = vault
    self.bounds = bounds
    self.reading = reading
  }

  /// Segments come first, because what they list decides which slots are read where there are too many.
  mutating func load() throws(StoreError) -> Snapshot {
    var names: [[UInt8]] = []
    var compartments: [CompartmentID: CompartmentIndex] = [:]
    if let index = try vault.subfolder(Layout.index) {
      names = try list(index, Layout.index).map(\.name)
      let readsSegments = reading == .slots ? try hasTooManySlots(names) : true
      if readsSegments {
        for name in names {
          if let id = FileNameHex.segmentID(name) { try take(name, id, in: index) }
        }
        compartments = try folded()
      }
      let others = names.filter { FileNameHex.segmentID($0) == nil }
      for name in listedFirst(others, compartments) {
        try takeSlot(name, in: index, isSpare: false)
      }
    }
    try takeSpares(compartments)
    return Snapshot(
      slots: slots, compartments: compartments, handOvers: handOvers,
      handedOverSegments: handedOverSegments.sorted(), indexNames: names, findings: findings,
      segmentCount: segmentCount, readFileCount: readFileCount, readByteCount: readByteCount)
  }

  private func hasTooManySlots(_ names: [[UInt8]]) throws(StoreError) -> Bool {
    if names.count(where: { FileNameHex.locator($0) != nil }) > Limits.slotFiles { return true }
    guard let spare = try vault.subfolder(Layout.spare) else { return false }
    return try list(spare, Layout.spare).count > Limits.slotFiles
  }

  private mutating func folded() throws(StoreError) -> [CompartmentID: CompartmentIndex] {
    handOvers = try HandOvers(segments, vaultID: vault.header.vaultID)
    var compartments: [CompartmentID: CompartmentIndex] = [:]
    for (id, segments) in segments {
      guard let signer = signers[id] else { continue }
      let index = CompartmentIndex(
        compartment: id, signer: signer, segments: segments,
        handedOver: handOvers.replaced(in: id))
      // What was handed over whole is no compartment any more.
      if index.live.isEmpty, handOvers.closed[id] != nil {
        handedOverSegments += segments.map(\.id)
      } else {
        compartments[id] = index
      }
    }
    return compartments
  }

  /// Slots that are listed as current before those that anybody may have put there, so that these do not take the places
  /// of the vault's own; those of the first compartment come first, because a stranger can sign a compartment too.
  private func listedFirst(
    _ names: [[UInt8]], _ compartments: [CompartmentID: CompartmentIndex]
  ) -> [[UInt8]] {
    let first = compartments[handOvers.successor(of: vault.header.firstCompartment)]
    var listed = Set<Locator>()
    for compartment in compartments.values {
      for (locator, register) in compartment.slots where register.isAlive { listed.insert(locator) }
    }
    var ranks: [[[UInt8]]] = [[], [], []]
    for name in names {
      let locator = FileNameHex.locator(name)
      let isListed = locator.map(listed.contains) ?? false
      let isFirst = locator.flatMap { first?.slots[$0]?.isAlive } ?? false
      ranks[isFirst ? 0 : isListed ? 1 : 2].append(name)
    }
    return Array(ranks.joined())
  }

  /// The spares are second copies: that they cannot be listed is a finding, and the rest is read all the same.
  private mutating func takeSpares(
    _ compartments: [CompartmentID: CompartmentIndex]
  ) throws(StoreError) {
    let names: [[UInt8]]
    do throws(SystemError) {
      guard try vault.root.status(of: Layout.spare) != nil else { return }
      let spare = try Directory(opening: Layout.spare, in: vault.root)
      names = try spare.entries().map(\.name)
    } catch {
      return findings.append(Finding(error, at: Layout.spare))
    }
    guard let spare = try vault.subfolder(Layout.spare) else { return }
    for name in listedFirst(names, compartments) { try takeSlot(name, in: spare, isSpare: true) }
  }

  private func list(
    _ folder: borrowing Directory, _ path: [UInt8]
  ) throws(StoreError) -> [DirectoryEntry] {
    do { return try folder.entries() } catch { throw .system(error, path: path) }
  }

  // MARK: - Segments

  private mutating func take(
    _ name: [UInt8], _ id: SegmentID, in index: borrowing Directory
  ) throws(StoreError) {
    segmentCount += 1
    guard segmentCount <= Limits.segmentFiles else {
      if segmentCount == Limits.segmentFiles + 1 {
        add(
          .tooMany, Layout.index, "more segments than the format allows",
          expected: "\(Limits.segmentFiles)")
      }
      return
    }
    let path = Layout.path(Layout.index, name)
    guard let limit = try loadLimit(name, id, path, in: index),
      let bytes = try read(name, path, in: index, limit: limit)
    else { return }
    if let damage = Recognition.damage(inFirst: bytes.span.extracting(first: Recognition.byteCount))
    {
      return add(Finding.Code(damage), path, "\(damage)")
    }
    do {
      let verified = try SegmentOpening.verify(
        bytes.span, vaultID: vault.header.vaultID, omittingNotes: reading == .slotsAndGraph)
      guard verified.id == id else { return addMisnamed(id, found: verified.id, path) }
      let head = verified.file.head
      if head.vaultDigest != vault.headerDigest {
        add(
          .headerDiffers, Layout.header, "VAULT is not the one that this segment names",
          expected: head.vaultDigest.hex, found: vault.headerDigest.hex)
      }
      signers[head.compartment] = head.signer
      segments[head.compartment, default: []].append(LiveSegment(verified, bytes: bytes))
    } catch {
      // A signer that does not fit was read from a head that decodes.
      let head = try? SegmentFile(decoding: bytes.span).head
      try addRefusal(error, head, id, path) { () throws(StoreError) in try Self.digest(bytes) }
    }
  }

  /// How many bytes of a segment may be loaded; nil with a finding for a large one that is not what it says it is.
  private mutating func loadLimit(
    _ name: [UInt8], _ id: SegmentID, _ path: [UInt8], in index: borrowing Directory
  ) throws(StoreError) -> Int? {
    // What cannot be looked at, or is no file, gets its finding when it is read.
    guard let status = try? index.status(of: name), status.kind == .regular,
      status.byteCount > UInt64(LargeSegment.thresholdByteCount)
    else { return LargeSegment.thresholdByteCount }
    guard status.byteCount <= UInt64(SegmentFile.mostByteCount) else {
      return SegmentFile.mostByteCount
    }
    do throws(StoreError) {
      let file: FileDescriptor
      do { file = try index.openFile(name) } catch { throw .system(error, path: path) }
      let segment = try LargeSegment(file, path: path)
      return try check(segment, id, path) ? segment.byteCount : nil
    } catch {
      guard case .system(let cause, _) = error, cause.code != .notFound else { throw error }
      findings.append(Finding(cause, at: path))
      return nil
    }
  }

  /// Whether a large segment is whole, signed and well named; otherwise there is a finding.
  private mutating func check(
    _ segment: borrowing LargeSegment, _ id: SegmentID, _ path: [UInt8]
  ) throws(StoreError) -> Bool {
    var head: SegmentHead?
    let refusal: SealingError
    do throws(StoreError) {
      let file = try segment.head()
      head = file.head
      let found = try segment.verify(file, vaultID: vault.header.vaultID).segmentID
      if found != id { addMisnamed(id, found: found, path) }
      return found == id
    } catch {
      switch error {
      case .damaged(_, let cause): refusal = .format(cause)
      case .sealing(let cause, _): refusal = cause
      default: throw error
      }
    }
    try addRefusal(refusal, head, id, path) { () throws(StoreError) in try segment.digest() }
    return false
  }

  private mutating func addMisnamed(_ id: SegmentID, found: SegmentID, _ path: [UInt8]) {
    add(
      .misnamed, path, "the segment's name is not its SHA-256", expected: id.hex, found: found.hex)
  }

  /// Says why a segment does not count.
  private mutating func addRefusal(
    _ error: SealingError, _ head: SegmentHead?, _ id: SegmentID, _ path: [UInt8],
    digest: () throws(StoreError) -> Digest
  ) throws(StoreError) {
    switch error {
    case .crypto(let error): throw .crypto(error)
    case .format(let error): try addDamage(error, id, path, digest: digest)
    case .signerDoesNotFit: addMisfit(head, path, "\(error)")
    case .signatureInvalid: add(.badSignature, path, "\(error)")
    default: add(.malformed, path, "\(error)")
    }
  }

  /// Only a segment whose name is its SHA-256 may be called newer: any other was altered (spec §7).
  private mutating func addDamage(
    _ error: FormatError, _ id: SegmentID, _ path: [UInt8],
    digest: () throws(StoreError) -> Digest
  ) throws(StoreError) {
    let code = Finding.Code(error)
    if code == .newerVersion {
      let found = try digest().segmentID
      guard found == id else {
        return add(
          .malformed, path, "the segment was altered: its name is not its SHA-256",
          expected: id.hex, found: found.hex)
      }
    }
    add(code, path, "\(error)")
  }

  /// A signer that does not fit its compartment here may fit it in the vault that the segment was made for.
  private mutating func addMisfit(_ head: SegmentHead?, _ path: [UInt8], _ message: String) {
    if let head, head.vaultDigest != vault.headerDigest {
      return add(
        .foreignVault, path, "the segment belongs to another vault",
        expected: vault.headerDigest.hex, found: head.vaultDigest.hex)
    }
    add(.wrongSigner, path, message)
  }

  private static func digest(_ bytes: [UInt8]) throws(StoreError) -> Digest {
    do { return Digest(try SHA256.digest(bytes.span)) } catch { throw .crypto(error) }
  }

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
    let state = State.file(try Self.digest(bytes), byteCount: UInt64(bytes.count))
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
