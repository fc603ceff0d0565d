import VaultFormat
import VaultStore

/// A key slot as anyone can see it, whatever is left of its two files.
struct SlotEntry {
  /// The digits of a locator that people are shown.
  private static let shownDigits = 8

  let locator: Locator
  /// What the file says, or its spare; nil where neither can be read as a slot.
  let head: KeySlotHead?
  /// Nil for a file that no segment lists and that cannot be read.
  let compartment: CompartmentID?
  /// Whether a valid segment lists it as one that is there.
  let isListed: Bool
  /// Whether a file of its name lies in `index/`.
  let isInIndex: Bool
  /// Whether `spare/` holds the same bytes, or any where `index/` has none.
  let hasSpare: Bool
  /// Whether it is of a version, suite or purpose that this program does not know.
  let isPassedOver: Bool

  /// The start of the locator, by which a person can name the slot.
  var shortName: String { String(locator.hex.prefix(Self.shownDigits)) }

  /// What a list of choices calls it.
  var choiceText: String {
    head?.label.map { "\(DisplayName($0).quoted) (\(shortName))" } ?? shortName
  }
}

/// All slots of a vault: those that have files, and those that segments list and whose files are lost.
struct SlotListing {
  /// In the order of compartments, purposes and locators.
  let entries: [SlotEntry]

  init(_ snapshot: Snapshot) {
    var locators = Set(snapshot.slots.map(\.locator))
    for index in snapshot.compartments.values {
      locators.formUnion(index.slots.filter { $0.value.isAlive }.keys)
    }
    let passedOver = Set(
      snapshot.findings.filter { $0.code == .slotPassedOver }.compactMap { finding in
        finding.path.split(separator: UInt8(ascii: "/")).last
          .flatMap { FileNameHex.locator(Array($0)) }
      })
    locators.formUnion(passedOver)
    entries = locators.map { locator in
      Self.entry(locator, snapshot, isPassedOver: passedOver.contains(locator))
    }.sorted { Self.order($0).lexicographicallyPrecedes(Self.order($1)) }
  }

  private static func entry(
    _ locator: Locator, _ snapshot: Snapshot, isPassedOver: Bool
  ) -> SlotEntry {
    let files = snapshot.slots.filter { $0.locator == locator }
    let (own, spare) = (files.first { !$0.isSpare }, files.first { $0.isSpare })
    let head = files.compactMap { $0.slot?.head }.first
    let listing = snapshot.compartments.values.filter { $0.slots[locator]?.isAlive ?? false }
    return SlotEntry(
      locator: locator, head: head,
      compartment: head?.compartment ?? listing.map(\.compartment).min(),
      isListed: listing.contains { head == nil || $0.compartment == head?.compartment },
      isInIndex: own != nil, hasSpare: spare != nil && (own == nil || own?.state == spare?.state),
      isPassedOver: isPassedOver)
  }

  private static func order(_ entry: SlotEntry) -> [UInt8] {
    Array((entry.compartment?.hex ?? "z").utf8) + [entry.head?.purpose.rawValue ?? 0xFF]
      + Array(entry.locator.hex.utf8)
  }

  /// The slots of a compartment that can be of this purpose: those that say so, and the listed ones that can no longer say
  /// what they are.
  func candidates(_ purpose: SlotPurpose, of compartment: CompartmentID) -> [SlotEntry] {
    entries.filter { entry in
      guard entry.compartment == compartment, !entry.isPassedOver else { return false }
      return entry.head.map { $0.purpose == purpose } ?? entry.isListed
    }
  }
}

// MARK: - Naming one

extension SlotListing {
  /// The fewest digits of a locator that name a slot.
  private static let leastDigits = 4

  /// The one slot that a person means by its label or the first digits of its locator.
  /// - Throws: `usage` that lists the slots, where none or several have the name.
  static func choose(
    _ name: [UInt8], among entries: [SlotEntry]
  ) throws(CommandError) -> SlotEntry {
    let named = entries.filter { entry in
      let isStart =
        name.count >= leastDigits && Array(entry.locator.hex.utf8).starts(with: name)
      return isStart || entry.head?.label.map { Array($0.utf8) == name } ?? false
    }
    if let only = named.first, named.count == 1 { return only }
    let reason =
      named.isEmpty
      ? "no slot has the label or locator \(DisplayName(name).quoted)"
      : "\(named.count) slots have the label or locator \(DisplayName(name).quoted)"
    throw refusal(reason, named.isEmpty ? entries : named)
  }

  /// A refusal that lists what could have been named.
  static func refusal(_ reason: String, _ entries: [SlotEntry]) -> CommandError {
    let list = entries.map(\.choiceText).joined(separator: ", ")
    return .usage(.refused(entries.isEmpty ? reason : "\(reason); there are: \(list)"))
  }
}
