import VaultFormat
import VaultStore

/// What `info` reports: the JSON object `vaulttool-info/1` (spec/command-line.md).
struct InfoReport: Encodable {
  struct Compartment: Encodable {
    let id: String
    let signer: String
    let segments: Int
    let liveSegments: Int
    let notes: Int
    let deleted: Int
  }

  struct Slot: Encodable {
    let locator: String
    let purpose: String
    let iterations: UInt32
    let label: String?
    let hint: String?
    let compartment: String
  }

  struct Unlocked: Encodable {
    let files: Int
    let folders: Int
    let links: Int
    let contentBytes: UInt64
    let openedCompartments: [String]
    let openedSlots: [String]
    let lockedNotes: Int
  }

  let schema = "vaulttool-info/1"
  let vaultID: String
  let formatVersion = Int(Preamble.version)
  let compartments: [Compartment]
  let slots: [Slot]
  let sealedBytes: UInt64
  let unlocked: Unlocked?

  init(_ vault: VaultFolder, _ snapshot: Snapshot, _ opened: UnlockedVault?) {
    vaultID = vault.header.vaultID.hex
    let indexes = snapshot.compartments.values.sorted { $0.compartment < $1.compartment }
    compartments = indexes.map { index in
      Compartment(
        id: index.compartment.hex, signer: index.signer.hex, segments: index.graph.nodes.count,
        liveSegments: index.live.count, notes: index.aliveCount, deleted: index.deletedCount)
    }
    slots = snapshot.slots.filter { !$0.isSpare }.compactMap(\.slot).map { slot in
      Slot(
        locator: slot.head.locator.hex,
        purpose: slot.head.purpose == .passphrase ? "passphrase" : "phrase",
        iterations: slot.head.iterations, label: slot.head.label, hint: slot.head.hint,
        compartment: slot.head.compartment.hex)
    }
    sealedBytes = indexes.reduce(0) { $0 + $1.sealedByteCount }
    unlocked = opened.map { opened in
      let types = opened.notes.map(\.record.type)
      return Unlocked(
        files: types.count { $0 == .file }, folders: types.count { $0 == .folder },
        links: types.count { $0 == .link },
        contentBytes: opened.notes.reduce(0) { $0 + $1.record.contentByteCount },
        openedCompartments: opened.compartments.map(\.index.compartment.hex),
        openedSlots: opened.openedSlots.map(\.hex).sorted(), lockedNotes: opened.lockedNoteCount)
    }
  }

  /// The same for people, a line each.
  var lines: [String] {
    var lines = ["vault        \(vaultID), format version \(formatVersion)"]
    for compartment in compartments {
      lines.append("signer       \(compartment.signer)")
      lines.append(
        "  compartment \(compartment.id): \(compartment.notes) notes, \(compartment.deleted) deleted, "
          + "\(compartment.segments) segments")
    }
    // Slots of a compartment without a valid segment count too.
    let hasSeveral = Set(slots.map(\.compartment) + compartments.map(\.id)).count > 1
    for slot in slots {
      let label = slot.label.map { ", label \(DisplayName($0).quoted)" } ?? ""
      let hint = slot.hint.map { ", hint \(DisplayName($0).quoted)" } ?? ""
      let isOpened = unlocked?.openedSlots.contains(slot.locator) ?? false
      lines.append(
        "slot         \(slot.purpose), \(slot.iterations) iterations\(label)\(hint)"
          + (hasSeveral ? ", compartment \(slot.compartment.prefix(8))" : "")
          + (isOpened ? ", opened by the secret" : ""))
    }
    lines.append("sealed       \(sealedBytes) bytes")
    if let unlocked {
      lines.append(
        "unlocked     \(unlocked.files) files, \(unlocked.folders) folders, \(unlocked.links) links, "
          + "\(unlocked.contentBytes) bytes of content")
    }
    return lines
  }
}
