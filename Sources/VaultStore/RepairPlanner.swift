internal import VaultFormat
internal import VaultSealing

/// Finds what can be repaired without a secret (spec §12). Reads only; what it decides shows in `plan`.
struct RepairPlanner {
  /// What is at a path, once the actions planned so far are done.
  enum Occupant {
    case nothing
    case file(RepairFile)
    /// No regular file, or one that cannot be read, or one that a sync tool holds back.
    case blocked
  }

  let reading: RepairReading
  let vault: VaultFolder
  let reader: RepairFileReader
  /// The SHA-256 of `VAULT` that all live segments name, or where none is in its place all others; nil where they
  /// disagree, or there are none.
  private(set) var namedHeader: Digest?
  /// The index with the segments that come back.
  private(set) var compartments: [CompartmentID: CompartmentIndex]
  private(set) var plan = RepairPlan()
  /// Files that are not where they belong, with what they are.
  private var strays: [(path: [UInt8], file: RepairFile)] = []
  private let awaited: Set<[UInt8]>
  private var planned: [[UInt8]: Occupant] = [:]

  /// Nil where nothing says which vault this is.
  /// - Throws: `system`, `crypto`.
  init?(_ reading: RepairReading, bounds: KDFBounds) throws(StoreError) {
    guard let vault = reading.base.vault else { return nil }
    self.reading = reading
    self.vault = vault
    reader = RepairFileReader(vaultID: vault.header.vaultID, bounds: bounds)
    compartments = reading.base.snapshot.compartments
    awaited = reading.awaited
  }

  /// Plans everything but what is listed anew.
  /// - Parameter opened: where there is no segment, a slot that opened proves what it repeats of `VAULT`.
  /// - Returns: whether the vault can be written to afterwards.
  mutating func run(with opened: OpenedSlots?) throws(StoreError) -> Bool {
    let strays = reading.strays
    for path in strays.files {
      if case .file(let file) = try occupant(of: path) { self.strays.append((path, file)) }
    }
    // What cannot be listed is not lost.
    guard reading.base.indexIsRead else { return false }
    namedHeader = headerNamedBySegments
    guard try planHeader(opened) else { return false }
    let isHandedOver = try takeSegments()
    // Segments first, because the rest stands on them.
    try settleStrays { if case .segment = $0.content { true } else { false } }
    // The next repair sees what a hand-over closes.
    if isHandedOver { return true }
    try settleStrays { _ in true }
    for folder in strays.folders where try isEmptied(folder, strays.files) {
      add(.removeFolder(folder))
    }
    try planSlots()
    try planCompanions()
    try planSegments()
    planRuns()
    return true
  }

  /// The slots of `index/` and `spare/`, and those that come there, ascending, without those that go as leftovers.
  var slotCandidates: [Locator] {
    var locators = Set(reading.base.snapshot.slots.map(\.locator)).subtracting(leftoverSlots)
    for case .moveIntoPlace(_, _, let file, _) in plan.actions {
      if case .slot(let locator, _, _, _) = file.content { locators.insert(locator) }
    }
    return locators.sorted()
  }

  /// Whether a sync tool keeps a placeholder for a segment.
  func isAwaited(_ segment: SegmentID) -> Bool {
    awaited.contains(Layout.path(Layout.index, Layout.segment(segment)))
  }

  mutating func leave(_ finding: Finding) { plan.left.append(finding) }

  mutating func add(_ action: RepairAction) { plan.actions.append(action) }

  /// Notes what will be at a path.
  mutating func expect(_ occupant: Occupant, at path: [UInt8]) { planned[path] = occupant }

  func occupant(of path: [UInt8]) throws(StoreError) -> Occupant {
    if awaited.contains(path) { return .blocked }
    if let planned = planned[path] { return planned }
    let parts = Layout.parts(of: path)
    do throws(SystemError) {
      let folder = try vault.root.open(components: parts.dropLast())
      guard try folder.status(of: parts[parts.count - 1]) != nil else { return .nothing }
    } catch {
      return error.code == .notFound ? .nothing : .blocked
    }
    guard let folder = try? vault.root.open(components: parts.dropLast()) else { return .blocked }
    return try reader.read(parts[parts.count - 1], in: folder).map { .file($0) } ?? .blocked
  }

  /// The index as it will be.
  var snapshot: Snapshot {
    var snapshot = reading.base.snapshot
    snapshot.compartments = compartments
    return snapshot
  }

  // MARK: - VAULT

  private var hasNoSegment: Bool {
    compartments.isEmpty
      && strays.allSatisfy { if case .segment = $0.file.content { false } else { true } }
  }

  /// Whether a slot that opened repeats this vault's header; its box authenticates that (spec §5.4).
  private func proves(_ opened: OpenedSlots) -> Bool {
    opened.slots.contains {
      $0.head.vaultID == vault.header.vaultID && $0.head.vaultSalt == vault.header.vaultSalt
        && $0.head.firstCompartment == vault.header.firstCompartment
    }
  }

  private var headerNamedBySegments: Digest? {
    var named = Set(compartments.values.flatMap(\.live).map(\.verified.file.head.vaultDigest))
    if named.isEmpty {
      for case .segment(_, _, let digest) in strays.map(\.file.content) { named.insert(digest) }
    }
    return named.count == 1 ? named.first : nil
  }

  /// - Returns: whether `VAULT` is there, or will be, so that the vault can be locked and written to.
  private mutating func planHeader(_ opened: OpenedSlots?) throws(StoreError) -> Bool {
    let bytes = vault.header.encoded()
    let state = try RepairFileReader.state(of: bytes)
    let found = try occupant(of: Layout.header)
    if case .file(let file) = found, file.state == state { return true }
    if case .file(let file) = found, isListed(file) { return true }
    let proof: RepairAction.HeaderProof
    if let namedHeader, namedHeader == state.digest {
      proof = .segments
    } else if hasNoSegment, let opened, proves(opened) {
      proof = .openedSlot
    } else {
      return try planHeaderFromStray(found)
    }
    switch found {
    case .blocked: return false
    case .nothing: add(.rebuildHeader(vault.header, proof, isReplacing: false))
    case .file: add(.rebuildHeader(vault.header, proof, isReplacing: true))
    }
    expect(.file(RepairFile(content: .header, state: state, identity: .none)), at: Layout.header)
    return true
  }

  /// Where the slots do not repeat all that `VAULT` held, a copy of it can still be the one that the segments name.
  private mutating func planHeaderFromStray(_ found: Occupant) throws(StoreError) -> Bool {
    let copy = strays.firstIndex { $0.file.content == .header && isListed($0.file) }
    guard let copy else {
      if case .file(let file) = found { return file.content == .header }
      return false
    }
    let stray = strays.remove(at: copy)
    switch found {
    case .blocked: return false
    case .nothing:
      add(.moveIntoPlace(from: stray.path, to: Layout.header, stray.file, isReplacing: false))
    case .file:
      add(.moveIntoPlace(from: stray.path, to: Layout.header, stray.file, isReplacing: true))
    }
    expect(.nothing, at: stray.path)
    expect(.file(stray.file), at: Layout.header)
    return true
  }

  // MARK: - Strays

  /// Segments under other names than their own come back into the index.
  /// - Returns: whether one of them is a hand-over.
  private mutating func takeSegments() throws(StoreError) -> Bool {
    var isHandedOver = false
    for stray in strays {
      guard case .segment(let id, let compartment, _) = stray.file.content,
        mayEnter(stray.file), compartments[compartment]?.graph.nodes[id] == nil,
        let segment = try segment(at: stray.path)
      else { continue }
      let index = compartments[compartment]
      if index?.live.contains(where: { $0.id == id }) == true { continue }
      compartments[compartment] = CompartmentIndex(
        compartment: compartment, signer: segment.verified.file.head.signer,
        segments: (index?.live ?? []) + [segment])
      if segment.verified.file.head.isHandOver { isHandedOver = true }
    }
    return isHandedOver
  }

  private func segment(at path: [UInt8]) throws(StoreError) -> LiveSegment? {
    let parts = Layout.parts(of: path)
    guard let folder = try? vault.root.open(components: parts.dropLast()) else { return nil }
    return try reader.liveSegment(parts[parts.count - 1], in: folder)
  }

  /// Moves and removes strays until nothing more can be done: one that goes may make room for another.
  private mutating func settleStrays(_ isMeant: (RepairFile) -> Bool) throws(StoreError) {
    var isSettling = true
    while isSettling {
      isSettling = false
      var rest: [(path: [UInt8], file: RepairFile)] = []
      for stray in strays {
        guard isMeant(stray.file), let action = try action(on: stray.path, stray.file) else {
          rest.append(stray)
          continue
        }
        add(action)
        expect(.nothing, at: stray.path)
        if case .moveIntoPlace(_, let place, let file, _) = action {
          expect(.file(file), at: place)
        }
        isSettling = true
      }
      strays = rest
    }
  }

  /// Whether no other stray says of itself that it is this note, with other bytes.
  func isOnlyCandidate(_ file: RepairFile, for id: NoteID) -> Bool {
    strays.allSatisfy { stray in
      guard case .note(id, _, _) = stray.file.content else { return true }
      return stray.file.state == file.state
    }
  }

  private func action(
    on path: [UInt8], _ file: RepairFile
  ) throws(StoreError) -> RepairAction? {
    guard let place = place(of: file, at: path), place != path else { return nil }
    switch try occupant(of: place) {
    case .blocked: return nil
    case .nothing:
      guard mayEnter(file) else { return nil }
      return .moveIntoPlace(from: path, to: place, file, isReplacing: false)
    case .file(let other):
      if file.holdsSame(as: other) {
        // Two names of one file are no two files.
        return file.identity == other.identity ? nil : .removeCopy(path, of: place)
      }
      guard isListed(file), mayReplace(other, by: file) else { return nil }
      return .moveIntoPlace(from: path, to: place, file, isReplacing: true)
    }
  }

  private func isEmptied(
    _ folder: [UInt8], _ files: [[UInt8]]
  ) throws(StoreError) -> Bool {
    let inside = files.filter { $0.starts(with: folder + [UInt8(ascii: "/")]) }
    for path in inside {
      guard case .nothing = try occupant(of: path) else { return false }
    }
    return !inside.isEmpty
  }
}

extension FileIdentity {
  /// Of a file that is not there yet; no other is equal to it.
  static let none = FileIdentity(device: .max, inode: .max)
}
