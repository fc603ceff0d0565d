import FoundationEssentials
import Testing
import VaultCrypto
import VaultFormat
import VaultTestSupport

@testable import VaultSealing
@testable import VaultStore

extension TestVault {
  private var repairOptions: VerifyOptions {
    VerifyOptions(pins: [], bounds: Self.bounds, workerCount: 2)
  }

  func beginRepair(
    for purpose: Repair.Purpose = .writing(waitingSeconds: 30), faults: FaultPlan? = nil
  ) throws -> Repair {
    try Repair(
      path: path, options: repairOptions, for: purpose, progress: .silent, faults: faults)
  }

  /// What the secret opens of a vault that may be damaged.
  func openedSlots(_ repair: borrowing Repair) throws -> OpenedSlots {
    let readable = repair.lockedVault
    let locked = try #require(readable)
    return try Unlocking(
      locked.snapshot.usableSlots, of: locked.vault.header, with: Self.secret(Self.passphrase)
    ).finish()
  }

  /// What would be done, as `kind path`.
  func repairPlan(unlocked: Bool = false) throws -> [String] {
    let repair = try beginRepair(for: .showing)
    let opened = unlocked ? try openedSlots(repair) : nil
    return try repair.plan(with: opened).actions.map(\.testText)
  }

  /// Plans and does it; gives what was done.
  @discardableResult
  func repair(unlocked: Bool = false, faults: FaultPlan? = nil) throws -> [String] {
    var repair = try beginRepair(faults: faults)
    let opened = unlocked ? try openedSlots(repair) : nil
    let plan = try repair.plan(with: opened)
    let outcome = try repair.carryOut(plan, with: opened)
    return outcome.steps.filter(\.isDone).map(\.action.testText)
  }

  /// Codes and paths of what verification finds, notes left out.
  func findings() throws -> [Reported] {
    try verify().findings.filter { $0.severity != .note }.map(Reported.init)
  }

  /// The path of the one slot in `index/` that the passphrase opens.
  func slotName() throws -> String {
    let locator = try #require(
      try snapshot().usableSlots.first { $0.head.purpose == .passphrase }?.head.locator)
    return String(decoding: Layout.slot(locator), as: UTF8.self)
  }

  func segmentNames() throws -> [String] {
    try (names("index") ?? []).filter { $0.hasSuffix(".seg") }
  }

  func notePath(_ path: String) throws -> String {
    let note = try #require(try unlock().note(at: bytes(path)))
    return String(decoding: Layout.notePath(note.id), as: UTF8.self)
  }

  /// A vault of three notes in two segments.
  static func withNotes() throws -> TestVault {
    let vault = try TestVault()
    try vault.commit([.put("a", "one"), .put("b", "two")])
    try vault.commit([.put("c", "three")])
    return vault
  }

  static let noteTexts = ["a": "one", "b": "two", "c": "three"]
}

extension RepairAction {
  var testText: String { "\(kind.rawValue) \(String(decoding: path, as: UTF8.self))" }
}

extension TestVault {
  /// All files of the vault with their bytes, folders and links by their names.
  func state() throws -> [String: [UInt8]] {
    let root = URL(filePath: String(decoding: path, as: UTF8.self))
    var state: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: root.path) {
      let content = try? Data(contentsOf: root.appending(path: name))
      state[name] = content.map { [UInt8]($0) } ?? []
    }
    return state
  }

  /// One segment in place of all live ones of the first compartment.
  func mergeAllSegments() throws {
    let folder = try open()
    let session = try Self.session(folder)
    let compartment = try #require(try Self.unlock(folder, session.snapshot).compartments.first)
    let inputs = compartment.index.live
    var merger = SegmentMerger()
    var decompressor = try ZstdDecompressor()
    for segment in inputs {
      merger.take(
        segment,
        try SegmentOpening.openBox(
          of: segment.verified, segment.bytes.span, keys: compartment.secret.keys,
          expandingWith: &decompressor))
    }
    let lists = try merger.lists(parents: [], replacing: inputs.map(\.id))
    try session.commitMerge(
      lists, items: merger.items(for: lists.entries), secret: compartment.secret,
      removing: inputs.map(\.id))
  }
}
