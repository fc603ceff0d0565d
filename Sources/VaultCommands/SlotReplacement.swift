import VaultFormat
import VaultStore

/// Which slots of the opened compartments a new secret takes the place of.
struct SlotReplacement {
  static let slot = OptionSpec.value(
    "slot", "SLOT",
    help: "The slot to replace, by its label or the first digits of its locator.")

  /// What to do where a compartment has several slots that could be meant.
  enum Several {
    case refuse
    /// The new one is added, and all stay.
    case add
  }

  /// By compartment; where nothing ends the new slot is added.
  let ended: [CompartmentID: [SlotEntry]]
  /// Compartments where several could be meant, so that all stay.
  let undecided: [CompartmentID]

  /// Finds the slots of one purpose that end: those that the secret opened, if it is of that purpose; else the only one
  /// of each compartment, also where its file is lost or damaged.
  ///
  /// - Parameter name: the slot that a person named; then no other ends.
  /// - Throws: `usage` that lists the slots.
  init(
    of purpose: SlotPurpose, _ opened: OpenedSlots, _ listing: SlotListing, named name: [UInt8]?,
    several: Several
  ) throws(CommandError) {
    var found: [CompartmentID: [SlotEntry]] = [:]
    let locators = Set(opened.slots.filter { $0.head.purpose == purpose }.map(\.head.locator))
    for compartment in opened.secrets.keys {
      let candidates = listing.candidates(purpose, of: compartment)
      found[compartment] =
        locators.isEmpty ? candidates : candidates.filter { locators.contains($0.locator) }
    }
    if let name {
      let all = found.sorted { $0.key < $1.key }.flatMap(\.value)
      let chosen = try SlotListing.choose(name, among: all)
      ended = found.filter { $0.value.contains { $0.locator == chosen.locator } }
        .mapValues { _ in [chosen] }
      undecided = []
      return
    }
    let ambiguous = locators.isEmpty ? found.filter { $0.value.count > 1 } : [:]
    if case .refuse = several, let choices = ambiguous.min(by: { $0.key < $1.key })?.value {
      throw SlotListing.refusal("several slots could be meant; give --slot", choices)
    }
    undecided = ambiguous.keys.sorted()
    ended = found.merging(ambiguous) { _, _ in [] }
  }
}
