internal import VaultFormat

/// All that a source folder holds, and what could not be seen of it.
package struct SourceScan: Sendable {
  /// Files, folders and links; a folder before what is in it.
  package private(set) var items: [PackPlanner.Item] = []
  /// In the order of the walk.
  package private(set) var problems: [SourceScanProblem] = []
  /// Entries that a pattern excluded, an excluded folder counted once.
  package private(set) var excludedCount = 0
  /// When the walk began.
  package let startedAt: FileTime
  /// Byte count of all files and link targets together.
  package private(set) var byteCount: UInt64 = 0

  private let excludes: [Glob]
  /// Paths that have a problem: whether something is there, or below, is not known.
  private var hidden = Set<[UInt8]>()

  /// Walks a source.
  ///
  /// - Parameter vault: the vault's own folder, which is passed over where it lies in the source; nil where there is none yet.
  /// - Throws: `sourceOverlapsVault` when the source is the vault or lies in it; `system` when it cannot be listed;
  ///   `interrupted`.
  package init(
    _ source: SourceFolder, excluding excludes: [Glob], passingOver vault: FileIdentity?,
    isInterrupted: @Sendable () -> Bool
  ) throws(StoreError) {
    self.excludes = excludes
    startedAt = SystemClock.now()
    if let vault, try source.liesIn(vault) { throw .sourceOverlapsVault }
    let maxima = WalkMaxima(
      pathByteCount: Limits.pathByteCount.upperBound,
      partByteCount: Limits.pathPartByteCount.upperBound, depth: Limits.pathParts)
    do {
      var walk = try SourceWalk(
        of: source.root, maxima: maxima, passingOver: vault.map { [$0] } ?? []
      ) { path, _ in excludes.contains { $0.matchesEntry(path) } }
      while let item = try walk.next() {
        take(item)
        if isInterrupted() { throw StoreError.interrupted }
      }
      excludedCount = walk.excludedCount
    } catch let error as SystemError {
      throw .system(error, path: source.path)
    } catch {
      throw .interrupted
    }
  }

  /// Whether a path that was not found may be there all the same: excluded, or at or below something unseen.
  package func isOutOfSight(_ path: [UInt8]) -> Bool {
    if excludes.contains(where: { $0.matchesAtOrAbove(path) }) { return true }
    if hidden.isEmpty { return false }
    if hidden.contains(path) || hidden.contains([]) { return true }
    return path.indices.contains { path[$0] == Self.slash && hidden.contains(Array(path[..<$0])) }
  }

  private static let slash = UInt8(ascii: "/")

  private mutating func take(_ item: SourceItem) {
    switch item.finding {
    case .issue(let issue):
      report(item.path, SourceScanProblem(path: item.path, issue: issue).reason)
    case .entry(let status):
      switch status.kind {
      case .folder, .symlink, .regular:
        if let real = Self.placeholderTarget(item.path, status) {
          return report(real, .notDownloaded)
        }
        items.append(.init(path: item.path, status: status))
        if status.kind != .folder { byteCount &+= status.byteCount }
      default:
        report(item.path, .special(status.kind))
      }
    }
  }

  private mutating func report(_ path: [UInt8], _ reason: SourceScanProblem.Reason) {
    problems.append(SourceScanProblem(path: path, reason))
    hidden.insert(path)
  }

  /// The path of the file for which a placeholder `.NAME.icloud` stands.
  private static func placeholderTarget(_ path: [UInt8], _ status: FileStatus) -> [UInt8]? {
    guard status.kind == .regular, path.suffix(7).elementsEqual(".icloud".utf8) else { return nil }
    let start = path.lastIndex(of: slash).map { $0 + 1 } ?? 0
    let name = path[start...].dropLast(7)
    guard name.count > 1, name.first == UInt8(ascii: ".") else { return nil }
    return Array(path[..<start] + name.dropFirst())
  }
}
