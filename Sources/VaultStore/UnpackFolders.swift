internal import VaultFormat

/// The folders that the notes need, made before anything is written into them.
struct UnpackFolders: ~Copyable {
  enum State: Equatable {
    /// Made by this run.
    case made
    /// Was there.
    case found
    /// Cannot be used, because of the folder with this path.
    case blocked(by: [UInt8])
  }

  private(set) var states: [[UInt8]: State] = [:]
  private var identities: [FileIdentity: [UInt8]] = [:]
  private var faults: [[UInt8]: UnpackFault] = [:]
  private var blockedNotes: [[UInt8]: Int] = [:]
  private var cursor: UnpackCursor
  private let existing: ExistingFiles
  private let vaultIdentity: FileIdentity

  init(
    _ target: borrowing UnpackTarget, vault: VaultFolder, existing: ExistingFiles
  ) throws(SystemError) {
    let vaultIdentity = try vault.root.descriptor.status().identity
    let cursor = try UnpackCursor(target.root)
    self.vaultIdentity = vaultIdentity
    self.existing = existing
    self.cursor = cursor
    states[[]] = target.isNew ? .made : .found
  }

  /// Makes the folder at a path and those above it, as far as they are not there.
  /// - Throws: `failed` where the target takes nothing any more.
  mutating func require(_ path: [UInt8]) throws(SystemError) {
    guard states[path] == nil else { return }
    let place = UnpackPlace(path)
    try require(place.folder)
    if case .blocked(let by)? = states[place.folder] {
      states[path] = .blocked(by: by)
      return
    }
    do throws(UnpackFault) {
      states[path] = try make(path, place)
    } catch {
      if case .target(let cause) = error, cause.endsUnpacking { throw cause }
      faults[path] = error
      states[path] = .blocked(by: path)
    }
  }

  /// Whether notes in a folder can be written; counts one that cannot.
  mutating func admits(_ folder: [UInt8]) -> Bool {
    guard case .blocked(let by)? = states[folder] else { return true }
    blockedNotes[by, default: 0] += 1
    return false
  }

  /// Adds what kept notes from being written.
  func report(into report: inout UnpackReport) {
    for (path, count) in blockedNotes {
      if let fault = faults[path] { report.add(path, fault, noteCount: count) }
    }
  }

  private mutating func make(
    _ path: [UInt8], _ place: UnpackPlace
  ) throws(UnpackFault) -> State {
    var isMade = true
    let identity: FileIdentity
    do {
      try cursor.enter(place.folder)
      do throws(SystemError) {
        try cursor.folder.makeDirectory(place.name, mode: 0o777)
      } catch {
        guard error.code == .exists else { throw error }
        isMade = try makeRoom(for: place.name)
      }
      try cursor.enter(path)
      identity = try cursor.folder.descriptor.status().identity
    } catch let error as SystemError {
      throw .target(error)
    } catch {
      throw error as? UnpackFault ?? .blocked(by: .unknown)
    }
    if identity == vaultIdentity { throw .inVault }
    if let other = identities.updateValue(path, forKey: identity) { throw .sameName(as: other) }
    return isMade ? .made : .found
  }

  /// Settles that something has the folder's name.
  /// - Returns: whether it gave way to a new folder.
  private func makeRoom(for name: [UInt8]) throws -> Bool {
    guard let kind = try cursor.folder.status(of: name)?.kind, kind != .folder else {
      return false
    }
    guard existing == .overwritten else { throw UnpackFault.blocked(by: kind) }
    try cursor.folder.unlink(name)
    try cursor.folder.makeDirectory(name, mode: 0o777)
    return true
  }
}

extension SystemError {
  /// Whether the target takes nothing any more, so that trying the next note is of no use.
  var endsUnpacking: Bool { code == .noSpace || code == .quota || code == .readOnly }
}
