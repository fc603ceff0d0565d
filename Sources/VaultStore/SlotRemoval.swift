internal import VaultCrypto
internal import VaultFormat
internal import VaultSealing

/// The files of slots that ended go (spec §9.1 step 4).
struct SlotRemoval: Sendable {
  /// The slots that ended, each with what its files may hold.
  private var gone: [(locator: Locator, superseded: Set<StatePrefix>)] = []
  /// The slots that stay, each with the states that are current.
  private var staying: [(locator: Locator, states: [State])] = []

  /// What a compartment's index says of all its slots.
  init(of index: CompartmentIndex) {
    for (locator, register) in index.slots { add(locator, register) }
  }

  /// The same once the entries of a new segment have joined the index.
  init(of index: CompartmentIndex, joining entries: [IndexEntry]) {
    var slots = index.slots
    for entry in entries {
      if case .slot(let locator) = entry.id { slots[locator, default: Register()].join(entry) }
    }
    for (locator, register) in slots { add(locator, register) }
  }

  private mutating func add(_ locator: Locator, _ register: Register) {
    if register.isAlive {
      staying.append((locator, register.current))
    } else if register.current.contains(where: { !$0.isFile }) {
      gone.append((locator, Set(register.superseded)))
    }
  }

  /// Removes what is known to have ended, first from `index/`, then from `spare/`; nothing while no slot that stays lies
  /// in `index/`.
  /// - Throws: `system`, `crypto`.
  func run(in vault: VaultFolder) throws(StoreError) {
    for folder in [Layout.index, Layout.spare] {
      let found = try files(in: folder, of: vault)
      guard !found.isEmpty, try hasOneThatStays(vault) else { continue }
      do {
        let folder = try Directory(opening: folder, in: vault.root)
        for name in found { try folder.unlink(name) }
        try folder.sync()
      } catch {
        throw .system(error, path: folder)
      }
    }
  }

  /// The files in a folder whose bytes are those of a slot that ended.
  private func files(in name: [UInt8], of vault: VaultFolder) throws(StoreError) -> [[UInt8]] {
    guard let folder = try vault.subfolder(name) else { return [] }
    var found: [[UInt8]] = []
    for slot in gone {
      let file = Layout.slot(slot.locator)
      if let state = try SlotOnDisk.state(of: file, in: folder),
        slot.superseded.contains(state.prefix)
      {
        found.append(file)
      }
    }
    return found
  }

  private func hasOneThatStays(_ vault: VaultFolder) throws(StoreError) -> Bool {
    guard let index = try vault.subfolder(Layout.index) else { return false }
    for slot in staying {
      if let state = try SlotOnDisk.state(of: Layout.slot(slot.locator), in: index),
        slot.states.contains(state)
      {
        return true
      }
    }
    return false
  }
}

/// The bytes under a slot's name, whatever they are.
enum SlotOnDisk {
  /// Nil where nothing can be read that may be a slot: no file, a link, or more bytes than a slot has.
  /// - Throws: `crypto`.
  static func state(
    of name: [UInt8], in folder: borrowing Directory
  ) throws(StoreError) -> State? {
    // What cannot be read is no slot's file that is known; `verify` names it.
    guard let bytes = try? folder.readWhole(name, limit: Limits.slotFileByteCount) else {
      return nil
    }
    do {
      return .file(Digest(try SHA256.digest(bytes.span)), byteCount: UInt64(bytes.count))
    } catch {
      throw .crypto(error)
    }
  }
}
