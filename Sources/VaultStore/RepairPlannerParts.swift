internal import VaultFormat

// Slots, companions, segments and runs.
extension RepairPlanner {
  // MARK: - Slots

  /// Each slot whose one copy is as listed gets its other copy back.
  mutating func planSlots() throws(StoreError) {
    for index in compartments.values.sorted(by: { $0.compartment < $1.compartment })
    where !isClosed(index.compartment) {
      for (locator, register) in index.slots.sorted(by: { $0.key < $1.key }) {
        guard let current = register.onlyCurrent, current.isFile,
          owner(of: locator) == index.compartment
        else { continue }
        try restore(locator, of: index.compartment, to: current)
      }
    }
  }

  /// Writes one copy of a slot again from the other, where only one is as it should be.
  mutating func restore(
    _ locator: Locator, of compartment: CompartmentID, to state: State
  ) throws(StoreError) {
    let places = [Layout.index, Layout.spare].map { Layout.path($0, Layout.slot(locator)) }
    var good: (path: [UInt8], file: RepairFile)?
    for path in places {
      guard case .file(let file) = try occupant(of: path), file.state == state,
        case .slot(locator, compartment, vault.header.vaultID, _) = file.content
      else { continue }
      good = good ?? (path, file)
    }
    guard let good else { return }
    for path in places {
      switch try occupant(of: path) {
      case .blocked: continue
      case .nothing: add(.restoreSlot(path, from: good.path, state, isReplacing: false))
      case .file(let file):
        guard file.state != state, mayReplace(file, by: good.file) else { continue }
        add(.restoreSlot(path, from: good.path, state, isReplacing: true))
      }
      expect(.file(good.file), at: path)
    }
  }

  // MARK: - Companions

  /// Plain files that this version writes and the index lists come back.
  mutating func planCompanions() throws(StoreError) {
    for companion in CompanionFiles.all {
      let state = try RepairFileReader.state(of: companion.bytes)
      guard companions[companion.path]?.onlyCurrent == state else { continue }
      switch try occupant(of: companion.path) {
      case .blocked: continue
      case .nothing: add(.restoreCompanion(companion.path, isReplacing: false))
      case .file(let file):
        if file.state != state { add(.restoreCompanion(companion.path, isReplacing: true)) }
      }
    }
  }

  // MARK: - Segments

  /// Segments go that live ones replace: whole ones, and damaged ones under their names.
  mutating func planSegments() throws(StoreError) {
    for id in reading.base.snapshot.handedOverSegments { add(.removeSegment(id)) }
    var replacing: [SegmentID: CompartmentID] = [:]
    for index in compartments.values {
      for segment in index.live {
        for id in segment.lists.replaces { replacing[id] = index.compartment }
      }
    }
    for id in replacing.keys.sorted() {
      let path = Layout.path(Layout.index, Layout.segment(id))
      guard let compartment = replacing[id], case .file(let file) = try occupant(of: path) else {
        continue
      }
      switch file.content {
      case .segment(id, compartment, _): add(.removeSegment(id))
      case .damaged where !claimsOther(path, than: compartment): add(.removeSegment(id))
      default: continue
      }
    }
  }

  /// Whether the front of a damaged segment names another compartment: then that one's segments decide.
  private func claimsOther(_ path: [UInt8], than compartment: CompartmentID) -> Bool {
    let parts = Layout.parts(of: path)
    var front = [UInt8](repeating: 0, count: SegmentFile.frontByteCount)
    do throws(SystemError) {
      let folder = try vault.root.open(components: parts.dropLast())
      var room = front.mutableSpan
      let count = try folder.openFile(parts[parts.count - 1]).read(into: &room, at: 0)
      front.removeLast(front.count - count)
    } catch {
      return true
    }
    var reader = ByteReader(front.span)
    guard let head = try? SegmentHead(parsing: &reader) else { return false }
    return head.compartment != compartment
  }

  // MARK: - Runs

  /// Runs that committed are completed, others removed. One without its segment, in the index or in its folder, may have
  /// committed in an index that was lost since: its files may be the only ones.
  mutating func planRuns() {
    // A folder that cannot be listed stays a finding.
    for run in (try? StagedRuns.list(in: vault, snapshot)) ?? [] {
      if run.isCommitted {
        do {
          _ = try StagedRuns.plan(of: run, in: vault)
          add(.completeRun(run.name))
        } catch {
          continue  // nobody can tell what belongs where
        }
      } else if isLeftover(run), isEmptied(run) {
        add(.removeLeftover(run.name))
      }
    }
  }

  /// The slots that go with runs that did not commit (spec §9.1).
  var leftoverSlots: Set<Locator> {
    var names = Set<[UInt8]>()
    for case .removeLeftover(let name) in plan.actions {
      let run = StagedRuns.Run(name: name, isCommitted: false)
      // What cannot be read of a run does not go with it either.
      let slots = try? StagedSlots(of: run, in: vault, snapshot)
      names.formUnion(slots?.files.map(\.name) ?? [])
    }
    return Set(names.compactMap { FileNameHex.locator($0) })
  }

  /// Whether all that the vault misses comes out of the folder of a run.
  private func isEmptied(_ run: StagedRuns.Run) -> Bool {
    // What cannot be read stays.
    guard let needs = try? StagedNeeds(in: run, of: vault, reading.base.snapshot) else {
      return false
    }
    return needs.files.allSatisfy { file in
      if case .nothing? = try? occupant(of: file.path) { true } else { false }
    }
  }

  private func isLeftover(_ run: StagedRuns.Run) -> Bool {
    if run.name.suffix(5).elementsEqual(".part".utf8) { return true }
    let folder = try? vault.root.open(components: [Layout.staging, run.name])
    return (try? folder?.status(of: Layout.stagedSegment)) != nil
  }
}
