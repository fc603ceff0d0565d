internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// Makes a new vault: its header, two slots with their spares, companions, and the segment that lists them (spec §7.4).
package struct VaultCreation: ~Copyable {
  /// What a guess costs: PBKDF2 iterations of the two slots.
  package struct Costs: Sendable {
    package let passphrase: UInt32
    package let phrase: UInt32

    package init(passphrase: UInt32, phrase: UInt32) {
      self.passphrase = passphrase
      self.phrase = phrase
    }

    /// What the format asks of new slots (spec §5.2).
    package static let standard = Costs(
      passphrase: Limits.passphraseIterations.lowerBound,
      phrase: Limits.phraseIterations.lowerBound)

    func iterations(for purpose: SlotPurpose) -> UInt32 {
      switch purpose {
      case .passphrase: passphrase
      case .phrase: phrase
      }
    }
  }

  private let path: [UInt8]
  private let header: VaultHeader
  private let headerDigest: Digest
  private let slots: [NewSlot]
  /// What the passphrase opens, so that whoever goes on writing need not derive it again.
  package let opened: OpenedSlots
  private let segment: SealedSegment

  /// Prepares everything in memory; the two derivations run at the same time. Touches no file.
  /// - Throws: `crypto`, `sealing`.
  package init(
    at path: [UInt8], passphrase: consuming VaultSecret, phrase: consuming VaultSecret,
    label: String?, hint: String?, costs: Costs, bounds: KDFBounds
  ) throws(StoreError) {
    let (vaultID, salt) = try Self.freshIdentity()
    let phraseTask = try SlotDerivation(of: phrase, vaultID: vaultID, vaultSalt: salt, costs: costs)
    let passphraseKey = try SlotDerivation(
      of: passphrase, vaultID: vaultID, vaultSalt: salt, costs: costs
    ).finish()
    let phraseKey = try phraseTask.finish()
    let secret = try CompartmentSecret.fresh(in: vaultID)
    let header = try Self.header(vaultID, salt, secret)
    let slots = [
      try NewSlot(
        SlotRequest(passphraseKey, label: label, hint: hint), for: secret, in: header,
        bounds: bounds),
      try NewSlot(
        SlotRequest(phraseKey, label: nil, hint: nil), for: secret, in: header, bounds: bounds),
    ]
    let headerDigest = try Self.digest(header.encoded())
    let segment = try Self.firstSegment(slots, secret, headerDigest)
    let opened = OpenedSlots(
      secrets: [secret.keys.compartmentID: try secret.withoutMasterKey()], slots: [slots[0].slot],
      report: SlotReport())
    self.header = header
    self.headerDigest = headerDigest
    self.slots = slots
    self.opened = opened
    self.segment = segment
    self.path = path
  }

  /// Writes the vault into a new or empty directory; the file `VAULT` comes last, and with it the vault is there.
  ///
  /// When this throws, what it made is removed again.
  /// - Parameter faults: lets a test fail at any step.
  /// - Throws: `notEmpty`, `system`.
  package consuming func write(faults: FaultPlan? = nil) throws(StoreError) -> VaultFolder {
    let isNew = try makeFolder()
    do throws(SystemError) {
      let root = try Directory(path: path, faults: faults)
      guard try root.entries().isEmpty else { throw SystemError(call: "open", code: .notEmpty) }
      do {
        try fill(root)
      } catch {
        Self.empty(root)
        throw error
      }
    } catch {
      // The directory is empty again if we made it; if not, it stays and says why itself.
      if isNew { try? Directory.remove(path: path) }
      throw error.code == .notEmpty ? .notEmpty(path: path) : .system(error, path: path)
    }
    return try VaultFolder(path: path)
  }

  private func makeFolder() throws(StoreError) -> Bool {
    do {
      try Directory.make(path: path, mode: 0o777)
      return true
    } catch {
      if error.code == .exists { return false }
      throw .system(error, path: path)
    }
  }

  private func fill(_ root: borrowing Directory) throws(SystemError) {
    for name in [Layout.index, Layout.spare, Layout.notes] {
      try root.makeDirectory(name, mode: 0o777)
    }
    for file in CompanionFiles.all { try Self.write(file.bytes, as: file.path, in: root) }
    let index = try Directory(opening: Layout.index, in: root)
    let spare = try Directory(opening: Layout.spare, in: root)
    for slot in slots {
      try Self.write(slot.bytes, as: slot.name, in: index)
      try Self.write(slot.bytes, as: slot.name, in: spare)
    }
    try Self.write(segment.bytes, as: FileNameHex.name(of: segment.segment.id), in: index)
    try root.syncFileSystem()
    let bytes = header.encoded()
    try AtomicWrite.save(
      bytes.span, as: Layout.header, in: root, mode: 0o666,
      temporaryName: Layout.header + Array(".part".utf8),
      replacing: .forbidden)
  }

  /// Writes a file and reads it back: a key that cannot be read again must not be the only one.
  private static func write(
    _ bytes: [UInt8], as name: [UInt8], in folder: borrowing Directory
  ) throws(SystemError) {
    let file = try folder.createFile(name, mode: 0o666)
    try file.write(bytes.span, at: 0)
    try file.sync()
    try file.close()
    guard try folder.readWhole(name, limit: bytes.count) == bytes else {
      throw SystemError(call: "read", code: .inputOutput)
    }
  }

  /// Removes what `fill` may have made, `VAULT` first; only names it uses.
  private static func empty(_ root: borrowing Directory) {
    try? root.unlink(Layout.header)
    for name in [Layout.index, Layout.spare, Layout.notes] {
      guard let folder = try? Directory(opening: name, in: root) else { continue }
      for entry in (try? folder.entries()) ?? [] { try? folder.unlink(entry.name) }
      try? root.removeDirectory(name)
    }
    for file in CompanionFiles.all { try? root.unlink(file.path) }
  }
}

// MARK: - What goes into it

extension VaultCreation {
  private static func freshIdentity() throws(StoreError) -> (VaultID, Salt) {
    do {
      let fresh = try Fresh()
      return (fresh.id.retyped(as: VaultID.self), fresh.salt)
    } catch {
      throw .sealing(error, path: [])
    }
  }

  private static func header(
    _ vaultID: VaultID, _ salt: Salt, _ secret: CompartmentSecret
  ) throws(StoreError) -> VaultHeader {
    do {
      return try VaultHeader(
        vaultID: vaultID, vaultSalt: salt, firstCompartment: secret.keys.compartmentID,
        laterKeys: LaterKeys())
    } catch {
      throw .sealing(.format(error), path: Layout.header)
    }
  }

  private static func digest(_ bytes: [UInt8]) throws(StoreError) -> Digest {
    do { return Digest(try SHA256.digest(bytes.span)) } catch { throw .crypto(error) }
  }

  private static func firstSegment(
    _ slots: [NewSlot], _ secret: CompartmentSecret, _ headerDigest: Digest
  ) throws(StoreError) -> SealedSegment {
    var change = IndexChange()
    for slot in slots {
      try change.state(.slot(slot.slot.head.locator), slot.state, over: Register())
    }
    for file in CompanionFiles.all {
      let state = State.file(try digest(file.bytes), byteCount: UInt64(file.bytes.count))
      try change.state(.companion(file.path), state, over: Register())
    }
    change.sort()
    let lists: SegmentLists
    do {
      lists = try SegmentLists(parents: [], replaces: [], excuses: [], entries: change.entries)
    } catch {
      throw .sealing(.format(error), path: [])
    }
    return try SegmentMaking.seal(lists, items: [], secret: secret, vaultDigest: headerDigest)
  }
}
