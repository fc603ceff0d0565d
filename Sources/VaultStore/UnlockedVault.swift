internal import VaultCrypto
package import VaultFormat
package import VaultSealing

/// The keys of one compartment, shared by all threads of a command.
package final class CompartmentSecret: Sendable {
  package let keys: CompartmentKeys
  /// The master key itself, which only a command that makes slots asks to keep.
  let masterKey: MasterKey?

  init(_ keys: consuming CompartmentKeys, masterKey: MasterKey? = nil) {
    self.keys = keys
    self.masterKey = masterKey
  }
}

extension CompartmentSecret {
  /// The secret of a compartment that nobody has yet, with its master key.
  /// - Throws: `crypto`, `sealing`.
  static func fresh(in vault: VaultID) throws(StoreError) -> CompartmentSecret {
    let masterKey: SecretBytes
    do { masterKey = try Random.secret(Limits.masterKeyByteCount) } catch { throw .crypto(error) }
    do {
      let keys = try CompartmentKeys(masterKey: masterKey, vaultID: vault)
      return CompartmentSecret(keys, masterKey: MasterKey(masterKey))
    } catch {
      throw .sealing(error, path: [])
    }
  }

  /// The same keys for whoever makes no slots; the master key stays with those who hold `self`.
  func withoutMasterKey() throws(StoreError) -> CompartmentSecret {
    guard let masterKey else { return self }
    do {
      return CompartmentSecret(
        try CompartmentKeys(masterKey: masterKey.bytes, vaultID: keys.vaultID))
    } catch {
      throw .sealing(error, path: [])
    }
  }
}

/// A master key that a command wraps again; wiped when the last who holds it lets go.
final class MasterKey: Sendable {
  let bytes: SecretBytes
  init(_ bytes: consuming SecretBytes) { self.bytes = bytes }
}

/// One compartment that the secret opened.
package struct UnlockedCompartment: Sendable {
  package let secret: CompartmentSecret
  package let index: CompartmentIndex
  package let table: NoteTable
}

/// What a secret opened of a vault.
package struct UnlockedVault: Sendable {
  package let vault: VaultFolder
  package let snapshot: Snapshot
  /// The alive notes of all opened compartments, ascending by shown path, each file and link under a path of its own
  /// (spec §8.1).
  package let notes: [NoteInfo]
  /// Ascending by compartment id; empty only where the secret is one of before the vault was re-keyed.
  package let compartments: [UnlockedCompartment]
  /// Compartments in the vault that the secret does not open, ascending.
  package let lockedCompartments: [CompartmentID]
  /// The slots that the secrets opened.
  package let openedSlots: Set<Locator>
  /// Findings about slots and boxes, for a warning.
  package let findings: [Finding]

  init(
    vault: VaultFolder, snapshot: Snapshot, compartments: [UnlockedCompartment],
    lockedCompartments: [CompartmentID], openedSlots: Set<Locator>, findings: [Finding]
  ) {
    self.vault = vault
    self.snapshot = snapshot
    self.compartments = compartments
    self.lockedCompartments = lockedCompartments
    self.openedSlots = openedSlots
    self.findings = findings
    var notes = Self.sorted(compartments.flatMap(\.table.notes))
    let isFormer = { (note: NoteInfo) in snapshot.isClosed(note.compartment) }
    // Most vaults were never re-keyed, and of most others nothing is left of before.
    let hasFormer = compartments.contains { snapshot.isClosed($0.index.compartment) }
    let names = ShownNames.of(
      hasFormer ? notes.filter { !isFormer($0) }.map(\.named) : notes.map(\.named),
      former: hasFormer ? notes.filter(isFormer).map(\.named) : [])
    if !names.current.renamed.isEmpty || !names.former.renamed.isEmpty {
      for index in notes.indices {
        let own = isFormer(notes[index]) ? names.former : names.current
        notes[index].shownPath = own.name(of: notes[index].id, path: notes[index].path)
      }
      notes = Self.sorted(notes)
    }
    self.notes = notes
  }

  /// In the order of shown paths, then ids. What is moved about is positions, because notes are large.
  private static func sorted(_ notes: [NoteInfo]) -> [NoteInfo] {
    let paths = notes.map(\.shownPath)
    let order = notes.indices.sorted { one, other in
      if Syscalls.precedes(paths[one], paths[other]) { return true }
      return paths[one] == paths[other] && notes[one].id < notes[other].id
    }
    return order.map { notes[$0] }
  }

  /// How many notes the locked compartments hold, which anyone can count.
  package var lockedNoteCount: Int {
    lockedCompartments.reduce(0) { $0 + (snapshot.compartments[$1]?.aliveCount ?? 0) }
  }

  /// The keys of the compartment that a note belongs to.
  package func secret(of note: NoteInfo) -> CompartmentSecret? {
    compartments.first { $0.index.compartment == note.compartment }?.secret
  }

  /// The files, folders or links at a path or below it; all notes for no path.
  package func notes(atOrBelow path: [UInt8]) -> [NoteInfo] {
    let below = path + [UInt8(ascii: "/")]
    return notes.filter { $0.shownPath == path || $0.shownPath.starts(with: below) }
  }

  /// The note at a path that has content: a file or link, not a folder.
  package func note(at path: [UInt8]) -> NoteInfo? {
    notes.first { $0.shownPath == path && $0.record.type != .folder }
  }
}

extension NoteInfo {
  /// What the rule of shown names needs to know of it.
  fileprivate var named: ShownNames.Note {
    .init(id: id, path: path, isFolder: record.type == .folder)
  }
}
