internal import VaultCrypto
package import VaultFormat
internal import VaultSealing

/// One compartment that stays open for a while: its master key, never a passphrase, lies in the kernel's key ring of the
/// user under `vaulttool:` and the compartment's id, and its time-out begins anew with each use.
package struct Session: Sendable {
  /// How many minutes without use may end a session.
  package static let minutes: ClosedRange<Int> = 1...60
  /// How many do where nobody asks for another time.
  package static let usualMinutes = 8

  package let compartment: CompartmentID
  package let secret: CompartmentSecret
  /// Minutes without use after which it ends.
  package let minutes: Int
  /// Where the vault lay when it was unlocked, for people; may be empty.
  package let path: [UInt8]
  private let key: KeyRing.Key

  // Payload: vault id, master key, minutes, path.
  private static let masterKeyRange = 16..<(16 + Limits.masterKeyByteCount)
  private static let pathOffset = masterKeyRange.upperBound + 1
  private static let pathByteCount = 4_096
  private static let prefix = Array("vaulttool:".utf8)

  package var vaultID: VaultID { secret.keys.vaultID }

  /// Reads a key; nil where its time is over, or where it does not give the keys of its compartment: the signer, and from
  /// it the compartment id, must follow from the master key.
  private init?(_ key: KeyRing.Key, of compartment: CompartmentID) throws(SystemError) {
    let limit = Self.pathOffset + Self.pathByteCount
    guard let payload = try KeyRing.read(key, limit: limit), payload.count >= Self.pathOffset
    else { return nil }
    let parts = payload.withBytes { bytes -> (CompartmentSecret, Int, [UInt8])? in
      // Whatever it is that gives no keys: there is no session, and the secret is asked for.
      guard let vaultID = try? VaultID(copying: bytes.extracting(0..<16)),
        let masterKey = try? SecretBytes(copying: bytes.extracting(Self.masterKeyRange)),
        let keys = try? CompartmentKeys(masterKey: masterKey, vaultID: vaultID)
      else { return nil }
      return (
        CompartmentSecret(keys), Int(bytes[Self.pathOffset - 1]),
        [UInt8](copying: bytes.extracting(Self.pathOffset..<bytes.count))
      )
    }
    guard let (secret, minutes, path) = parts, secret.keys.compartmentID == compartment,
      Self.minutes.contains(minutes)
    else { return nil }
    self.compartment = compartment
    self.secret = secret
    self.minutes = minutes
    self.path = path
    self.key = key
  }

  private static func name(of compartment: CompartmentID) -> [UInt8] {
    prefix + Array(compartment.hex.utf8)
  }
}

// MARK: - Opening, finding, ending

extension Session {
  /// Opens sessions for the compartments that secrets opened with their master keys kept; one that was open begins anew.
  ///
  /// - Returns: the compartments, ascending.
  /// - Throws: `system` where the key ring takes none; then those that were opened here are ended.
  package static func open(
    _ opened: OpenedSlots, except closed: some Collection<CompartmentID>, minutes: Int,
    path: [UInt8]
  ) throws(StoreError) -> [CompartmentID] {
    precondition(Self.minutes.contains(minutes), "checked where it was given")
    var done: [CompartmentID] = []
    let hint = path.count <= pathByteCount ? path : []
    for (id, secret) in opened.secrets.sorted(by: { $0.key < $1.key }) where !closed.contains(id) {
      let payload = try payload(secret, minutes, hint)
      do {
        try KeyRing.add(payload, as: name(of: id), seconds: UInt32(minutes * 60))
      } catch {
        // What remains ends by itself; the failure is what matters.
        for id in done { _ = try? end(id) }
        throw .system(error, path: [])
      }
      done.append(id)
    }
    return done
  }

  private static func payload(
    _ secret: CompartmentSecret, _ minutes: Int, _ path: [UInt8]
  ) throws(StoreError) -> SecretBytes {
    guard let masterKey = secret.masterKey else {
      preconditionFailure("a session is opened with the master key")
    }
    do {
      var payload = try SecretBytes(count: pathOffset + path.count)
      let vaultID = secret.keys.vaultID.bytes
      payload.withMutableBytes { bytes in
        for index in vaultID.indices { bytes[index] = vaultID[index] }
        masterKey.bytes.withBytes { key in
          for index in key.indices { bytes[masterKeyRange.lowerBound + index] = key[index] }
        }
        bytes[pathOffset - 1] = UInt8(minutes)
        for index in path.indices { bytes[pathOffset + index] = path[index] }
      }
      return payload
    } catch {
      throw .crypto(error)
    }
  }

  /// The session of a compartment, nil where there is none. Not counted as a use.
  /// - Throws: `system` where the key ring cannot be used.
  package static func find(_ compartment: CompartmentID) throws(StoreError) -> Session? {
    do throws(SystemError) {
      guard let key = try KeyRing.find(name(of: compartment)) else { return nil }
      return try Session(key, of: compartment)
    } catch {
      throw .system(error, path: [])
    }
  }

  /// All sessions, ascending by compartment. Not counted as a use.
  /// - Throws: `system` where the key ring cannot be used.
  package static func all() throws(StoreError) -> [Session] {
    var sessions: [Session] = []
    do throws(SystemError) {
      for key in try KeyRing.keys(beginningWith: prefix) {
        let digits = Array(key.name[prefix.count...])
        guard let id = CompartmentID(hex: digits.span),
          let session = try Session(key, of: id)
        else { continue }
        sessions.append(session)
      }
    } catch {
      throw .system(error, path: [])
    }
    return sessions
  }

  /// Lets the time-out begin anew.
  package func use() {
    // One that ended this moment was still there when its key was read.
    try? KeyRing.renew(key, seconds: UInt32(minutes * 60))
  }

  /// The seconds that are left if it is not used; nil where the system does not tell.
  package var remainingSeconds: UInt32? { KeyRing.remainingSeconds(of: key) }

  /// Ends the session of a compartment, whatever lies there.
  /// - Returns: whether there was one.
  /// - Throws: `system`.
  package static func end(_ compartment: CompartmentID) throws(StoreError) -> Bool {
    do throws(SystemError) {
      guard let key = try KeyRing.find(name(of: compartment)) else { return false }
      try KeyRing.remove(key)
      return true
    } catch {
      throw .system(error, path: [])
    }
  }

  /// Ends all sessions, and whatever else has such a name.
  /// - Returns: how many there were.
  /// - Throws: `system`.
  package static func endAll() throws(StoreError) -> Int {
    do throws(SystemError) {
      let keys = try KeyRing.keys(beginningWith: prefix)
      for key in keys { try KeyRing.remove(key) }
      return keys.count
    } catch {
      throw .system(error, path: [])
    }
  }
}

// MARK: - Opening a vault

extension Session {
  /// What the sessions open of a vault together, each used by this; nil where none opens anything, or the system has no
  /// key ring. Compartments that were handed over do not count.
  package static func opened(
    of vault: VaultFolder, _ snapshot: Snapshot
  ) -> OpenedSlots? {
    var signers = snapshot.compartments.mapValues(\.signer)
    for slot in snapshot.usableSlots where slot.head.vaultID == vault.header.vaultID {
      signers[slot.head.compartment] = signers[slot.head.compartment] ?? slot.head.signer
    }
    var secrets: [CompartmentID: CompartmentSecret] = [:]
    for (id, signer) in signers.sorted(by: { $0.key < $1.key }) {
      if snapshot.handOvers.closed[id] != nil, snapshot.compartments[id] == nil { continue }
      // Where there is no ring there is no session, and the secret is asked for.
      guard let session = try? find(id), session.vaultID == vault.header.vaultID,
        session.secret.keys.signer == signer
      else { continue }
      session.use()
      secrets[id] = session.secret
    }
    return secrets.isEmpty ? nil : OpenedSlots(secrets: secrets, slots: [], report: SlotReport())
  }
}
