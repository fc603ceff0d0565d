internal import VaultFormat

// What belongs where, and what may be replaced by what: nothing whose bytes could be the only copy of anything (spec §12).
extension RepairPlanner {
  /// Where a file belongs by what it says of itself.
  func place(of file: RepairFile, at path: [UInt8]) -> [UInt8]? {
    switch file.content {
    case .header: return path.contains(UInt8(ascii: "/")) ? nil : Layout.header
    case .slot(let locator, _, _, _):
      let isSpare = path.starts(with: Layout.spare + [UInt8(ascii: "/")])
      return Layout.path(isSpare ? Layout.spare : Layout.index, Layout.slot(locator))
    case .segment(let id, _, _): return Layout.path(Layout.index, Layout.segment(id))
    case .note(let id, _, _): return Layout.notePath(id)
    case .brokenNote, .damaged: return nil
    case .other:
      guard !path.contains(UInt8(ascii: "/")), let state = file.state else { return nil }
      return Layout.topCompanions.first { companion in
        companions[companion]?.onlyCurrent == state
          || reading.topLevel.companions[companion]?.state == state
      }
    }
  }

  /// The compartment that lists companions.
  var companionCompartment: CompartmentID {
    reading.base.snapshot.companionCompartment(of: vault.header)
  }

  /// The registers of companions.
  var companions: [[UInt8]: Register] {
    compartments[companionCompartment]?.companions ?? [:]
  }

  /// Whether a file has exactly the state that the index lists as current. A segment is its own proof.
  func isListed(_ file: RepairFile) -> Bool {
    switch file.content {
    case .header: file.state?.digest == namedHeader && namedHeader != nil
    case .slot(let locator, let compartment, let vaultID, _):
      vaultID == vault.header.vaultID && owner(of: locator) == compartment
        && compartments[compartment]?.slots[locator]?.onlyCurrent == file.state
    case .segment(_, let compartment, let digest):
      (namedHeader.map { $0 == digest } ?? true) && knows(compartment)
    case .note(let id, let compartment, _):
      owner(of: id) == compartment
        && compartments[compartment]?.notes[id]?.onlyCurrent == file.state
    case .other: companions.values.contains { $0.onlyCurrent == file.state }
    case .brokenNote, .damaged: false
    }
  }

  /// Whether a file may take an empty place: it is listed, or nothing says what belongs there.
  func mayEnter(_ file: RepairFile) -> Bool {
    if isListed(file) { return true }
    switch file.content {
    case .slot(let locator, let compartment, let vaultID, _):
      return vaultID == vault.header.vaultID && owner(of: locator) == nil
        && compartments[compartment] == nil && knows(compartment)
    case .note(let id, let compartment, _):
      return compartments.values.allSatisfy { $0.notes[id] == nil } && knows(compartment)
        && isOnlyCandidate(file, for: id)
    default: return false
    }
  }

  /// Whether what is in a file's place is a damaged or older form of it, so that nothing is lost with it.
  func mayReplace(_ old: RepairFile, by new: RepairFile) -> Bool {
    switch (new.content, old.content) {
    case (.header, _): true
    case (.slot(let locator, _, _, let salt), .slot(let oldLocator, _, _, let oldSalt)):
      locator == oldLocator || salt == oldSalt
    case (.slot, .damaged), (.slot, .other): true
    case (.segment, .damaged): true
    case (.note(let id, let compartment, let salt), .note(let oldID, _, let oldSalt)):
      // One salt is one sealing (spec §6).
      salt == oldSalt
        || id == oldID
          && old.state.map {
            compartments[compartment]?.notes[id]?.isSuperseded($0.prefix) ?? false
          } ?? false
    case (.note(_, _, let salt), .brokenNote(_, let oldSalt)): salt == oldSalt
    case (.note, .damaged): true
    case (.other, .other), (.other, .damaged): true
    default: false
    }
  }

  /// The only compartment that lists a slot; nil where none or several do.
  func owner(of locator: Locator) -> CompartmentID? {
    let owners = compartments.values.filter { $0.slots[locator] != nil }
    return owners.count == 1 ? owners.first?.compartment : nil
  }

  private func owner(of note: NoteID) -> CompartmentID? {
    let owners = compartments.values.filter { $0.notes[note] != nil }
    return owners.count == 1 ? owners.first?.compartment : nil
  }

  /// Whether a compartment was handed over: nothing comes back into it (spec §7.5).
  func isClosed(_ compartment: CompartmentID) -> Bool {
    reading.base.snapshot.handOvers.closed[compartment] != nil
  }

  /// Whether a compartment is one of the vault's.
  private func knows(_ compartment: CompartmentID) -> Bool {
    if isClosed(compartment) { return false }
    return compartment == vault.header.firstCompartment || compartments[compartment] != nil
      || reading.base.snapshot.usableSlots.contains {
        $0.head.vaultID == vault.header.vaultID && $0.head.compartment == compartment
      }
  }
}

extension RepairFile {
  /// Whether two files hold the same bytes.
  func holdsSame(as other: RepairFile) -> Bool {
    guard content == other.content else { return false }
    // The name of a segment is the hash of its bytes.
    if case .segment = content { return true }
    return state != nil && state == other.state
  }
}
