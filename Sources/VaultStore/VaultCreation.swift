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
  }

  private let path: [UInt8]
  private let header: VaultHeader
  private let headerDigest: Digest
  private let slots: [KeySlot]
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
    let phraseTask = try Self.derive(phrase, costs.phrase, vaultID, salt)
    let passphraseKey = try Self.derive(passphrase, costs.passphrase, vaultID, salt).wait()
    let phraseKey = try phraseTask.wait()
    do throws(SealingError) {
      let masterKey: SecretBytes
      do { masterKey = try Random.secret(Limits.masterKeyByteCount) } catch {
        throw .crypto(error)
      }
      let secret = CompartmentSecret(try CompartmentKeys(masterKey: masterKey, vaultID: vaultID))
      let header: VaultHeader
      do {
        header = try VaultHeader(
          vaultID: vaultID, vaultSalt: salt, firstCompartment: secret.keys.compartmentID,
          laterKeys: LaterKeys())
      } catch {
        throw .format(error)
      }
      let fresh = (try Fresh(), try Fresh())
      let slots = [
        try SlotSealing.wrap(
          masterKey: masterKey, derived: passphraseKey, vault: header,
          terms: SlotTerms(
            purpose: .passphrase, iterations: costs.passphrase, slotSalt: fresh.0.salt,
            label: label, hint: hint),
          nonce: fresh.0.nonce, bounds: bounds),
        try SlotSealing.wrap(
          masterKey: masterKey, derived: phraseKey, vault: header,
          terms: SlotTerms(
            purpose: .phrase, iterations: costs.phrase, slotSalt: fresh.1.salt, label: nil,
            hint: nil),
          nonce: fresh.1.nonce, bounds: bounds),
      ]
      let headerDigest = try Self.digest(header.encoded())
      segment = try Self.firstSegment(slots, secret, headerDigest)
      self.header = header
      self.headerDigest = headerDigest
      self.slots = slots
      opened = OpenedSlots(
        secrets: [secret.keys.compartmentID: secret], slots: [slots[0]], report: SlotReport())
    } catch {
      throw .sealing(error, path: [])
    }
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
      let name = FileNameHex.name(of: slot.head.locator)
      try Self.write(slot.encoded(), as: name, in: index)
      try Self.write(slot.encoded(), as: name, in: spare)
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

  private static func derive(
    _ secret: consuming VaultSecret, _ iterations: UInt32, _ vaultID: VaultID, _ salt: Salt
  ) throws(StoreError) -> BackgroundTask<SecretBytes, StoreError> {
    let held = HeldSecret(secret)
    do throws(SystemError) {
      return try BackgroundTask { () throws(StoreError) -> SecretBytes in
        do throws(SealingError) {
          return try SlotSecret.derive(
            prepared: held.value.prepared, purpose: held.value.purpose, iterations: iterations,
            vaultID: vaultID, vaultSalt: salt)
        } catch {
          throw .sealing(error, path: [])
        }
      }
    } catch {
      throw .system(error, path: [])
    }
  }

  private static func digest(_ bytes: [UInt8]) throws(SealingError) -> Digest {
    do { return Digest(try SHA256.digest(bytes.span)) } catch { throw .crypto(error) }
  }

  private static func firstSegment(
    _ slots: [KeySlot], _ secret: CompartmentSecret, _ headerDigest: Digest
  ) throws(SealingError) -> SealedSegment {
    var change = IndexChange()
    do throws(StoreError) {
      for slot in slots {
        let bytes = slot.encoded()
        try change.state(.slot(slot.head.locator), try state(of: bytes), over: Register())
      }
      for file in CompanionFiles.all {
        try change.state(.companion(file.path), try state(of: file.bytes), over: Register())
      }
      change.sort()
      let lists: SegmentLists
      do {
        lists = try SegmentLists(parents: [], replaces: [], excuses: [], entries: change.entries)
      } catch {
        throw .sealing(.format(error), path: [])
      }
      return try SegmentMaking.seal(
        lists, items: [], secret: secret, vaultDigest: headerDigest)
    } catch {
      if case .sealing(let error, _) = error { throw error }
      throw .selfCheckFailed
    }
  }

  private static func state(of bytes: [UInt8]) throws(StoreError) -> State {
    do {
      return .file(try digest(bytes), byteCount: UInt64(bytes.count))
    } catch {
      throw .sealing(error, path: [])
    }
  }
}
